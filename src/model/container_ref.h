/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ids of a process's container and Kubernetes pod, from the name of its cgroup. */
#pragma once

#include <stddef.h>

#define CONTAINER_ID_LEN 64 /* hex digits */
#define POD_UID_LEN      36 /* a UUID; a static pod's is 32 hex digits */

struct container_ref {
	char id[CONTAINER_ID_LEN + 1]; /* "" = none */
	char pod_uid[POD_UID_LEN + 1]; /* with dashes; "" = none */
};

/*
 * Parse cgroup paths, any number of lines. A NUL ends them early. Containers nest, so the last id
 * counts: the innermost.
 */
void container_ref_parse(struct container_ref *to, const char *cgroup, size_t len);
