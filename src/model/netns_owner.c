// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/netns_owner.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/sanitize.h"

#define CONTAINER_ID_LEN   64 /* as runtimes put it into cgroup paths, in hex */
#define CONTAINER_ID_SHOWN 12

void netns_owner_name(char *buf, size_t size, const char *comm, size_t comm_len, int pid,
		      const char *cgroup, size_t cgroup_len)
{
	char shown[65];
	size_t run = 0, len;

	sanitize(shown, sizeof(shown), comm, comm_len);
	len = (size_t)snprintf(buf, size, "%s/%d", shown, pid);
	for (size_t i = 0; i < cgroup_len && cgroup[i] && len < size; i++) {
		run = isxdigit((unsigned char)cgroup[i]) ? run + 1 : 0;
		if (run != CONTAINER_ID_LEN)
			continue;
		snprintf(buf + len, size - len, "@%.*s", CONTAINER_ID_SHOWN,
			 &cgroup[i + 1 - CONTAINER_ID_LEN]);
		return;
	}
}

/*
 * A pod's namespace is held by a process that does nothing else, called the same in every pod: the
 * first of its containers says more.
 */
static bool is_holder(const char *name)
{
	return !strncmp(name, "pause/", 6);
}

static bool is_better(const struct netns_owner *old, uint64_t start, const char *name)
{
	if (is_holder(old->name) != is_holder(name))
		return is_holder(old->name);
	return start < old->start;
}

void netns_owners_add(struct netns_owners *d, uint32_t netns, int pid, uint64_t start,
		      const char *name)
{
	size_t place = array_lower_bound(d->owner, d->n, e, e->netns < netns);
	struct netns_owner *at;

	if (place == d->n || d->owner[place].netns != netns) {
		at = array_insert(d->owner, d->n, d->cap, place);
		if (!at)
			return;
	} else {
		at = &d->owner[place];
		if (!is_better(at, start, name))
			return;
	}
	at->netns = netns;
	at->pid = pid;
	at->start = start;
	snprintf(at->name, sizeof(at->name), "%s", name);
}

void netns_owners_free(struct netns_owners *d)
{
	free(d->owner);
	memset(d, 0, sizeof(*d));
}
