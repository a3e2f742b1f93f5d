/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network namespaces of this machine that can be found: the own one, those that are files
 * (ip netns, docker), those that processes live in. Looked for once, at start, with the privileges
 * of then.
 *
 * An open file or socket keeps a namespace alive, with all its devices: a NIC that was moved into
 * it would not come back. So what else keeps it, its holders, is known for each, and whoever has
 * something open in it closes that when the last holder is gone.
 */
#ifndef XDPTOP_NETNS_SCAN_H
#define XDPTOP_NETNS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "model/netns_owner.h"

#define NETNS_SCAN_MAX        1024
#define NETNS_SCAN_PROCESSES  2 /* that are watched as holders of one: the oldest */
#define NETNS_SCAN_DIRECTORY  "/run/netns"
#define NETNS_SCAN_DIRECTORY2 "/run/docker/netns"

struct netns_process {
	pid_t pid;      /* 0 = none */
	uint64_t start; /* since boot, in clock ticks */
	int pidfd;      /* becomes readable when it ends */
};

struct netns_handle {
	uint32_t inode;
	bool own;   /* the process's own: needs no holder */
	int fd;     /* for setns() and RTM_GETNSID; -1 = closed */
	char *path; /* its file; NULL = it has none */
	struct netns_process process[NETNS_SCAN_PROCESSES]; /* the oldest first */
};

struct netns_scan {
	struct netns_handle *ns; /* the own one first */
	size_t n, cap;
	size_t left_out; /* those that could not be opened, or were too many: their fd is -1 */
};

/*
 * Find all, open at most `max`; processes in others than the own one go to `tell`. 0, or -ENOENT
 * without /proc.
 */
int netns_scan_find(struct netns_scan *s, size_t max, struct netns_owners *tell);
/* The own one alone. */
int netns_scan_find_own(struct netns_scan *s);
void netns_scan_free(struct netns_scan *s);
/* Whether something else keeps it alive, as far as can be seen without privileges. */
bool netns_handle_held(const struct netns_handle *ns);
/* Close what belongs to processes that have ended: a pidfd of one is readable for ever. */
void netns_handle_forget_ended(struct netns_handle *ns);
/* Close everything of it. */
void netns_handle_close(struct netns_handle *ns);

#endif
