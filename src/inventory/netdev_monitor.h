/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of every network namespace, kept up to date by a thread of their own: the kernel
 * answers a dump of links under a lock that others may hold for seconds, and sampling waits for
 * nobody. The own namespace's come over netlink, the others' from a walk
 * (src/inventory/netdev_iter.h), or over netlink, too, where the kernel has no walk
 * (src/inventory/netns_sockets.h).
 */
#ifndef XDPTOP_NETDEV_MONITOR_H
#define XDPTOP_NETDEV_MONITOR_H

#include "inventory/netdev_table.h"
#include "model/netns_owner.h"

struct netdev_monitor;
struct bpf_iters;

/*
 * Find the namespaces and read their devices. May enter them one by one with setns(): to be called
 * before any thread is started, with the privileges of the start. Processes that it meets on the
 * way go to `tell`. 0 or -errno; -ENOTRECOVERABLE: the process could not go back to its own
 * namespace and must end. The iterators (iterators.h) live as long as this; may be NULL.
 */
int netdev_monitor_open(struct netdev_monitor **d, struct bpf_iters *iterators,
			struct netns_owners *tell);
/* Start the thread; once privileges are dropped, since they belong to threads. 0 or -errno. */
int netdev_monitor_start(struct netdev_monitor *d);
/* Have everything read again that may have changed; wait for it, but not longer than that. */
void netdev_monitor_refresh(struct netdev_monitor *d, unsigned int wait_ms);
/* Whether all was read again after that moment (CLOCK_MONOTONIC); sockets tell by themselves. */
bool netdev_monitor_known_since(struct netdev_monitor *d, uint64_t mono_ns);
/* The table stays as it is until it is released. */
struct netdev_table *netdev_monitor_hold(struct netdev_monitor *d);
void netdev_monitor_release(struct netdev_monitor *d);
/* Of which namespaces the devices are known. */
enum netdev_coverage netdev_monitor_coverage(const struct netdev_monitor *d);
/* Namespaces of which nothing is known because they could not be entered, or were left. */
size_t netdev_monitor_namespaces_left_out(struct netdev_monitor *d);
/*
 * Before the process is stopped and can close nothing: close what keeps other namespaces alive.
 * They cannot be entered again.
 */
void netdev_monitor_leave(struct netdev_monitor *d);
/* Takes NULL. */
void netdev_monitor_close(struct netdev_monitor *d);

#endif
