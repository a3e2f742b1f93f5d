/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The container and the Kubernetes pod of a process, by their ids, as its cgroup is named. */
#ifndef XDPTOP_CONTAINER_REF_H
#define XDPTOP_CONTAINER_REF_H

#include <stddef.h>

#define CONTAINER_ID_LEN 64 /* hex digits */
#define POD_UID_LEN      36 /* as a UUID is written; that of a static pod is 32 hex digits */

struct container_ref {
	char id[CONTAINER_ID_LEN + 1]; /* "" = none */
	char pod_uid[POD_UID_LEN + 1]; /* with dashes; "" = none */
};

/*
 * Parse cgroup paths, in any number of lines, that end early at NUL. Containers are in each other:
 * of several ids the last one counts, of the innermost.
 */
void container_ref_parse(struct container_ref *to, const char *cgroup, size_t len);

#endif
