/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The netlink sockets of one network namespace. A socket belongs to the namespace it was opened in
 * and goes on answering for it when no capability is left to enter that.
 */
#ifndef XDPTOP_NETDEV_SOCKET_H
#define XDPTOP_NETDEV_SOCKET_H

#include "inventory/link_message.h"

#define NETDEV_SOCKET_BUFFER 32768 /* what the kernel fills at most in a dump */

struct netdev_socket {
	struct mnl_socket *route;   /* also in the group that hears of links */
	struct mnl_socket *generic; /* NULL = this kernel does not tell features */
	uint32_t seq;
	bool missed; /* the kernel could not tell all: only a dump brings it up to date */
};

/* Who takes what a socket says. */
struct netdev_listener {
	void (*link)(void *ctx, const struct link_message *m);
	void (*features)(void *ctx, uint32_t ifindex, uint64_t features);
	void *ctx;
};

/* In the thread's network namespace; family 0 = no features. 0 or -errno. */
int netdev_socket_open(struct netdev_socket *s, uint16_t family);
void netdev_socket_close(struct netdev_socket *s);
int netdev_socket_fd(const struct netdev_socket *s);
/* The number of the netdev family, the same in every namespace; 0 = this kernel has none. */
uint16_t netdev_socket_family(void *buf, uint64_t deadline_ns);
/* Take the notifications that wait. 0, or -errno when it does not work any more. */
int netdev_socket_drain(struct netdev_socket *s, void *buf, const struct netdev_listener *l);
/*
 * Every device, then their features. 0; -EINTR = it changed meanwhile and may be incomplete;
 * -ETIMEDOUT past the deadline (CLOCK_MONOTONIC); else -errno.
 */
int netdev_socket_dump(struct netdev_socket *s, uint16_t family, void *buf, uint64_t deadline_ns,
		       const struct netdev_listener *l);
/* By which number its namespace knows that of nsfd; -1 = by none. 0 or -errno. */
int netdev_socket_nsid(struct netdev_socket *s, int nsfd, void *buf, uint64_t deadline_ns,
		       const struct netdev_listener *l, int32_t *nsid);

#endif
