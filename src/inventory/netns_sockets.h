/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netlink sockets in network namespaces: in the own one and, where the kernel has no walk over all
 * of them (inventory/netdev_iter.h), in all others.
 *
 * A socket in another namespace keeps it alive, with all its devices. It is closed as soon as no
 * process and no file holds the namespace (inventory/netns_scan.h): the caller waits on the epoll
 * set and calls netns_sockets_ready() at once.
 */
#ifndef XDPTOP_NETNS_SOCKETS_H
#define XDPTOP_NETNS_SOCKETS_H

#include <pthread.h>
#include "inventory/netdev_table.h"
#include "model/netns_owner.h"

/* Written by one thread, read by another. The lock is never held while waiting. */
struct netdev_store {
	pthread_mutex_t lock;
	struct netdev_table table;
};

struct netns_sockets;

/*
 * Open sockets in the own namespace; if `all`, also in all others that can be found, and for XDP
 * features. Enters those with setns(), so call it before any thread is started; processes found on
 * the way are added to `owners`. Descriptors are added to the epoll set with data below 2^63. 0 or
 * -errno; -ENOTRECOVERABLE = the process is in another namespace, cannot return, and must end.
 */
int netns_sockets_open(struct netns_sockets **s, struct netdev_store *store, bool all, int epoll,
		       struct netns_owners *owners);
/* Takes NULL. */
void netns_sockets_close(struct netns_sockets *s);
/* A descriptor is ready; data is that of its epoll event. */
void netns_sockets_ready(struct netns_sockets *s, uint64_t data);
/* Dump what is due and resolve peers, for about limit_ns. */
void netns_sockets_refresh(struct netns_sockets *s, uint64_t limit_ns);
/*
 * Ask for the kernel's counters of the devices that matter and, once, their drivers, for about
 * limit_ns. Not with CAP_SYS_MODULE: for a name that is gone the kernel loads a module then
 * (dev_load() in net/core/dev_ioctl.c).
 */
void netns_sockets_count(struct netns_sockets *s, uint64_t limit_ns);
/* The same for what their drivers count and how they are set, where that is due. */
void netns_sockets_ask(struct netns_sockets *s, uint64_t limit_ns);
/* Whether a namespace has open sockets; with the store's lock. */
bool netns_sockets_has(const struct netns_sockets *s, uint32_t netns);
/* Close the sockets in all but the own namespace. */
void netns_sockets_leave(struct netns_sockets *s);
/* How many namespaces were found but have no sockets. */
size_t netns_sockets_unreadable(const struct netns_sockets *s);

#endif
