// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/series_names.h"

#include <string.h>

/*
 * The device or target of a series: the captured name, and the generation of the device it names.
 */
struct end {
	uint32_t netns, ifindex;
	char *name;
	uint64_t *generation;
};

/*
 * If the name differs, either the ifindex was reused or the device was renamed. It counts as reused
 * if the device appeared after the last look, because this series may be older than that.
 */
static enum slot_state first_look(const struct series_table *s, const struct netdev_entry *e,
				  struct end *end)
{
	const char *name = e->link.device.name;

	if (e->link.device.gone)
		return SLOT_LIVE;
	if (end->name[0] && strcmp(end->name, name) && s->generations_seen &&
	    e->generation > s->generations_seen)
		return SLOT_GONE;
	memcpy(end->name, name, SNAPSHOT_NAME_LEN);
	*end->generation = e->generation;
	return SLOT_LIVE;
}

static enum slot_state netdev_follow(const struct series_table *s, const struct netdev_table *t,
				     bool first, struct end *end)
{
	const struct netdev_entry *e;
	const struct netdev *d;

	/* a target is a device only if its namespace is known */
	if (!end->netns || !end->ifindex)
		return SLOT_LIVE;
	e = netdev_table_find(t, end->netns, end->ifindex);
	if (!e)
		return SLOT_LIVE;
	d = &e->link.device;
	if (!*end->generation && first)
		return first_look(s, e, end);
	/* was not in the table at the first look: the same name means the same device */
	if (!*end->generation) {
		if (!d->gone && !strcmp(d->name, end->name))
			*end->generation = e->generation;
		return SLOT_LIVE;
	}
	if (e->generation != *end->generation)
		return d->gone ? SLOT_GONE : SLOT_IFINDEX_REUSED;
	if (d->gone)
		return SLOT_GONE;
	memcpy(end->name, d->name, SNAPSHOT_NAME_LEN);
	return SLOT_LIVE;
}

void series_names_update(struct series_table *s, const struct netdev_table *t, bool fresh)
{
	_Static_assert(SNAPSHOT_NAME_LEN == NETDEV_NAME_LEN, "names are copied whole");
	bool changed = s->names_seen != t->version;

	for (size_t i = 0; i < s->n; i++) {
		struct slot *slot = &s->slot[i];
		struct series *series = &slot->series;
		struct end from = { series->key.netns, series->key.ifindex, series->ifname,
				    &slot->generation };
		struct end to = { series->key.to_netns, series->key.target, series->to_ifname,
				  &slot->to_generation };
		enum slot_state state;

		if (series->overflow || (slot->looked_up ? !changed : !fresh))
			continue;
		state = netdev_follow(s, t, !slot->looked_up, &from);
		if (slot->state < state)
			slot->state = state;
		state = netdev_follow(s, t, !slot->looked_up, &to);
		if (slot->state < state)
			slot->state = state;
		slot->looked_up = true;
	}
	s->names_seen = t->version;
	if (fresh)
		s->generations_seen = t->last_generation;
}
