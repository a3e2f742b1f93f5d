/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of all network namespaces. Devices of xdptop's own namespace come over netlink, the
 * others from a BPF iterator (inventory/netdev_iter.h) or, before 5.17, also over netlink
 * (inventory/netns_sockets.h). The iterator has the XDP features of all devices. Counters and
 * settings come over sockets that were opened at start in the namespaces that matter.
 *
 * A thread uses netlink, because RTM_GETLINK waits for rtnl_lock. Others, such as drivers while a
 * program is attached, may hold it for seconds, and sampling must not wait.
 */
#pragma once

#include "inventory/netdev_table.h"
#include "inventory/netns_scan.h"

struct netdev_monitor;
struct bpf_iters;

/*
 * Find the namespaces and read their devices. Snapshots include the devices named `ifname`.
 * Counters are read in the namespaces of these devices and of devices with XDP, then, while there
 * is room, in those of the n `others` and of all their peers. May enter namespaces with setns(), so
 * call this before any thread is started and before privileges are dropped. Processes found on the
 * way are added to `owners`. The iterators may be NULL and must outlive the monitor. 0 or -errno;
 * -ENOTRECOVERABLE = the process cannot return from another namespace, and must end.
 */
int netdev_monitor_open(struct netdev_monitor **d, struct bpf_iters *iterators, const char *ifname,
			const struct netdev_ref *others, size_t n, struct netns_owners *owners);
/*
 * Start the thread, after the drop of privileges: each thread has its own capabilities. 0 or
 * -errno.
 */
int netdev_monitor_start(struct netdev_monitor *d);
/*
 * Walk, and have the thread read what may have changed. Wait at most wait_ms for the thread. Always
 * call this from the same thread.
 */
void netdev_monitor_refresh(struct netdev_monitor *d, unsigned int wait_ms);
/*
 * Between two refreshes: walk if it is due or, without walks, have the thread dump devices that are
 * due. Notifications arrive by themselves. Call it from the thread that calls refresh.
 */
void netdev_monitor_look(struct netdev_monitor *d);
/* Walk earlier if the last walk was before mono_ns, because an event may name a newer device. */
void netdev_monitor_news(struct netdev_monitor *d, uint64_t mono_ns);
/* The table has everything that existed at this time (CLOCK_MONOTONIC). */
uint64_t netdev_monitor_known_ns(const struct netdev_monitor *d);
/* Lock the table until netdev_monitor_release(). */
struct netdev_table *netdev_monitor_hold(struct netdev_monitor *d);
void netdev_monitor_release(struct netdev_monitor *d);
enum netdev_coverage netdev_monitor_coverage(const struct netdev_monitor *d);
/* See netns_sockets_pools_error(). */
int netdev_monitor_pools_error(const struct netdev_monitor *d);
/* -errno of the walk that failed at start, so that netlink is used instead; 0 = it did not fail. */
int netdev_monitor_walk_error(const struct netdev_monitor *d);
/* How many namespaces could not be entered, or were left. Their devices are unknown. */
size_t netdev_monitor_unreadable(struct netdev_monitor *d);
/* Before the start: the socket of inventory/netns_opener.h, which it closes. */
void netdev_monitor_set_opener(struct netdev_monitor *d, int opener);
/* Whether the opener's process serves the monitor. */
bool netdev_monitor_has_opener(struct netdev_monitor *d);
/*
 * Add the namespaces with XDP in which it has no socket to a set of at most NETNS_COUNTED_MAX;
 * without walks or opener none.
 */
void netdev_monitor_uncounted(struct netdev_monitor *d, struct netns_set *to);
/* Have the opener enter one of these: netns_sockets_enter(). False = ask again later. */
bool netdev_monitor_enter(struct netdev_monitor *d, uint32_t netns, pid_t pid);
/*
 * Close everything that keeps other namespaces alive, before the process is stopped (SIGTSTP). Only
 * netdev_monitor_enter() brings them back.
 */
void netdev_monitor_leave(struct netdev_monitor *d);
void netdev_monitor_close(struct netdev_monitor *d);
