/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of all network namespaces. Those of the own namespace come over netlink, the others
 * from a BPF iterator (inventory/netdev_iter.h) or, before kernel 5.17, over netlink as well
 * (inventory/netns_sockets.h). The iterator has the XDP features of all.
 *
 * Netlink is the work of a thread: RTM_GETLINK waits for rtnl_lock, which others, drivers that
 * attach a program among them, may hold for seconds, and sampling must not wait.
 */
#ifndef XDPTOP_NETDEV_MONITOR_H
#define XDPTOP_NETDEV_MONITOR_H

#include "inventory/netdev_table.h"
#include "model/netns_owner.h"

struct netdev_monitor;
struct bpf_iters;

/*
 * Find the namespaces and read their devices. May enter them with setns(), so call it before any
 * thread is started and before privileges are dropped. Processes found on the way are added to
 * `owners`. The iterators may be NULL and must outlive the monitor. 0 or -errno; -ENOTRECOVERABLE =
 * the process is in another namespace, cannot return, and must end.
 */
int netdev_monitor_open(struct netdev_monitor **d, struct bpf_iters *iterators,
			struct netns_owners *owners);
/* Start the thread, after privileges are dropped: capabilities belong to threads. 0 or -errno. */
int netdev_monitor_start(struct netdev_monitor *d);
/*
 * Walk; have the thread read what may have changed, and wait at most wait_ms for it. Always of one
 * thread.
 */
void netdev_monitor_refresh(struct netdev_monitor *d, unsigned int wait_ms);
/*
 * Between two refreshs: walk where that is due or, without walks, have the thread read devices
 * whose time has come. Notifications arrive by themselves. Of the same thread as refresh.
 */
void netdev_monitor_look(struct netdev_monitor *d);
/* Walk sooner when the last walk was before mono_ns: events tell of what it may not have. */
void netdev_monitor_news(struct netdev_monitor *d, uint64_t mono_ns);
/* What all namespaces had at that time (CLOCK_MONOTONIC) is known. */
uint64_t netdev_monitor_known_ns(const struct netdev_monitor *d);
/* The table does not change until it is released. */
struct netdev_table *netdev_monitor_hold(struct netdev_monitor *d);
void netdev_monitor_release(struct netdev_monitor *d);
/* Of which namespaces the devices are known. */
enum netdev_coverage netdev_monitor_coverage(const struct netdev_monitor *d);
/* -errno of the walk where it failed at the start and netlink took its place, else 0. */
int netdev_monitor_walk_error(const struct netdev_monitor *d);
/* How many namespaces could not be entered, or were left: their devices are unknown. */
size_t netdev_monitor_unreadable(struct netdev_monitor *d);
/*
 * Close all that keeps other namespaces alive, before the process is stopped (SIGTSTP). They cannot
 * be entered again.
 */
void netdev_monitor_leave(struct netdev_monitor *d);
/* Takes NULL. */
void netdev_monitor_close(struct netdev_monitor *d);

#endif
