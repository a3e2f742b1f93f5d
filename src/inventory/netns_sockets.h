/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The namespaces that have netlink sockets: the own one, and all others where the kernel has no
 * walk (src/inventory/netdev_iter.h).
 *
 * Sockets in another namespace keep it alive, with all its devices. They are closed as soon as
 * nothing else does (src/inventory/netns_scan.h): whoever waits on the descriptors hands what
 * became ready to device_rooms_ready() at once.
 */
#ifndef XDPTOP_DEVICE_ROOMS_H
#define XDPTOP_DEVICE_ROOMS_H

#include <pthread.h>
#include "inventory/netdev_table.h"
#include "model/netns_owner.h"

/* What one thread fills and another reads. Nothing is waited for with the lock held. */
struct device_store {
	pthread_mutex_t lock;
	struct device_table table;
};

struct device_rooms;

/*
 * Open sockets in the own namespace. When `all`, find the others, `tell` of the processes that live
 * in them, and open sockets there: enters them one by one with setns(), so before any thread is
 * started. Descriptors to wait for go to the epoll set, with data below 2^63. 0 or -errno;
 * -ENOTRECOVERABLE: the process could not go back to its own namespace and must end.
 */
int device_rooms_open(struct device_rooms **r, struct device_store *store, bool all, int epoll,
		      struct dwellers *tell);
/* Takes NULL. */
void device_rooms_close(struct device_rooms *r);
/* One of the descriptors is ready; data of its epoll event. */
void device_rooms_ready(struct device_rooms *r, uint64_t data);
/* Dump what is due, look for peers, and stop when the time is over. */
void device_rooms_refresh(struct device_rooms *r, uint64_t limit_ns);
/* Whether a namespace has sockets. */
bool device_rooms_has(const struct device_rooms *r, uint32_t netns);
/* Close the sockets in all but the own one. */
void device_rooms_leave(struct device_rooms *r);
/* Namespaces without sockets. */
size_t device_rooms_left_out(const struct device_rooms *r);

#endif
