// SPDX-License-Identifier: GPL-2.0-or-later
#include "link.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/veth.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stop.h"

/* One netlink message: ours are small, the answer to RTM_GETLINK takes about 2 KB. */
struct message {
	union {
		struct nlmsghdr head;
		char bytes[16384];
	};
};

static void *message_put(struct message *msg, int len)
{
	void *p = msg->bytes + NLMSG_ALIGN(msg->head.nlmsg_len);

	msg->head.nlmsg_len = NLMSG_ALIGN(msg->head.nlmsg_len) + len;
	return p;
}

static void *message_start(struct message *msg, int type, int flags, int len)
{
	memset(msg, 0, 1024);
	msg->head.nlmsg_len = NLMSG_HDRLEN;
	msg->head.nlmsg_type = type;
	msg->head.nlmsg_flags = NLM_F_REQUEST | flags;
	return message_put(msg, len);
}

static struct rtattr *message_attr(struct message *msg, int type, const void *data, int len)
{
	struct rtattr *attr = message_put(msg, RTA_LENGTH(len));

	attr->rta_type = type;
	attr->rta_len = RTA_LENGTH(len);
	if (len)
		memcpy(RTA_DATA(attr), data, len);
	return attr;
}

static void message_end_nest(struct message *msg, struct rtattr *nest)
{
	nest->rta_len = msg->bytes + msg->head.nlmsg_len - (char *)nest;
}

/*
 * Send a message and receive its only answer into @msg. Returns an error that the kernel reports.
 */
static int message_exchange(struct message *msg, int nl)
{
	ssize_t len;

	if (send(nl, msg, msg->head.nlmsg_len, 0) < 0)
		return -errno;
	do {
		len = recv(nl, msg, sizeof(*msg), 0);
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return -errno;
	if (msg->head.nlmsg_type == NLMSG_ERROR)
		return ((struct nlmsgerr *)NLMSG_DATA(&msg->head))->error;
	return 0;
}

static int link_find(struct link *link)
{
	int err = netns_enter(link->ns);

	if (err)
		return err;
	link->ifindex = if_nametoindex(link->name);
	return link->ifindex ? 0 : -errno;
}

/*
 * When the carrier comes up, a kernel worker (linkwatch) replaces the noop queueing discipline,
 * which drops everything. Only then do frames arrive.
 */
static int link_wait_active(const struct link *link)
{
	unsigned int looks = 0;
	int err;

	do {
		const struct rtattr *attr;
		struct ifinfomsg *ifi;
		struct message msg;
		int len;

		ifi = message_start(&msg, RTM_GETLINK, 0, sizeof(*ifi));
		ifi->ifi_index = link->ifindex;
		err = message_exchange(&msg, link->ns->nl);
		if (err)
			return err;
		len = IFLA_PAYLOAD(&msg.head);
		for (attr = IFLA_RTA(NLMSG_DATA(&msg.head)); RTA_OK(attr, len);
		     attr = RTA_NEXT(attr, len))
			if (attr->rta_type == IFLA_QDISC && strcmp(RTA_DATA(attr), "noop"))
				return 0;
		err = stop_look_again(&looks);
	} while (!err);
	return err;
}

void link_init(struct link *link, const struct netns *ns, const char *name)
{
	link->ns = ns;
	strncpy(link->name, name, sizeof(link->name) - 1);
}

int link_add_veth(struct link *a, struct link *b, int mtu)
{
	struct rtattr *info, *data, *peer;
	struct ifinfomsg *ifi;
	struct message msg;
	int err;

	ifi = message_start(&msg, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK, sizeof(*ifi));
	ifi->ifi_index = a->ifindex;
	message_attr(&msg, IFLA_IFNAME, a->name, strlen(a->name) + 1);
	message_attr(&msg, IFLA_MTU, &mtu, sizeof(mtu));
	info = message_attr(&msg, IFLA_LINKINFO, NULL, 0);
	message_attr(&msg, IFLA_INFO_KIND, "veth", sizeof("veth"));
	data = message_attr(&msg, IFLA_INFO_DATA, NULL, 0);
	peer = message_attr(&msg, VETH_INFO_PEER, NULL, 0);
	ifi = message_put(&msg, sizeof(*ifi));
	ifi->ifi_index = b->ifindex;
	message_attr(&msg, IFLA_IFNAME, b->name, strlen(b->name) + 1);
	message_attr(&msg, IFLA_MTU, &mtu, sizeof(mtu));
	message_attr(&msg, IFLA_NET_NS_FD, &b->ns->fd, sizeof(b->ns->fd));
	message_end_nest(&msg, peer);
	message_end_nest(&msg, data);
	message_end_nest(&msg, info);
	err = message_exchange(&msg, a->ns->nl);
	if (!err)
		err = link_find(a);
	if (!err)
		err = link_find(b);
	if (!err)
		err = link_set_gro(a, false);
	if (!err)
		err = link_set_gro(b, false);
	if (!err)
		err = link_set_up(a, true);
	if (!err)
		err = link_set_up(b, true);
	if (!err)
		err = link_wait_active(a);
	if (!err)
		err = link_wait_active(b);
	return err;
}

int link_set_up(const struct link *link, bool up)
{
	struct ifinfomsg *ifi;
	struct message msg;

	ifi = message_start(&msg, RTM_NEWLINK, NLM_F_ACK, sizeof(*ifi));
	ifi->ifi_index = link->ifindex;
	ifi->ifi_change = IFF_UP;
	ifi->ifi_flags = up ? IFF_UP : 0;
	return message_exchange(&msg, link->ns->nl);
}

int link_set_mtu(const struct link *link, int mtu)
{
	struct ifinfomsg *ifi;
	struct message msg;

	ifi = message_start(&msg, RTM_NEWLINK, NLM_F_ACK, sizeof(*ifi));
	ifi->ifi_index = link->ifindex;
	message_attr(&msg, IFLA_MTU, &mtu, sizeof(mtu));
	return message_exchange(&msg, link->ns->nl);
}

int link_attach_xdp(const struct link *link, int prog_fd, uint32_t flags)
{
	struct ifinfomsg *ifi;
	struct message msg;
	struct rtattr *xdp;

	ifi = message_start(&msg, RTM_SETLINK, NLM_F_ACK, sizeof(*ifi));
	ifi->ifi_index = link->ifindex;
	xdp = message_attr(&msg, IFLA_XDP, NULL, 0);
	xdp->rta_type |= NLA_F_NESTED;
	message_attr(&msg, IFLA_XDP_FD, &prog_fd, sizeof(prog_fd));
	message_attr(&msg, IFLA_XDP_FLAGS, &flags, sizeof(flags));
	message_end_nest(&msg, xdp);
	return message_exchange(&msg, link->ns->nl);
}

static int ethtool(const struct link *link, void *request)
{
	struct ifreq ifr = { .ifr_data = request };
	int fd, err = netns_enter(link->ns);

	if (err)
		return err;
	memcpy(ifr.ifr_name, link->name, sizeof(ifr.ifr_name));
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, SIOCETHTOOL, &ifr))
		err = -errno;
	close(fd);
	return err;
}

