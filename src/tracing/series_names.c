// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/series_names.h"

#include <string.h>

enum fate { FATE_NONE, FATE_GONE, FATE_ANOTHER };

/* One end of a series: the name captured, and which device's it is. */
struct end {
	uint32_t netns, ifindex;
	char *name;
	uint64_t *life;
};

/*
 * The first look. A name that differs is that of another device where that one came after the last
 * look, when this series may already have been there; otherwise it is a new name of the same.
 */
static enum fate first_look(const struct series_table *s, const struct netdev_entry *e,
			    struct end *end)
{
	const char *name = e->link.device.name;

	if (e->link.device.gone)
		return FATE_NONE;
	if (end->name[0] && strcmp(end->name, name) && s->lives_seen && e->life > s->lives_seen)
		return FATE_GONE;
	memcpy(end->name, name, SNAPSHOT_NAME_LEN);
	*end->life = e->life;
	return FATE_NONE;
}

static enum fate follow(const struct series_table *s, const struct netdev_table *t, bool first,
			struct end *end)
{
	const struct netdev_entry *e = netdev_table_find(t, end->netns, end->ifindex);
	const struct netdev *d;

	if (!e)
		return FATE_NONE;
	d = &e->link.device;
	if (!*end->life && first)
		return first_look(s, e, end);
	/* unknown at first, and known now: the same name says that it is the same */
	if (!*end->life) {
		if (!d->gone && !strcmp(d->name, end->name))
			*end->life = e->life;
		return FATE_NONE;
	}
	if (e->life != *end->life)
		return d->gone ? FATE_GONE : FATE_ANOTHER;
	if (d->gone)
		return FATE_GONE;
	memcpy(end->name, d->name, SNAPSHOT_NAME_LEN);
	return FATE_NONE;
}

void series_names_update(struct series_table *s, const struct netdev_table *t, bool fresh)
{
	_Static_assert(SNAPSHOT_NAME_LEN == NETDEV_NAME_LEN, "names are copied whole");
	bool changed = s->names_seen != t->version;

	for (size_t i = 0; i < s->n; i++) {
		struct slot *slot = &s->slot[i];
		struct end from = { slot->key.netns, slot->key.ifindex, slot->ifname, &slot->life };
		struct end to = { slot->key.to_netns, slot->key.target, slot->to_ifname,
				  &slot->to_life };
		enum fate fate = FATE_NONE, to_fate = FATE_NONE;

		if (slot->overflow || (slot->looked_up ? !changed : !fresh))
			continue;
		if (from.netns && from.ifindex)
			fate = follow(s, t, !slot->looked_up, &from);
		/* the target is a device only where its namespace is known */
		if (to.netns && to.ifindex)
			to_fate = follow(s, t, !slot->looked_up, &to);
		slot->looked_up = true;
		if (fate || to_fate)
			slot->ended = true;
		if (fate == FATE_ANOTHER || to_fate == FATE_ANOTHER)
			slot->another = true;
	}
	s->names_seen = t->version;
	if (fresh)
		s->lives_seen = t->lives;
}
