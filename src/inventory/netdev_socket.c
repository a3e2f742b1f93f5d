// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netdev_socket.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include "base/clock.h"
#include "base/sanitize.h"
#include "inventory/netlink_socket.h"

/* State of a request while answers arrive. */
struct answers {
	uint32_t seq;
	bool generic;    /* generic netlink: message types are family numbers */
	uint16_t family; /* for messages about features */
	const struct netdev_listener *listener;
	void (*take)(void *ctx, const struct nlmsghdr *message); /* instead of the listener */
	void *ctx;
	bool done, interrupted;
	int err;
	int32_t nsid;
	bool one_of_counts; /* a single answer with counters, not a dump */
	uint16_t netdev;    /* answer to netlink_put_family_get() */
};

int netdev_socket_open(struct netdev_socket *s, bool links, uint16_t family)
{
	*s = (struct netdev_socket){ .generic = -1, .missed = links };
	s->route = netlink_socket_open(NETLINK_ROUTE, links ? RTMGRP_LINK : 0);
	if (s->route < 0)
		return s->route;
	if (family)
		s->generic = netlink_socket_open(NETLINK_GENERIC, 0);
	if (family && s->generic < 0) {
		close(s->route);
		return s->generic;
	}
	netns_counts_open(s->counts);
	return 0;
}

void netdev_socket_adopt(struct netdev_socket *s, int route, int generic)
{
	*s = (struct netdev_socket){ .route = route, .generic = generic };
	for (int i = 0; i < NETNS_FILES; i++)
		s->counts[i] = -1;
}

void netdev_socket_close(struct netdev_socket *s)
{
	close(s->route);
	if (s->generic >= 0)
		close(s->generic);
	netns_counts_close(s->counts);
}

static void take_message(const struct nlmsghdr *message, struct answers *a)
{
	const struct netdev_listener *l = a->listener;
	bool answer = message->nlmsg_seq == a->seq && a->seq;
	struct netdev counts = { 0 };
	struct link_message link;
	uint64_t features;
	uint32_t ifindex;

	if (answer && (message->nlmsg_flags & NLM_F_DUMP_INTR))
		a->interrupted = true;
	if (message->nlmsg_type == NLMSG_DONE) {
		a->done |= answer;
	} else if (message->nlmsg_type == NLMSG_ERROR) {
		const struct nlmsgerr *e = mnl_nlmsg_get_payload(message);

		if (!answer)
			return;
		a->done = true;
		a->err =
			mnl_nlmsg_get_payload_len(message) < sizeof(e->error) ? -EBADMSG : e->error;
	} else if (!a->generic) {
		if (netlink_parse_link(message, &link)) {
			link.notified = !answer;
			l->link(l->ctx, &link);
		} else if (answer && netlink_parse_counts(message, &counts)) {
			l->counts(l->ctx, &counts);
			a->done |= a->one_of_counts;
		} else if (answer && netlink_parse_nsid(message, &a->nsid)) {
			a->done = true;
		}
	} else if (answer && a->take) {
		a->take(a->ctx, message);
	} else if (answer) {
		if (netlink_parse_family(message, &a->netdev))
			a->done = true;
		else if (a->family &&
			 netlink_parse_features(message, a->family, &ifindex, &features))
			l->features(l->ctx, ifindex, features);
	}
}

/*
 * Read one datagram; -EAGAIN = none is queued. Not mnl_cb_run(3): it drops the rest of a datagram
 * at NLM_F_DUMP_INTR, but the devices of an interrupted dump are still valid.
 */
static int answers_take(struct netdev_socket *s, int fd, struct answers *a)
{
	char buf[32768] __attribute__((aligned(8))); /* largest datagram of a dump */
	ssize_t n = netlink_socket_receive(fd, buf, sizeof(buf));
	const struct nlmsghdr *message;
	size_t offset = 0;

	if (n == -ENOBUFS || n == -ENOSPC) {
		if (s && fd == s->route)
			s->missed = true;
		return 0;
	}
	if (n < 0)
		return (int)n;
	while ((message = netlink_next(buf, (size_t)n, &offset)))
		take_message(message, a);
	return 0;
}

/* Send a request and handle all messages, including notifications, until it is answered. */
static int request_send(struct netdev_socket *s, int fd, const struct nlmsghdr *request,
			uint64_t deadline_ns, struct answers *a)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int err;

	a->seq = request->nlmsg_seq;
	if (send(fd, request, request->nlmsg_len, 0) < 0)
		return -errno;
	while (!a->done) {
		uint64_t now = clock_ns();

		if (now >= deadline_ns)
			return -ETIMEDOUT;
		err = answers_take(s, fd, a);
		if (err == -EAGAIN)
			poll(&p, 1, (int)((deadline_ns - now) / NSEC_PER_MSEC) + 1);
		else if (err && err != -EINTR)
			return err;
	}
	return a->err;
}

