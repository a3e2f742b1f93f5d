/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the processes that live in a network namespace it is best called after: the oldest, but
 * not one that only holds it for others.
 */
#ifndef XDPTOP_NETNS_OWNER_H
#define XDPTOP_NETNS_OWNER_H

#include <stddef.h>
#include <stdint.h>

#define NETNS_OWNER_NAME_LEN 96 /* a command's 15 bytes as \xNN, its pid, a container's id */

struct netns_owner {
	uint32_t netns;
	int pid;
	uint64_t start;
	char name[NETNS_OWNER_NAME_LEN]; /* "nginx/812@4f3c2a1b9d8e"; printable */
};

struct netns_owners {
	struct netns_owner *owner; /* one for each namespace, ascending by it */
	size_t n, cap;
};

/*
 * The name of a process: its command (raw bytes), its pid and, where a part of its cgroup's path
 * (raw bytes) is the id of a container, the first 12 digits of that, as docker ps shows it.
 */
void netns_owner_name(char *buf, size_t size, const char *comm, size_t comm_len, int pid,
		      const char *cgroup, size_t cgroup_len);
/* Take one more process. Out of memory: it is left out. */
void netns_owners_add(struct netns_owners *d, uint32_t netns, int pid, uint64_t start,
		      const char *name);
void netns_owners_free(struct netns_owners *d);

#endif
