// SPDX-License-Identifier: GPL-2.0-or-later
#include "table/row_id.h"
#include "model/target.h"

/* splitmix64's finalizer: every bit of the input moves every bit of the output. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value + 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
	return hash ^ hash >> 31;
}

static uint64_t not_zero(uint64_t id)
{
	return id ? id : 1;
}

uint64_t row_id_tracepoint(uint32_t tracepoint)
{
	return not_zero(mix(0, tracepoint + 1));
}

uint64_t row_id_device(uint32_t netns, uint32_t ifindex)
{
	return not_zero(mix(mix(0, netns), ifindex));
}

/* The classic backend knows of some devices nothing but the name. */
static uint64_t mix_name(uint64_t hash, const char *name)
{
	while (*name)
		hash = mix(hash, (unsigned char)*name++);
	return hash;
}

uint64_t row_id_program(uint32_t prog_id)
{
	return not_zero(mix(0, prog_id));
}

uint64_t row_id_cpu(uint64_t row, uint32_t cpu)
{
	return not_zero(mix(row, cpu + 1ull));
}

/*
 * Two identities with the same hash of 64 bits would share a row; among 4,096 series the odds are
 * below one in 10^12.
 */
uint64_t row_id(const struct view *view, const struct series *s)
{
	uint64_t hash = 0;
	struct target target;

	if (view->group & GROUP_SERIES)
		return not_zero(mix(2, s->id));
	if (view->group == GROUP_TRACEPOINT)
		return row_id_tracepoint(s->tracepoint);
	/* a full table's series has no identity: one row for each tracepoint */
	if (s->overflow)
		return not_zero(mix(mix(1, s->tracepoint), 0));
	if (view->group & GROUP_LOCATION) {
		struct netdev_ref location = series_netdev(s);

		return row_id_device(location.netns, location.ifindex);
	}
	if (view->group & GROUP_TRACEPOINT)
		hash = mix(hash, s->tracepoint + 1);
	if (view->group & GROUP_DEVICE)
		hash = mix(mix(hash, s->key.netns), s->key.ifindex);
	if (view->group & GROUP_DEVICE && !s->key.ifindex)
		hash = mix_name(hash, s->ifname);
	if (view->group & GROUP_TARGET) {
		target = target_of(s);
		hash = mix(mix(hash, target.kind), target.netns);
		hash = mix(mix(hash, target.index), target.map_id);
	}
	if (view->group & GROUP_PROG)
		hash = mix(hash, s->key.prog_id);
	if (view->group & GROUP_CODE)
		hash = mix(hash, (uint32_t)s->key.code);
	return not_zero(hash);
}
