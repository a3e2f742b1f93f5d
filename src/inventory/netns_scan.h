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
#ifndef XDPTOP_NAMESPACES_H
#define XDPTOP_NAMESPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "model/netns_owner.h"

#define NAMESPACES_MAX       1024
#define NAMESPACE_PROCESSES  2 /* that are watched as holders of one: the oldest */
#define NAMESPACE_DIRECTORY  "/run/netns"
#define NAMESPACE_DIRECTORY2 "/run/docker/netns"

struct namespace_process {
	pid_t pid;      /* 0 = none */
	uint64_t start; /* since boot, in clock ticks */
	int pidfd;      /* becomes readable when it ends */
};

struct namespace
{
	uint32_t inode;
	bool own;   /* the process's own: needs no holder */
	int fd;     /* for setns() and RTM_GETNSID; -1 = closed */
	char *path; /* its file; NULL = it has none */
	struct namespace_process process[NAMESPACE_PROCESSES]; /* the oldest first */
};

struct namespaces {
	struct namespace *ns; /* the own one first */
	size_t n, cap;
	size_t left_out; /* those that could not be opened, or were too many: their fd is -1 */
};

/*
 * Find all, open at most `max`; processes in others than the own one go to `tell`. 0, or -ENOENT
 * without /proc.
 */
int namespaces_find(struct namespaces *s, size_t max, struct dwellers *tell);
/* The own one alone. */
int namespaces_find_own(struct namespaces *s);
void namespaces_free(struct namespaces *s);
/* Whether something else keeps it alive, as far as can be seen without privileges. */
bool namespace_held(const struct namespace *ns);
/* Close what belongs to processes that have ended: a pidfd of one is readable for ever. */
void namespace_forget_ended(struct namespace *ns);
/* Close everything of it. */
void namespace_close(struct namespace *ns);

#endif
