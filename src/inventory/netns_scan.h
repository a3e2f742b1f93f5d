/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network namespaces of this machine: xdptop's own, namespaces bound to files (ip netns,
 * docker), and namespaces of processes. Found once at start, before the drop of privileges.
 *
 * An open file or socket keeps a namespace and all its devices alive: a NIC that was moved into it
 * does not return to the initial namespace. So each namespace knows who else holds it, and its
 * descriptors are closed when the last holder is gone.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "model/netns_owner.h"

#define NETNS_SCAN_MAX        1024
#define NETNS_SCAN_PROCESSES  2 /* oldest processes, watched as holders */
#define NETNS_SCAN_DIRECTORY  "/run/netns"
#define NETNS_SCAN_DIRECTORY2 "/run/docker/netns"

/* Ascending. */
struct netns_set {
	uint32_t *inode;
	size_t n, cap;
};

struct netns_process {
	pid_t pid;      /* 0 = none */
	uint64_t start; /* since boot, in clock ticks */
	int pidfd;      /* becomes readable when the process ends */
};

struct netns_handle {
	uint32_t inode;
	bool own;   /* the namespace of this process: needs no holder */
	int fd;     /* for setns() and RTM_GETNSID; -1 = closed */
	char *path; /* the file it is bound to; NULL = none */
	struct netns_process process[NETNS_SCAN_PROCESSES]; /* oldest first */
};

struct netns_scan {
	const struct netns_set *only; /* wanted besides the own one; NULL = all */
	struct netns_handle *ns;      /* own namespace first */
	size_t n, cap;
	size_t unreadable; /* could not be opened, or beyond the limit (fd is -1) */
};

/* Add an inode, unless the set has `max` already. */
void netns_set_add(struct netns_set *set, uint32_t inode, size_t max);
bool netns_set_has(const struct netns_set *set, uint32_t inode);
void netns_set_free(struct netns_set *set);

/*
 * Find xdptop's own namespace and the namespaces in `only` (NULL = all), and open at most `max`.
 * Processes outside its own namespace are added to `owners`. 0, or -ENOENT without /proc.
 */
int netns_scan_find(struct netns_scan *s, const struct netns_set *only, size_t max,
		    struct netns_owners *owners);
void netns_scan_free(struct netns_scan *s);
/*
 * Open the file that a namespace is bound to now, which takes no privilege. Sets *path, to be
 * freed. -1 = none is found.
 */
int netns_file_open(uint32_t inode, char **path);
/* Whether another process or a file holds it, as far as that is visible without privileges. */
bool netns_handle_held(const struct netns_handle *ns);
/* Close the pidfds of ended processes, which would stay readable. */
void netns_handle_forget_ended(struct netns_handle *ns);
void netns_handle_close(struct netns_handle *ns);
