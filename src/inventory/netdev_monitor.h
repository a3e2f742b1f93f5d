/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of every network namespace, kept up to date by a thread of their own: the kernel
 * answers a dump of links under a lock that others may hold for seconds, and sampling waits for
 * nobody. The own namespace's come over netlink, the others' from a walk
 * (src/inventory/netdev_iter.h), or over netlink, too, where the kernel has no walk
 * (src/inventory/netns_sockets.h).
 */
#ifndef XDPTOP_DEVICES_H
#define XDPTOP_DEVICES_H

#include "inventory/netdev_table.h"
#include "model/netns_owner.h"

struct devices;
struct iterators;

/*
 * Find the namespaces and read their devices. May enter them one by one with setns(): to be called
 * before any thread is started, with the privileges of the start. Processes that it meets on the
 * way go to `tell`. 0 or -errno; -ENOTRECOVERABLE: the process could not go back to its own
 * namespace and must end. The iterators (iterators.h) live as long as this; may be NULL.
 */
int devices_open(struct devices **d, struct iterators *iterators, struct dwellers *tell);
/* Start the thread; once privileges are dropped, since they belong to threads. 0 or -errno. */
int devices_start(struct devices *d);
/* Have everything read again that may have changed; wait for it, but not longer than that. */
void devices_refresh(struct devices *d, unsigned int wait_ms);
/* Whether all was read again after that moment (CLOCK_MONOTONIC); sockets tell by themselves. */
bool devices_known_since(struct devices *d, uint64_t mono_ns);
/* The table stays as it is until it is released. */
struct device_table *devices_hold(struct devices *d);
void devices_release(struct devices *d);
/* Of which namespaces the devices are known. */
enum device_facts devices_facts(const struct devices *d);
/* Namespaces of which nothing is known because they could not be entered, or were left. */
size_t devices_namespaces_left_out(struct devices *d);
/*
 * Before the process is stopped and can close nothing: close what keeps other namespaces alive.
 * They cannot be entered again.
 */
void devices_leave(struct devices *d);
/* Takes NULL. */
void devices_close(struct devices *d);

#endif
