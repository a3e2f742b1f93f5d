/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The namespaces that have netlink sockets: the own one, and all others where the kernel has no
 * walk (src/inventory/netdev_iter.h).
 *
 * Sockets in another namespace keep it alive, with all its devices. They are closed as soon as
 * nothing else does (src/inventory/netns_scan.h): whoever waits on the descriptors hands what
 * became ready to netns_sockets_ready() at once.
 */
#ifndef XDPTOP_NETNS_SOCKETS_H
#define XDPTOP_NETNS_SOCKETS_H

#include <pthread.h>
#include "inventory/netdev_table.h"
#include "model/netns_owner.h"

/* What one thread fills and another reads. Nothing is waited for with the lock held. */
struct netdev_store {
	pthread_mutex_t lock;
	struct netdev_table table;
};

struct netns_sockets;

/*
 * Open sockets in the own namespace. When `all`, find the others, `tell` of the processes that live
 * in them, and open sockets there: enters them one by one with setns(), so before any thread is
 * started. Descriptors to wait for go to the epoll set, with data below 2^63. 0 or -errno;
 * -ENOTRECOVERABLE: the process could not go back to its own namespace and must end.
 */
int netns_sockets_open(struct netns_sockets **r, struct netdev_store *store, bool all, int epoll,
		       struct netns_owners *tell);
/* Takes NULL. */
void netns_sockets_close(struct netns_sockets *r);
/* One of the descriptors is ready; data of its epoll event. */
void netns_sockets_ready(struct netns_sockets *r, uint64_t data);
/* Dump what is due, look for peers, and stop when the time is over. */
void netns_sockets_refresh(struct netns_sockets *r, uint64_t limit_ns);
/* Whether a namespace has sockets. */
bool netns_sockets_has(const struct netns_sockets *r, uint32_t netns);
/* Close the sockets in all but the own one. */
void netns_sockets_leave(struct netns_sockets *r);
/* Namespaces without sockets. */
size_t netns_sockets_left_out(const struct netns_sockets *r);

#endif
