// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netdev_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/tracepoint.h"

void device_table_free(struct device_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->space[i].entry);
	free(t->space);
	memset(t, 0, sizeof(*t));
}

/* Room for one more at `at` in an array of n; NULL when out of memory. */
static void *insert(void **array, size_t n, size_t *cap, size_t at, size_t size)
{
	char *place;

	if (n == *cap) {
		size_t more = *cap ? *cap * 2 : 8;
		void *bigger = reallocarray(*array, more, size);

		if (!bigger)
			return NULL;
		*array = bigger;
		*cap = more;
	}
	place = (char *)*array + at * size;
	memmove(place + size, place, (n - at) * size);
	return memset(place, 0, size);
}

/* The place of a namespace, or where it belongs; the same for a device below. */
static size_t space_place(const struct device_table *t, uint32_t netns)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->space[middle].netns < netns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t entry_place(const struct device_space *s, uint32_t ifindex)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->entry[middle].link.device.ifindex < ifindex)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct device_space *device_table_space(struct device_table *t, uint32_t netns)
{
	size_t at = space_place(t, netns);
	struct device_space *s;
	void *array = t->space;

	if (at < t->n && t->space[at].netns == netns)
		return &t->space[at];
	s = insert(&array, t->n, &t->cap, at, sizeof(*s));
	if (!s)
		return NULL;
	t->space = array;
	t->n++;
	s->netns = netns;
	return s;
}

struct device_entry *device_table_find(const struct device_table *t, uint32_t netns,
				       uint32_t ifindex)
{
	size_t at = space_place(t, netns);
	struct device_space *s;

	if (at == t->n || t->space[at].netns != netns)
		return NULL;
	s = &t->space[at];
	at = entry_place(s, ifindex);
	return at < s->n && s->entry[at].link.device.ifindex == ifindex ? &s->entry[at] : NULL;
}

static struct device_entry *entry_new(struct device_table *t, struct device_space *s, size_t at)
{
	struct device_entry *e;
	void *array = s->entry;

	if (t->n_devices == DEVICE_TABLE_MAX) {
		t->left_out++;
		return NULL;
	}
	e = insert(&array, s->n, &s->cap, at, sizeof(*e));
	if (!e) {
		t->left_out++;
		return NULL;
	}
	s->entry = array;
	s->n++;
	t->n_devices++;
	e->life = ++t->lives;
	t->version++;
	return e;
}

static bool same_peer(const struct link_message *a, const struct link_message *b)
{
	return a->device.peer_ifindex == b->device.peer_ifindex &&
	       a->peer_elsewhere == b->peer_elsewhere && a->peer_nsid == b->peer_nsid;
}

void device_table_take(struct device_table *t, struct device_space *s, const struct link_message *m)
{
	size_t at = entry_place(s, m->device.ifindex);
	struct device_entry *e = at < s->n ? &s->entry[at] : NULL;
	struct device before;

	/* the inode was given to another namespace */
	if (s->cookie && m->netns_cookie && s->cookie != m->netns_cookie)
		device_table_end(t, s);
	if (m->netns_cookie)
		s->cookie = m->netns_cookie;
	if (!e || e->link.device.ifindex != m->device.ifindex) {
		if (m->device.gone)
			return; /* it came and went unseen */
		e = entry_new(t, s, at);
		if (!e)
			return;
		e->link = *m;
	} else if (m->device.gone) {
		/* what was seen last stays: its last message tells of a device half torn down */
		t->version += !e->link.device.gone;
		e->link.device.gone = true;
		return;
	}
	before = e->link.device;
	if (before.gone) {
		e->life = ++t->lives;
		e->farewell = false;
		before.has_features = false;
		before.features = 0;
	}
	if (before.gone || strcmp(before.name, m->device.name))
		t->version++;
	if (before.gone || !same_peer(&e->link, m)) {
		before.peer_netns = 0;
		e->tried = 0;
	}
	e->link = *m;
	e->link.device.netns = s->netns;
	e->link.device.has_features = before.has_features;
	e->link.device.features = before.features;
	e->link.device.peer_netns =
		m->peer_elsewhere || !m->device.peer_ifindex ? before.peer_netns : s->netns;
	e->dump = s->dump;
}

void device_table_dump(struct device_table *t, struct device_space *s)
{
	s->dump++;
}

