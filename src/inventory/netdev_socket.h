/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The netlink sockets and counters of a network namespace. A socket stays in the namespace that it
 * was opened in, even without the capability to enter it.
 */
#pragma once

#include "inventory/netns_counts.h"
#include "inventory/link_message.h"

struct netdev_socket {
	int route;
	int generic; /* -1 = kernel without the netdev family */
	int counts[NETNS_FILES];
	uint32_t seq;
	bool missed; /* notifications were lost: a dump is needed */
};

struct netdev_listener {
	void (*link)(void *ctx, const struct link_message *m);
	void (*features)(void *ctx, uint32_t ifindex, uint64_t features);
	void (*counts)(void *ctx,
		       const struct netdev *d); /* has the ifindex and the kernel's counters */
	void *ctx;
};

#define NETDEV_SOCKET_DRAIN 256

/*
 * Open in the thread's network namespace. With `links`, it is notified of changes of devices.
 * Family 0 = no generic socket. 0 or -errno.
 */
int netdev_socket_open(struct netdev_socket *s, bool links, uint16_t family);
/* Take over two sockets that another process opened; counters of checksums are unknown then. */
void netdev_socket_adopt(struct netdev_socket *s, int route, int generic);
void netdev_socket_close(struct netdev_socket *s);
/* Number of the family "netdev", the same in all namespaces; 0 = none (before 6.3). */
uint16_t netdev_socket_family(uint64_t deadline_ns);
/* Read at most NETDEV_SOCKET_DRAIN queued datagrams. 0, or -errno: the socket is unusable. */
int netdev_socket_drain(struct netdev_socket *s, const struct netdev_listener *l);
/*
 * Dump all devices, then, unless family is 0, their features. 0; -EINTR = a change interrupted it,
 * so it may be incomplete; -ETIMEDOUT = past the deadline (CLOCK_MONOTONIC); else -errno.
 */
int netdev_socket_dump(struct netdev_socket *s, uint16_t family, uint64_t deadline_ns,
		       const struct netdev_listener *l);
/* The nsid that the socket's namespace has for the namespace nsfd; -1 = none. 0 or -errno. */
int netdev_socket_nsid(struct netdev_socket *s, int nsfd, uint64_t deadline_ns,
		       const struct netdev_listener *l, int32_t *nsid);
/*
 * Send a request for a dump on the generic socket; its seq becomes the socket's next. fn is called
 * for each message of the answer. 0; -EINTR = it may be incomplete; -EOPNOTSUPP = the kernel or the
 * device does not have it, or there is no such socket; -ETIMEDOUT; else -errno.
 */
int netdev_socket_generic(struct netdev_socket *s, struct nlmsghdr *request, uint64_t deadline_ns,
			  void (*fn)(void *ctx, const struct nlmsghdr *message), void *ctx);
/* Request the kernel's counters of a device, or with ifindex 0 of all. 0 or -errno. */
int netdev_socket_counts(struct netdev_socket *s, uint32_t ifindex, uint64_t deadline_ns,
			 const struct netdev_listener *l);
/*
 * Dump the page pools of the namespace (6.8+), and call fn with each. Waits for rtnl_lock. 0;
 * -EINTR = it may be incomplete; -EOPNOTSUPP = an older kernel; else -errno.
 */
int netdev_socket_page_pools(struct netdev_socket *s, uint16_t family, uint64_t deadline_ns,
			     void (*fn)(void *ctx, const struct page_pool_message *m), void *ctx);
/*
 * Run an ethtool command, which receives the answer. Waits for rtnl_lock. 0; -EAGAIN = the device
 * was renamed meanwhile; -EOPNOTSUPP = the device does not have it; else -errno.
 */
int netdev_socket_ethtool(const struct netdev_socket *s, uint32_t ifindex, void *command);
/* Read the name of its driver, as ethtool -i shows it. Returns as above. */
int netdev_socket_driver(const struct netdev_socket *s, uint32_t ifindex, char *name, size_t size);
