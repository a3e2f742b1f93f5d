// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
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

void netns_owners_add(struct netns_owners *owners, const struct netns_owner *process)
{
	size_t at = array_lower_bound(owners->owner, owners->n, e, e->netns < process->netns);
	if (at == owners->n || owners->owner[at].netns != process->netns)
		*array_insert(owners->owner, owners->n, owners->cap, at) = *process;
	else if ((ORDER(rank(process), rank(&owners->owner[at]))
			  ?: ORDER(owners->owner[at].start, process->start)) > 0)
		owners->owner[at] = *process;
}

void netns_owners_free(struct netns_owners *owners)
{
	free(owners->owner);
	memset(owners, 0, sizeof(*owners));
}

#define HEX        "0123456789abcdef"
#define STATIC_LEN 32 /* uid of a static pod: the hash of its manifest */

/*
 * The uid after "pod": "pod6b1c2d3e-..." from the cgroupfs driver, "...-pod6b1c2d3e_....slice" from
 * systemd's, where a dash in a name means a slash.
 */
static void parse_uid(char *to, const char *s)
{
	size_t len = strspn(s, HEX "-_");

	if ((len != POD_UID_LEN && len != STATIC_LEN) || !strchr("./\n", s[len]))
		return;
	for (size_t i = 0; i < len; i++)
		to[i] = s[i] == '_' ? '-' : s[i];
	to[len] = '\0';
}

void container_ref_parse(struct container_ref *to, const char *cgroup, size_t len)
{
	char text[4096];
	size_t used = 0;

	while (used < len && used < sizeof(text) - 1 && cgroup[used]) {
		text[used] = cgroup[used];
		used++;
	}
	text[used] = '\0';
	memset(to, 0, sizeof(*to));
	for (const char *s = text; *s;) {
		size_t digits = strspn(s, HEX);

		if (digits == CONTAINER_ID_LEN)
			memcpy(to->id, s, digits);
		if (!digits && !strncmp(s, "pod", 3) && (s == text || strchr("/-", s[-1])))
			parse_uid(to->pod_uid, s + 3);
		s += digits ? digits : 1;
	}
}
