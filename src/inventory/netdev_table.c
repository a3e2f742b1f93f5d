// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netdev_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "model/tracepoint.h"

void netdev_table_free(struct netdev_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->space[i].entry);
	free(t->space);
	memset(t, 0, sizeof(*t));
}

static size_t netns_place(const struct netdev_table *t, uint32_t netns)
{
	return array_lower_bound(t->space, t->n, e, e->netns < netns);
}

static size_t entry_place(const struct netdev_netns *s, uint32_t ifindex)
{
	return array_lower_bound(s->entry, s->n, e, e->link.device.ifindex < ifindex);
}

struct netdev_netns *netdev_table_netns(struct netdev_table *t, uint32_t netns)
{
	size_t at = netns_place(t, netns);
	struct netdev_netns *s;

	if (at < t->n && t->space[at].netns == netns)
		return &t->space[at];
	s = array_insert(t->space, t->n, t->cap, at);
	if (s)
		s->netns = netns;
	return s;
}

struct netdev_entry *netdev_table_find(const struct netdev_table *t, uint32_t netns,
				       uint32_t ifindex)
{
	size_t at = netns_place(t, netns);
	struct netdev_netns *s;

	if (at == t->n || t->space[at].netns != netns)
		return NULL;
	s = &t->space[at];
	at = entry_place(s, ifindex);
	return at < s->n && s->entry[at].link.device.ifindex == ifindex ? &s->entry[at] : NULL;
}

static struct netdev_entry *entry_new(struct netdev_table *t, struct netdev_netns *s, size_t at)
{
	struct netdev_entry *e = NULL;

	if (t->n_devices < NETDEV_TABLE_MAX)
		e = array_insert(s->entry, s->n, s->cap, at);
	if (!e) {
		t->left_out++;
		return NULL;
	}
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

void netdev_table_take(struct netdev_table *t, struct netdev_netns *s, const struct link_message *m)
{
	size_t at = entry_place(s, m->device.ifindex);
	struct netdev_entry *e = at < s->n ? &s->entry[at] : NULL;
	struct netdev before;

	/* the inode was given to another namespace */
	if (s->cookie && m->netns_cookie && s->cookie != m->netns_cookie)
		netdev_table_end(t, s);
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

void netdev_table_dump(struct netdev_table *t, struct netdev_netns *s)
{
	s->dump++;
}

void netdev_table_dumped(struct netdev_table *t, struct netdev_netns *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct netdev_entry *e = &s->entry[i];

		if (e->dump == s->dump || e->link.device.gone)
			continue;
		e->link.device.gone = true;
		t->version++;
	}
}

void netdev_table_end(struct netdev_table *t, struct netdev_netns *s)
{
	s->dump++;
	netdev_table_dumped(t, s);
}

void netdev_table_leave(struct netdev_table *t, struct netdev_netns *s)
{
	t->n_devices -= s->n;
	t->version += s->n;
	s->n = 0;
}

void netdev_table_features(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			   uint64_t features)
{
	struct netdev_entry *e = netdev_table_find(t, netns, ifindex);

	if (!e)
		return;
	e->link.device.has_features = true;
	e->link.device.features = features;
}

static bool is_attached(const struct netdev *d)
{
	return d->mode != NETDEV_NONE && !d->gone;
}

size_t netdev_table_unresolved(struct netdev_table *t, struct link_message *of, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < t->n; i++) {
		for (size_t j = 0; j < t->space[i].n && found < n; j++) {
			struct netdev_entry *e = &t->space[i].entry[j];
			const struct netdev *d = &e->link.device;

			if (!e->link.peer_elsewhere || !d->peer_ifindex || d->peer_netns ||
			    d->gone || e->tried == t->lives)
				continue;
			e->tried = t->lives;
			of[found++] = e->link;
		}
	}
	return found;
}

bool netdev_table_matches(const struct netdev_table *t, const struct link_message *of,
			  uint32_t netns)
{
	const struct netdev_entry *e = netdev_table_find(t, netns, of->device.peer_ifindex);

	return e && !e->link.device.gone && e->link.peer_elsewhere &&
	       e->link.device.peer_ifindex == of->device.ifindex &&
	       !strcmp(e->link.device.kind, of->device.kind);
}

void netdev_table_resolve(struct netdev_table *t, const struct link_message *of, uint32_t netns)
{
	struct netdev_entry *e = netdev_table_find(t, of->device.netns, of->device.ifindex);

	if (e && e->link.device.peer_ifindex == of->device.peer_ifindex)
		e->link.device.peer_netns = netns;
}

/* A device that a series names, and its peer, go into the snapshot. */
static void want(struct netdev_table *t, uint32_t netns, uint32_t ifindex)
{
	struct netdev_entry *e = netdev_table_find(t, netns, ifindex);

	if (!e)
		return;
	e->wanted = t->fills;
	if (!e->link.device.peer_netns)
		return;
	e = netdev_table_find(t, e->link.device.peer_netns, e->link.device.peer_ifindex);
	if (e && !e->link.device.gone)
		e->wanted = t->fills;
}

/* Once shown, a device is shown until it is gone; whoever records what changes relies on it. */
static bool is_shown(const struct netdev_table *t, const struct netdev_entry *e)
{
	return e->wanted == t->fills || (e->shown && !e->farewell);
}

static int space_fill(struct netdev_table *t, struct netdev_netns *s, struct snapshot *to)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct netdev_entry *e = &s->entry[i];
		struct netdev *d;

		if (is_shown(t, e)) {
			d = snapshot_add_netdev(to);
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

int netdev_table_fill(struct netdev_table *t, struct snapshot *to)
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
