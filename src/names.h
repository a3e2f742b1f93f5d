/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for numbers of the kernel: errno, action, map type, network namespace.
 */
#ifndef XDPTOP_NAMES_H
#define XDPTOP_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* "EOPNOTSUPP" for -95 or 95; NULL when libc knows no name. */
const char *errno_name(int err);
/* By name, positive; 0 when unknown. */
int errno_find(const char *name);
/* "ABORTED" ... "REDIRECT", else "UNKNOWN(n)" in buf. */
const char *act_name(int act, char *buf, size_t size);
/* The reverse; -1 when unknown. */
int act_find(const char *name);
/* "devmap", "cpumap", ... as bpftool prints them; NULL for none or unknown. */
const char *map_type_name(uint32_t map_type);
int map_type_find(const char *name);
/*
 * Network namespace by inode: "init", the name below /run/netns, or NULL when unknown. The
 * directory is read again when an inode is new (at most once a second). Printable.
 */
struct netns_names;
struct netns_names *netns_names_new(void);
void netns_names_free(struct netns_names *n);
const char *netns_names_get(struct netns_names *n, uint32_t inode);
/* In a recording: what it says. */
int netns_names_set(struct netns_names *n, uint32_t inode, const char *name);

#endif
