/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netlink sockets in network namespaces: in xdptop's own, and in others. If the kernel can iterate
 * over all devices (inventory/netdev_iter.h), sockets in other namespaces only answer requests for
 * counters and settings; otherwise they also report all changes of devices.
 *
 * A socket in another namespace keeps it and all its devices alive. It must be closed as soon as no
 * process and no file holds the namespace (inventory/netns_scan.h). So the caller waits on the
 * epoll set and calls netns_sockets_ready() at once.
 */
#pragma once

#include <pthread.h>
#include "inventory/netdev_table.h"
#include "inventory/netns_scan.h"

/* Written by one thread, read by another. The lock is never held while waiting. */
struct netdev_store {
	pthread_mutex_t lock;
	struct netdev_table table;
};

struct netns_sockets;

/*
 * Open sockets in xdptop's own namespace, and in the namespaces `counted` for counters and
 * settings. With NULL, open sockets for everything in all other namespaces that can be found. This
 * enters namespaces with setns(), so call it before any thread is started. Processes found on the
 * way are added to `owners`. Descriptors are added to the epoll set with data below 2^63. 0 or
 * -errno; -ENOTRECOVERABLE = the process cannot return from another namespace, and must end.
 */
int netns_sockets_open(struct netns_sockets **s, struct netdev_store *store,
		       const struct netns_set *counted, int epoll, struct netns_owners *owners);
void netns_sockets_close(struct netns_sockets *s);
/* A descriptor is ready. Data comes from its epoll event. */
void netns_sockets_ready(struct netns_sockets *s, uint64_t data);
/* Dump namespaces that are due and resolve peers, for about limit_ns. */
void netns_sockets_refresh(struct netns_sockets *s, uint64_t limit_ns);
/*
 * Read the kernel's counters of the devices that matter and, once, their drivers, for about
 * limit_ns. Not with CAP_SYS_MODULE: for an unknown name the kernel would load a module (dev_load()
 * in net/core/dev_ioctl.c).
 */
void netns_sockets_count(struct netns_sockets *s, uint64_t limit_ns);
/* The same for drivers' counters, settings, receive queues and page pools that are due. */
void netns_sockets_ask(struct netns_sockets *s, uint64_t limit_ns);
/*
 * Have the opener (inventory/netns_opener.h) open sockets in a namespace that appeared later,
 * through its file or, if it has none, through the process `pid`. The sockets are closed when that
 * file or process is gone. 0 or -errno as netns_opener_ask(); -EMFILE = there are too many.
 */
int netns_sockets_enter(struct netns_sockets *s, int opener, uint32_t netns, pid_t pid);
/* Whether a namespace has open sockets. Call it with the store's lock. */
bool netns_sockets_has(const struct netns_sockets *s, uint32_t netns);
/* 0, or -errno if the kernel does not list page pools; -EOPNOTSUPP = it has no such request. */
int netns_sockets_pools_error(const struct netns_sockets *s);
/*
 * Whether a namespace has open sockets that report changes of devices. Call it with the store's
 * lock.
 */
bool netns_sockets_has_links(const struct netns_sockets *s, uint32_t netns);
/* Close the sockets in all namespaces but xdptop's own. */
void netns_sockets_leave(struct netns_sockets *s);
/* How many of the namespaces found have no sockets. */
size_t netns_sockets_unreadable(const struct netns_sockets *s);
