// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/pods.h"

#include "inventory/container_names.h"
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"

struct pods {
	struct container_names *names;
	struct pod *pod; /* ascending by netns, including pods without a name yet */
	size_t n;
};

#define TEXT(name, m) ROW_FIELD_CUT_TEXT(name, struct pod, m)

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	ROW_FIELD_ID("netns", struct pod, netns),
	FIELD_TEXT("netns_name", 0, netns_name),
	ROW_FIELD_GONE("used", struct pod, gone),
	TEXT("namespace", namespace),
	TEXT("pod", name),
	TEXT("container", container),
	TEXT("container_id", container_id),
	TEXT("pod_uid", uid),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("pod", fields);

static int pods_open(void *state, struct live *live, struct error *error)
{
	struct pods *p = state;

	p->names = container_names_open("");
	live->pods = p;
	return 0;
}

/* A namespace with the same owner keeps its names, since its container may be removed first. */
static void set_pod(const struct pods *p, const struct netns_owner *owner, struct pod *to)
{
	const struct container_ref *ref = &owner->container;
	size_t at = array_lower_bound(p->pod, p->n, e, e->netns < owner->netns);
	const struct pod *old = at < p->n ? &p->pod[at] : NULL;

	if (old && old->netns == owner->netns && !strcmp(old->container_id, ref->id) &&
	    !strcmp(old->uid, ref->pod_uid)) {
		*to = *old;
		return;
	}
	to->netns = owner->netns;
	memcpy(to->container_id, ref->id, sizeof(ref->id));
	memcpy(to->uid, ref->pod_uid, sizeof(ref->pod_uid));
}

void pods_set_owners(struct pods *p, const struct netns_owners *owners)
{
	struct pod *pod = NULL;
	size_t n = 0, cap = 0;
	bool unnamed = false;

	for (size_t i = 0; i < owners->n && n < PODS_MAX; i++) {
		const struct netns_owner *owner = &owners->owner[i];
		struct pod *to;

		if (!*owner->container.id && !*owner->container.pod_uid)
			continue;
		to = array_append(pod, n, cap);
		set_pod(p, owner, to);
		unnamed |= !*to->container;
	}
	if (unnamed)
		container_names_find(p->names, pod, n);
	free(p->pod);
	p->pod = pod;
	p->n = n;
}

static int pods_sample(void *state, struct snapshot *to)
{
	struct pods *p = state;

	for (size_t i = 0; i < p->n; i++) {
		struct pod *row;

		if (!*p->pod[i].name && !*p->pod[i].container)
			continue;
		row = snapshot_add_row(to, DATA_SOURCE_PODS, sizeof(*row));
		*row = p->pod[i];
	}
	return 0;
}

static void pods_close(void *state)
{
	struct pods *p = state;

	container_names_close(p->names);
	free(p->pod);
}

const struct data_source pods_source = {
	.name = "pods",
	.help = "pods and containers of network namespaces, from cgroups and /var/log/pods",
	ROW_TYPE(struct pod, gone, PODS_MAX),
	ROW_GONE(struct pod),
	ROW_NETNS(struct pod),
	.record = &object,
	.state_size = sizeof(struct pods),
	.open = pods_open,
	.sample = pods_sample,
	.close = pods_close,
};
