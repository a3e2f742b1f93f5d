// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/netns_owner.h"

#include "base/array.h"
#include "base/sanitize.h"

void netns_owner_set(struct netns_owner *owner, const char *comm, size_t comm_len,
		     const char *cgroup, size_t cgroup_len)
{
	sanitize(owner->comm, sizeof(owner->comm), comm, comm_len);
	container_ref_parse(&owner->container, cgroup, cgroup_len);
}

static int rank(const struct netns_owner *owner)
{
	/* Kubernetes' pause process holds a pod's namespace; its comm is the same in every pod */
	return 2 * (*owner->container.id != '\0') + (strcmp(owner->comm, "pause") != 0);
}

static bool is_better(const struct netns_owner *old, const struct netns_owner *new)
{
	if (rank(old) != rank(new))
		return rank(new) > rank(old);
	return new->start < old->start;
}

void netns_owners_add(struct netns_owners *owners, const struct netns_owner *process)
{
	size_t at = array_lower_bound(owners->owner, owners->n, e, e->netns < process->netns);
	if (at == owners->n || owners->owner[at].netns != process->netns)
		*array_insert(owners->owner, owners->n, owners->cap, at) = *process;
	else if (is_better(&owners->owner[at], process))
		owners->owner[at] = *process;
}

void netns_owners_free(struct netns_owners *owners)
{
	free(owners->owner);
	memset(owners, 0, sizeof(*owners));
}