void device_table_dumped(struct device_table *t, struct device_space *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct device_entry *e = &s->entry[i];

		if (e->dump == s->dump || e->link.device.gone)
			continue;
		e->link.device.gone = true;
		t->version++;
	}
}

void device_table_end(struct device_table *t, struct device_space *s)
{
	s->dump++;
	device_table_dumped(t, s);
}

void device_table_leave(struct device_table *t, struct device_space *s)
{
	t->n_devices -= s->n;
	t->version += s->n;
	s->n = 0;
}

void device_table_features(struct device_table *t, uint32_t netns, uint32_t ifindex,
			   uint64_t features)
{
	struct device_entry *e = device_table_find(t, netns, ifindex);

	if (!e)
		return;
	e->link.device.has_features = true;
	e->link.device.features = features;
}

static bool is_attached(const struct device *d)
{
	return d->mode != DEVICE_NONE && !d->gone;
}

size_t device_table_unresolved(struct device_table *t, struct link_message *of, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < t->n; i++) {
		for (size_t j = 0; j < t->space[i].n && found < n; j++) {
			struct device_entry *e = &t->space[i].entry[j];
			const struct device *d = &e->link.device;

			if (!e->link.peer_elsewhere || !d->peer_ifindex || d->peer_netns ||
			    d->gone || e->tried == t->lives)
				continue;
			e->tried = t->lives;
			of[found++] = e->link;
		}
	}
	return found;
}

bool device_table_matches(const struct device_table *t, const struct link_message *of,
			  uint32_t netns)
{
	const struct device_entry *e = device_table_find(t, netns, of->device.peer_ifindex);

	return e && !e->link.device.gone && e->link.peer_elsewhere &&
	       e->link.device.peer_ifindex == of->device.ifindex &&
	       !strcmp(e->link.device.kind, of->device.kind);
}

void device_table_resolve(struct device_table *t, const struct link_message *of, uint32_t netns)
{
	struct device_entry *e = device_table_find(t, of->device.netns, of->device.ifindex);

	if (e && e->link.device.peer_ifindex == of->device.peer_ifindex)
		e->link.device.peer_netns = netns;
}

/* A device that a series names, and its peer, go into the snapshot. */
static void want(struct device_table *t, uint32_t netns, uint32_t ifindex)
{
	struct device_entry *e = device_table_find(t, netns, ifindex);

	if (!e)
		return;
	e->wanted = t->fills;
	if (!e->link.device.peer_netns)
		return;
	e = device_table_find(t, e->link.device.peer_netns, e->link.device.peer_ifindex);
	if (e && !e->link.device.gone)
		e->wanted = t->fills;
}

/* Once shown, a device is shown until it is gone; whoever records what changes relies on it. */
static bool is_shown(const struct device_table *t, const struct device_entry *e)
{
	return e->wanted == t->fills || (e->shown && !e->farewell);
}

static int space_fill(struct device_table *t, struct device_space *s, struct snapshot *to)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct device_entry *e = &s->entry[i];
		struct device *d;

		if (is_shown(t, e)) {
			d = snapshot_add_device(to);
			if (!d)
				return -ENOMEM;
			*d = e->link.device;
			e->shown = true;
			e->farewell = d->gone;
		} else if (e->link.device.gone) {
			continue;
		}
		if (kept != i)
			s->entry[kept] = *e;
		kept++;
	}
	t->n_devices -= s->n - kept;
	s->n = kept;
	return 0;
}

int device_table_fill(struct device_table *t, struct snapshot *to)
{
	int err = 0;

	t->fills++;
	for (size_t i = 0; i < to->n_series; i++) {
		const struct series *series = &to->series[i];

		want(t, series->key.netns, series->key.ifindex);
		/* 0 = the target is not a device */
		if (series->key.to_netns)
			want(t, series->key.to_netns, series->key.target);
	}
	for (size_t i = 0; i < t->n; i++)
		for (size_t j = 0; j < t->space[i].n; j++)
			if (is_attached(&t->space[i].entry[j].link.device))
				want(t, t->space[i].netns,
				     t->space[i].entry[j].link.device.ifindex);
	for (size_t i = 0; i < t->n && !err; i++)
		err = space_fill(t, &t->space[i], to);
	return err;
}
