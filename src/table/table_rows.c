// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of a table: their ids, and how they are found. */
#include "table/table_internal.h"

#include "model/location.h"
#include "model/target.h"
#include "source/packet_kinds.h"

static uint64_t not_zero(uint64_t id)
{
	return id ? id : 1;
}

uint64_t row_id_tracepoint(uint32_t tracepoint)
{
	return not_zero(hash_add(0, tracepoint + 1));
}

uint64_t row_id_device(uint32_t netns, uint32_t ifindex)
{
	return not_zero(hash_add(hash_add(0, netns), ifindex));
}

uint64_t row_id_program(uint32_t prog_id)
{
	return not_zero(hash_add(0, prog_id));
}

uint64_t row_id_map(uint32_t map_id, bool is_entry, uint32_t key)
{
	return not_zero(hash_add(hash_add(hash_add(0, map_id), is_entry), key));
}

uint64_t row_id_socket(uint32_t inode)
{
	return not_zero(hash_add(0, inode));
}

uint64_t row_id_queue(uint32_t netns, uint32_t ifindex, uint32_t queue)
{
	return not_zero(hash_add(hash_add(hash_add(3, netns), ifindex), queue));
}

uint64_t row_id_packets(const struct packet_kind *k)
{
	uint64_t hash = 4;

	for (size_t i = 0; i < PACKET_KIND_WORDS; i++)
		hash = hash_add(hash, ((const uint32_t *)k)[i]);
	return not_zero(hash);
}

uint64_t row_id_cpu(uint64_t row, uint32_t cpu)
{
	return not_zero(hash_add(row, cpu + 1ull));
}

/*
 * Identities with equal hashes would share a row, but with 4,096 series the probability is below
 * 10^-12.
 */
uint64_t row_id(const struct view *view, const struct series *s)
{
	uint64_t hash = 0;
	struct target target;

	if (view->group & GROUP_SERIES)
		return not_zero(hash_add(2, s->id));
	if (view->group == GROUP_TRACEPOINT)
		return row_id_tracepoint(s->tracepoint);
	/* the series of a full table has no identity: one row per tracepoint */
	if (s->overflow)
		return not_zero(hash_add(hash_add(1, s->tracepoint), 0));
	if (view->group & GROUP_LOCATION) {
		struct netdev_ref location = series_netdev(s);

		return row_id_device(location.netns, location.ifindex);
	}
	if (view->group & GROUP_TRACEPOINT)
		hash = hash_add(hash, s->tracepoint + 1);
	if (view->group & GROUP_DEVICE)
		hash = hash_add(hash_add(hash, s->key.netns), s->key.ifindex);
	/* the classic backend knows some devices by name only */
	if (view->group & GROUP_DEVICE && !s->key.ifindex)
		hash = hash_add_text(hash, s->ifname);
	if (view->group & GROUP_TARGET) {
		target = target_of(s);
		hash = hash_add(hash_add(hash, target.kind), target.netns);
		hash = hash_add(hash_add(hash, target.index), target.map_id);
	}
	if (view->group & GROUP_PROG)
		hash = hash_add(hash, s->key.prog_id);
	if (view->group & GROUP_CODE)
		hash = hash_add(hash, (uint32_t)s->key.code);
	return not_zero(hash);
}

void table_take_rows(struct table *t, size_t n)
{
	struct table_scratch *scratch = t->scratch;
	struct row *row = t->row;
	size_t cap = t->cap_rows;

	t->row = scratch->row;
	t->cap_rows = scratch->cap_row;
	t->n_rows = n;
	scratch->row = row;
	scratch->cap_row = cap;
}

void table_add_items(struct table *t, size_t n)
{
	array_reserve(t->row, t->cap_rows, n + 1);
	for (size_t i = 0; i < n; i++)
		t->row[t->n_rows++] =
			(struct row){ .tracepoint = -1, .cpu = -1, .item = i, .order = i };
}

bool row_locate(const struct table *t, const struct row *row, struct location *l)
{
	const struct row_kind *rows = t->options.view->rows;

	location_init(l);
	if (rows->locate)
		rows->locate(t, row, l);
	return rows->locate;
}

long table_find(const struct table *t, uint64_t id)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (t->row[i].id == id)
			return (long)i;
	return -1;
}

const struct series *table_series(const struct table *t, const struct row *row)
{
	const struct series *youngest = NULL;

	for (size_t i = 0; i < row->n_series; i++)
		if (!youngest || row_series(t, row, i)->id > youngest->id)
			youngest = row_series(t, row, i);
	return youngest;
}
