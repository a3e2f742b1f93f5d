/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of network namespaces, by inode. */
#pragma once

#include <stdbool.h>
#include "model/netns_owner.h"

/* All names are printable. */
struct netns_names;

struct netns_names *netns_names_new(void);
void netns_names_free(struct netns_names *n);
/*
 * "init", the file below /run/netns (with its directory if it is called init), the owner
 * ("nginx/812", in a container "nginx/812@4f3c2a1b9d8e"), or NULL when unknown. Scans the directory
 * at most once a second for an inode without a name, every 10 s otherwise. The pointer is valid
 * until the second scan from now: keep it for one frame at most.
 */
const char *netns_names_get(struct netns_names *n, uint32_t inode);
/* The reverse; also takes "ns:4026531840". 0 = no namespace has that name. */
uint32_t netns_names_find(struct netns_names *n, const char *name);
/* The pid of the owner that gives the name; 0 = named otherwise, or unknown. */
int netns_names_pid(struct netns_names *n, uint32_t inode);
/*
 * Live: name the namespaces without a file after their owners. `now`: the list is complete, and the
 * caller updates it when processes start or end.
 */
void netns_names_set_owners(struct netns_names *n, const struct netns_owners *owners, bool now);
/* Live: the inode of the initial namespace, which a container cannot read from /proc/1. */
void netns_names_set_init(struct netns_names *n, uint32_t inode);
/* Whether the directory of their files can be read with the effective ids: 0 or -EACCES. */
int netns_names_readable(void);
/*
 * Live: a new series or device appeared in this inode. Netns inodes are reused: drops the name if
 * its file or process is gone.
 */
void netns_names_check(struct netns_names *n, uint32_t inode);
/*
 * Recordings: set a name (NULL = unknown) and its owner's pid (0 = none). After that no name of
 * this machine is used. Ignores namespaces beyond 65536. Names beyond 8 MB are unknown.
 */
void netns_names_set(struct netns_names *n, uint32_t inode, const char *name, int pid);
/* Recordings: forget all names, as before the first snapshot. */
void netns_names_forget(struct netns_names *n);
/* Recordings: call once per snapshot. Frees names replaced before the previous call. */
void netns_names_next(struct netns_names *n);
