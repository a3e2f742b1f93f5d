/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for network namespaces.
 */
#ifndef XDPTOP_NETNS_NAMES_H
#define XDPTOP_NETNS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/netns_owner.h"

/*
 * Network namespace by inode: "init", the name below /run/netns, a process that was seen to live in
 * it ("nginx/812", with a container's id "nginx/812@4f3c2a1b9d8e"), or NULL when unknown. The
 * directory is read again for one without a name (at most once a second, else every 10 s).
 * Printable.
 */
struct netns_names;
/* NULL when out of memory. */
struct netns_names *netns_names_new(void);
void netns_names_free(struct netns_names *n);
/* The name may be used until two later calls have read the directory: hold it for a frame only. */
const char *netns_names_get(struct netns_names *n, uint32_t inode);
/* The process that the namespace is named after; 0 = none, or unknown. */
int netns_names_pid(struct netns_names *n, uint32_t inode);
/*
 * This machine's: processes that live in namespaces; a name for ip netns comes first. `now`: it is
 * all of them as they are now, and this is called again when they have changed.
 */
void netns_names_set_owners(struct netns_names *n, const struct netns_owners *d, bool now);
/* This machine's: the one that the kernel itself made, where a container cannot see that. */
void netns_names_set_init(struct netns_names *n, uint32_t inode);
/*
 * Inodes are given out again: where something new shows in this one, a name whose file or process
 * has ended is another's, and is dropped.
 */
void netns_names_check(struct netns_names *n, uint32_t inode);
/*
 * In a recording: what it says (name NULL = it knows none; pid 0 = of no process), printable. From
 * then on no name of this machine is used. More than a machine can have are not kept. 0 or -ENOMEM.
 */
int netns_names_set(struct netns_names *n, uint32_t inode, const char *name, int pid);
/* In a recording, between two snapshots: frees names that were replaced before the last one. */
void netns_names_next(struct netns_names *n);

#endif
