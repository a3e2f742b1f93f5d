/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that a network namespace is named after: the oldest process in a container, else a
 * pod's pause, else the oldest process. A process that entered a pod from the host (nsenter) is not
 * the pod.
 */
#pragma once

#include <stdint.h>
#include <stddef.h>

#define CONTAINER_ID_LEN 64 /* hex digits */
#define POD_UID_LEN      36 /* a UUID; a static pod's is 32 hex digits */

/* The ids of a process's container and Kubernetes pod, from the name of its cgroup. */
struct container_ref {
	char id[CONTAINER_ID_LEN + 1]; /* "" = none */
	char pod_uid[POD_UID_LEN + 1]; /* with dashes; "" = none */
};

#define NETNS_OWNER_COMM_LEN 65 /* TASK_COMM_LEN bytes, each at most \xNN, and the NUL */

struct netns_owner {
	uint32_t netns; /* inode */
	int pid;
	uint64_t start;                  /* its start time, in any unit that all owners share */
	char comm[NETNS_OWNER_COMM_LEN]; /* printable */
	struct container_ref container;
};

struct netns_owners {
	struct netns_owner *owner; /* one per namespace, ascending by netns */
	size_t n, cap;
};

/* Set comm and container from raw bytes, which end early at NUL. */
void netns_owner_set(struct netns_owner *owner, const char *comm, size_t comm_len,
		     const char *cgroup, size_t cgroup_len);
/* Keep the process if it is the better owner of its namespace. */
void netns_owners_add(struct netns_owners *owners, const struct netns_owner *process);
void netns_owners_free(struct netns_owners *owners);

/*
 * Parse cgroup paths, any number of lines. A NUL ends them early. Containers nest, so the last id
 * counts: the innermost.
 */
void container_ref_parse(struct container_ref *to, const char *cgroup, size_t len);
