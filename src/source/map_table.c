// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/map_table.h"

#include <linux/bpf.h>
#include "base/array.h"
#include "base/sanitize.h"

void map_table_free(struct map_table *t)
{
	free(t->row);
	free(t->before);
	free(t->fresh);
	free(t->last);
}

COMPARE(compare_key, struct map_entry, ORDER(x->key, y->key))

/* as dev_map_index_hash() in kernel/bpf/devmap.c */
static bool was_read(const struct map_record *map, uint32_t key)
{
	uint32_t slot = map->type == BPF_MAP_TYPE_DEVMAP_HASH ? key & (map->slots - 1) : key;

	return slot >= map->from && slot < map->to;
}

static void set_entry(struct map_entry *to, const struct map_record *from)
{
	to->is_entry = 1;
	to->key = from->key;
	to->to_netns = from->netns;
	to->to_ifindex = from->ifindex;
	to->prog_id = from->prog_id;
	to->qsize = from->qsize;
	to->fill = from->fill;
	to->socket_inode = (uint32_t)from->inode;
	memset(to->to_ifname, 0, sizeof(to->to_ifname));
	memset(to->prog_name, 0, sizeof(to->prog_name));
	sanitize(to->to_ifname, sizeof(to->to_ifname), from->name, sizeof(from->name));
	sanitize(to->prog_name, sizeof(to->prog_name), from->prog_name, sizeof(from->prog_name));
}

static void set_map(struct map_entry *to, const struct map_record *from)
{
	to->map_id = from->map_id;
	to->map_type = from->type;
	to->max_entries = from->max_entries;
	to->value_size = from->value_size;
	sanitize(to->map_name, sizeof(to->map_name), from->name, sizeof(from->name));
}

/* Append a row. Beyond the limit it sets *left_out instead. */
static void entry_add(struct map_table *t, const struct map_entry *row, bool *left_out)
{
	if (t->n >= MAP_ENTRIES_MAX)
		*left_out = true;
	else
		*array_append(t->row, t->n, t->cap) = *row;
}

/* The entries of this reading, ascending by key. */
static void read_fresh(struct map_table *t, const struct map_entry *map,
		       const struct map_record *record, const struct map_record *end)
{
	t->n_fresh = 0;
	for (const struct map_record *r = record + 1; r < end; r++) {
		struct map_entry *e;

		/* its bucket was not read completely */
		if (!was_read(record, r->key))
			continue;
		e = array_append(t->fresh, t->n_fresh, t->cap_fresh);
		e->map_id = map->map_id;
		e->map_type = map->map_type;
		memcpy(e->map_name, map->map_name, sizeof(e->map_name));
		set_entry(e, r);
	}
	array_sort(t->fresh, t->n_fresh, sizeof(*t->fresh), compare_key);
}

/* Merge the earlier entries of a map that were not read again with the entries of this reading. */
static void update_map(struct map_table *t, const struct map_entry *before, size_t n_before,
		       const struct map_record *record, const struct map_record *end)
{
	struct map_entry map = { 0 };
	size_t at = t->n, i = 1, j = 0;
	bool left_out = false;

	if (n_before)
		map = *before;
	set_map(&map, record);
	read_fresh(t, &map, record, end);
	entry_add(t, &map, &left_out);
	while (i < n_before || j < t->n_fresh) {
		const struct map_entry *from;

		if (i < n_before && was_read(record, before[i].key)) {
			i++;
			continue;
		}
		if (i < n_before && (j == t->n_fresh || before[i].key < t->fresh[j].key))
			from = &before[i++];
		else
			from = &t->fresh[j++];
		entry_add(t, from, &left_out);
	}
	if (at == t->n)
		return;
	t->row[at].used = (uint32_t)(t->n - at - 1);
	if (record->to > map.slots_read && !left_out)
		t->row[at].slots_read = record->to == record->slots ? record->max_entries
					: record->to < record->max_entries
						? record->to
						: record->max_entries - 1;
}

/* Index after the rows of this map, or where they would be. */
static size_t end_of_map(const struct map_table *t, size_t at, uint32_t map_id)
{
	while (at < t->n_before && t->before[at].map_id <= map_id)
		at++;
	return at;
}

static void entries_update(struct map_table *t, const struct map_record *record, size_t n,
			   bool complete)
{
	const struct map_record *end = record + n;
	bool left_out;
	size_t at = 0;

	while (record < end) {
		const struct map_record *map = record++;
		size_t first = map->map_id ? end_of_map(t, at, map->map_id - 1) : at;

		at = end_of_map(t, first, map->map_id);
		while (record < end && record->is_entry)
			record++;
		update_map(t, t->before + first, at - first, map, record);
	}
	for (; at < t->n_before && !complete; at++)
		entry_add(t, &t->before[at], &left_out);
}

static struct map_entry *find_entry(const struct map_table *t, uint32_t map_id, uint32_t key)
{
	size_t at = array_lower_bound(t->row, t->n, e,
				      e->map_id < map_id || (e->map_id == map_id &&
							     (!e->is_entry || e->key < key)));

	return at < t->n && t->row[at].map_id == map_id && t->row[at].key == key ? &t->row[at]
										 : NULL;
}

/* Usually only queue fills differ from the last reading. False = rows must be rebuilt. */
static bool update_in_place(struct map_table *t, const struct map_record *record, size_t n)
{
	if (!n || n != t->n_last)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct map_record *last = &t->last[i];
		struct map_entry *row = NULL;

		if (!memcmp(last, &record[i], sizeof(*last)))
			continue;
		if (last->is_entry && record[i].is_entry && last->map_id == record[i].map_id &&
		    last->key == record[i].key)
			row = find_entry(t, last->map_id, last->key);
		if (!row)
			return false;
		set_entry(row, &record[i]);
		*last = record[i];
	}
	return true;
}

void map_table_update(struct map_table *t, const struct map_record *record, size_t n, bool complete)
{
	struct map_table now = *t;

	if (complete && update_in_place(t, record, n))
		return;
	now.row = t->before;
	now.cap = t->cap_before;
	now.n = 0;
	now.before = t->row;
	now.n_before = t->n;
	now.cap_before = t->cap;
	*t = now;
	t->n_last = 0;
	entries_update(t, record, n, complete);
	array_reserve(t->last, t->cap_last, n);
	if (n && complete) {
		memcpy(t->last, record, n * sizeof(*record));
		t->n_last = n;
	}
}

static void add_user(struct map_table *t, const struct map_user *user)
{
	size_t at = array_lower_bound(t->row, t->n, e, e->map_id < user->map_id);
	struct map_entry *map = &t->row[at];

	if (at == t->n || map->map_id != user->map_id)
		return;
	if (map->users_total < MAP_USERS)
		map->user[map->users_total] = user->prog_id;
	map->users_total++;
}

void map_table_set_users(struct map_table *t, const struct map_users *u,
			 const struct attached_programs *attached)
{
	for (size_t i = 0; i < t->n; i++) {
		memset(t->row[i].user, 0, sizeof(t->row[i].user));
		t->row[i].users_total = 0;
		t->row[i].users_known = u->known && !u->more && !t->row[i].is_entry;
	}
	/* first the programs that receive packets, because others may only be loaded */
	for (int is_first = 1; is_first >= 0; is_first--)
		for (size_t i = 0; i < u->n; i++)
			if (is_first == (u->pair[i].is_part ||
					 attached_programs_has(attached, u->pair[i].prog_id)))
				add_user(t, &u->pair[i]);
}
