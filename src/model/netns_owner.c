// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/netns_owner.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/sanitize.h"

#define CONTAINER_ID_LEN 64 /* hex digits in a cgroup path */

void netns_owner_set(struct netns_owner *owner, const char *comm, size_t comm_len,
		     const char *cgroup, size_t cgroup_len)
{
	size_t run = 0;

	sanitize(owner->comm, sizeof(owner->comm), comm, comm_len);
	owner->container[0] = '\0';
	for (size_t i = 0; i < cgroup_len && cgroup[i]; i++) {
		run = isxdigit((unsigned char)cgroup[i]) ? run + 1 : 0;
		if (run != CONTAINER_ID_LEN)
			continue;
		snprintf(owner->container, sizeof(owner->container), "%.*s",
			 (int)sizeof(owner->container) - 1, &cgroup[i + 1 - CONTAINER_ID_LEN]);
		return;
	}
}

/* Kubernetes' pause process holds a pod's namespace; its comm is the same in every pod. */
static bool is_holder(const struct netns_owner *owner)
{
	return !strcmp(owner->comm, "pause");
}

static bool is_better(const struct netns_owner *old, const struct netns_owner *new)
{
	if (is_holder(old) != is_holder(new))
		return is_holder(old);
	return new->start < old->start;
}

void netns_owners_add(struct netns_owners *owners, const struct netns_owner *process)
{
	size_t at = array_lower_bound(owners->owner, owners->n, e, e->netns < process->netns);
	struct netns_owner *owner;

	if (at == owners->n || owners->owner[at].netns != process->netns) {
		owner = array_insert(owners->owner, owners->n, owners->cap, at);
		if (owner)
			*owner = *process;
	} else if (is_better(&owners->owner[at], process)) {
		owners->owner[at] = *process;
	}
}

void netns_owners_free(struct netns_owners *owners)
{
	free(owners->owner);
	memset(owners, 0, sizeof(*owners));
}