static int set_offload(const struct link *link, uint32_t command, bool on)
{
	struct ethtool_value value = { .cmd = command, .data = on };

	return ethtool(link, &value);
}

int link_set_queues(const struct link *link, uint32_t queues)
{
	struct ethtool_channels set = { .cmd = ETHTOOL_SCHANNELS,
					.rx_count = queues,
					.tx_count = queues };

	return ethtool(link, &set);
}

int link_set_gro(const struct link *link, bool on)
{
	return set_offload(link, ETHTOOL_SGRO, on);
}

int link_set_tx_csum(const struct link *link, bool on)
{
	return set_offload(link, ETHTOOL_STXCSUM, on);
}

int link_read_counters(const struct link *link, struct link_counters *counters)
{
	const struct if_stats_msg *head;
	const struct rtattr *attr;
	struct rtnl_link_stats64 stats;
	struct if_stats_msg *ifsm;
	struct message msg;
	int err, len;

	ifsm = message_start(&msg, RTM_GETSTATS, 0, sizeof(*ifsm));
	ifsm->ifindex = link->ifindex;
	ifsm->filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64);
	err = message_exchange(&msg, link->ns->nl);
	if (err)
		return err;
	head = NLMSG_DATA(&msg.head);
	attr = (const void *)((const char *)head + NLMSG_ALIGN(sizeof(*head)));
	len = NLMSG_PAYLOAD(&msg.head, sizeof(*head));
	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		if (attr->rta_type != IFLA_STATS_LINK_64)
			continue;
		/* The kernel may have more fields than our header, or fewer. */
		memset(&stats, 0, sizeof(stats));
		memcpy(&stats, RTA_DATA(attr),
		       RTA_PAYLOAD(attr) < sizeof(stats) ? RTA_PAYLOAD(attr) : sizeof(stats));
		counters->rx_packets = stats.rx_packets;
		counters->rx_dropped = stats.rx_dropped;
		return 0;
	}
	return -ENODATA;
}

void link_close(struct link *link)
{
	if (link->socket > 0)
		close(link->socket);
	link->socket = 0;
}