uint16_t netdev_socket_family(uint64_t deadline_ns)
{
	char request[NETLINK_REQUEST_LEN] __attribute__((aligned(8)));
	struct answers a = { .generic = true };
	int fd = netlink_socket_open(NETLINK_GENERIC, 0), err;

	if (fd < 0)
		return 0;
	err = request_send(NULL, fd, netlink_put_family_get(request, 1), deadline_ns, &a);
	close(fd);
	return err ? 0 : a.netdev;
}

int netdev_socket_drain(struct netdev_socket *s, const struct netdev_listener *l)
{
	struct answers a = { .listener = l };
	int err = 0;

	for (int n = 0; n < NETDEV_SOCKET_DRAIN && (!err || err == -EINTR); n++)
		err = answers_take(s, s->route, &a);
	return err == -EAGAIN || err == -EINTR ? 0 : err;
}

int netdev_socket_dump(struct netdev_socket *s, uint16_t family, uint64_t deadline_ns,
		       const struct netdev_listener *l)
{
	char request[NETLINK_REQUEST_LEN] __attribute__((aligned(8)));
	struct answers a = { .listener = l },
		       f = { .listener = l, .generic = true, .family = family };
	int err;

	s->missed = false;
	err = request_send(s, s->route, netlink_put_link_dump(request, ++s->seq), deadline_ns, &a);
	if (err || a.interrupted)
		s->missed = true;
	/* do not repeat the dump because of missing features */
	if (!err && family && s->generic >= 0)
		request_send(s, s->generic, netlink_put_features_dump(request, ++s->seq, family),
			     deadline_ns, &f);
	if (!err && a.interrupted)
		err = -EINTR;
	return err;
}

int netdev_socket_nsid(struct netdev_socket *s, int nsfd, uint64_t deadline_ns,
		       const struct netdev_listener *l, int32_t *nsid)
{
	char request[NETLINK_REQUEST_LEN] __attribute__((aligned(8)));
	struct answers a = { .listener = l, .nsid = -1 };
	int err;

	err = request_send(s, s->route, netlink_put_nsid_get(request, ++s->seq, nsfd), deadline_ns,
			   &a);
	*nsid = a.nsid;
	return err;
}

int netdev_socket_counts(struct netdev_socket *s, uint32_t ifindex, uint64_t deadline_ns,
			 const struct netdev_listener *l)
{
	char request[NETLINK_REQUEST_LEN] __attribute__((aligned(8)));
	struct answers a = { .listener = l, .one_of_counts = ifindex };

	return request_send(s, s->route, netlink_put_stats_get(request, ++s->seq, ifindex),
			    deadline_ns, &a);
}

int netdev_socket_generic(struct netdev_socket *s, struct nlmsghdr *request, uint64_t deadline_ns,
			  void (*fn)(void *ctx, const struct nlmsghdr *message), void *ctx)
{
	struct answers a = { .generic = true, .take = fn, .ctx = ctx };
	int err;

	if (s->generic < 0)
		return -EOPNOTSUPP;
	request->nlmsg_seq = ++s->seq;
	err = request_send(s, s->generic, request, deadline_ns, &a);
	return err ?: a.interrupted ? -EINTR : 0;
}

/* Who gets the page pools of an answer. */
struct pool_listener {
	uint16_t family;
	void (*fn)(void *ctx, const struct page_pool_message *m);
	void *ctx;
};

static void take_pool(void *ctx, const struct nlmsghdr *message)
{
	const struct pool_listener *l = ctx;
	struct page_pool_message pool;

	if (netlink_parse_page_pool(message, l->family, &pool))
		l->fn(l->ctx, &pool);
}

int netdev_socket_page_pools(struct netdev_socket *s, uint16_t family, uint64_t deadline_ns,
			     void (*fn)(void *ctx, const struct page_pool_message *m), void *ctx)
{
	char request[NETLINK_REQUEST_LEN] __attribute__((aligned(8)));
	struct pool_listener l = { family, fn, ctx };

	return netdev_socket_generic(s, netlink_put_page_pools_dump(request, 0, family),
				     deadline_ns, take_pool, &l);
}

int netdev_socket_ethtool(const struct netdev_socket *s, uint32_t ifindex, void *command)
{
	int fd = s->route;
	struct ifreq now = { .ifr_ifindex = (int)ifindex }, of, then;

	if (ioctl(fd, SIOCGIFNAME, &now))
		return -errno;
	of = now;
	of.ifr_data = command;
	if (ioctl(fd, SIOCETHTOOL, &of))
		return -errno;
	/* meanwhile another device may have got the name */
	then = (struct ifreq){ .ifr_ifindex = (int)ifindex };
	if (ioctl(fd, SIOCGIFNAME, &then) || strcmp(now.ifr_name, then.ifr_name))
		return -EAGAIN;
	return 0;
}

int netdev_socket_driver(const struct netdev_socket *s, uint32_t ifindex, char *name, size_t size)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	int err = netdev_socket_ethtool(s, ifindex, &info);

	if (!err)
		sanitize(name, size, info.driver, sizeof(info.driver));
	return err;
}
