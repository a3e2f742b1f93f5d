// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/maps.h"

#include <linux/bpf.h>
#include "base/array.h"
#include "inventory/bpf_iters.h"
#include "inventory/bpf_objects.h"
#include "inventory/map_iter.h"
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"
#include "source/map_table.h"
#include "source/programs.h"

DATA_SOURCE_ROWS(map_entries, struct map_entry, DATA_SOURCE_MAPS)

const struct map_entry *map_find(const struct snapshot *s, uint32_t map_id)
{
	return data_source_row(s, DATA_SOURCE_MAPS, &(struct map_entry){ .map_id = map_id });
}

const struct map_entry *map_entry_find(const struct snapshot *s, uint32_t map_id, uint32_t key)
{
	return data_source_row(s, DATA_SOURCE_MAPS,
			       &(struct map_entry){ .map_id = map_id, .is_entry = 1, .key = key });
}

uint32_t map_slot_socket(const struct rates *r, uint32_t map_id, uint32_t key)
{
	const struct map_entry *was = map_entry_find(r->from, map_id, key);
	const struct map_entry *now = map_entry_find(r->to, map_id, key);

	return was && now && was->socket_inode == now->socket_inode ? now->socket_inode : 0;
}

ROW_NUMBER(target_of, struct map_entry, e,
	   e->to_ifindex ? row_number(e->to_netns, e->to_ifindex) : ROW_NO_NUMBER)

const struct row_key map_entries_by_socket =
	ROW_KEY_IDS(DATA_SOURCE_MAPS, struct map_entry, socket_inode);
const struct row_key map_entries_by_target = { DATA_SOURCE_MAPS, 1, .number = target_of };
const struct row_key map_entries_by_program =
	ROW_KEY_IDS(DATA_SOURCE_MAPS, struct map_entry, prog_id);

const struct map_entry *map_entry_of_socket(const struct rates *r, uint32_t inode)
{
	return row_walk_first(r, r->to, &map_entries_by_socket, inode);
}

/* Whether the map's row names all its users (it has room for MAP_USERS). */
static bool is_closed(const struct map_entry *map)
{
	return map->users_known && map->users_total <= MAP_USERS;
}

/* Whether the program's row names all its maps (it has room for PROGRAM_MAPS). */
static bool names_all(const struct program *p)
{
	return p && p->maps_known && p->maps_total <= PROGRAM_MAPS;
}

static enum map_use use_of(const struct map_entry *map, const struct program *p, uint32_t prog_id)
{
	for (uint32_t i = 0; p && i < PROGRAM_MAPS && p->map[i]; i++)
		if (p->map[i] == map->map_id)
			return MAP_USED;
	for (int i = 0; i < MAP_USERS; i++)
		if (map->user[i] == prog_id)
			return MAP_USED;
	return names_all(p) || is_closed(map) ? MAP_NOT_USED : MAP_USE_UNKNOWN;
}

enum map_use map_use(const struct rates *r, const struct map_entry *map, uint32_t prog_id)
{
	const struct program *p = program_find(r->to, prog_id), *part;
	enum map_use use = prog_id ? use_of(map, p, prog_id) : MAP_NOT_USED;

	if (!p || !p->parts)
		return use;
	for_each_row (part, r, r->to, &parts_by_program, prog_id) {
		enum map_use by_part = use_of(map, part, part->prog_id);

		use = by_part > use ? by_part : use;
	}
	return use;
}

ROW_NUMBER(is_open, struct map_entry, e, e->is_entry || is_closed(e) ? ROW_NO_NUMBER : true)

static const struct row_key maps_by_user = ROW_KEY_IDS(DATA_SOURCE_MAPS, struct map_entry, user);
static const struct row_key open_maps = { DATA_SOURCE_MAPS, 1, .number = is_open };
static const struct row_key programs_by_map =
	ROW_KEY_IDS(DATA_SOURCE_PROGRAMS, struct program, map);

/* Ascending. */
struct map_list {
	const struct map_entry **map;
	int n;
	bool is_open; /* there may be more */
	bool lacks;   /* a map is missing, or there is no room */
};

static bool list_has(const struct map_list *l, const struct map_entry *map)
{
	return array_find(l->map, (size_t)l->n, e, *e < map, *e == map);
}

static void list_add(struct map_list *l, const struct map_entry *map)
{
	int at = l->n;

	if (map && list_has(l, map))
		return;
	if (!map || at == MAPS_OF_PROGRAM) {
		l->lacks = true;
		return;
	}
	for (; at && l->map[at - 1] > map; at--)
		l->map[at] = l->map[at - 1];
	l->map[at] = map;
	l->n++;
}

static void list_program(struct map_list *l, const struct rates *r, uint32_t prog_id)
{
	const struct program *p = program_find(r->to, prog_id);
	const struct map_entry *map;

	l->is_open |= !names_all(p);
	for (int i = 0; p && i < PROGRAM_MAPS && p->map[i]; i++)
		list_add(l, map_find(r->to, p->map[i]));
	for_each_row (map, r, r->to, &maps_by_user, prog_id)
		list_add(l, map);
}

int maps_of_program(const struct rates *r, uint32_t prog_id,
		    const struct map_entry *map[MAPS_OF_PROGRAM])
{
	const struct program *p = program_find(r->to, prog_id), *part;
	struct map_list l = { .map = map };
	const struct map_entry *other;
	struct row_walk w;

	if (!prog_id)
		return 0;
	list_program(&l, r, prog_id);
	row_walk_begin(&w, r, r->to, &parts_by_program, prog_id);
	while (p && p->parts && (part = row_walk_next(&w)))
		list_program(&l, r, part->prog_id);
	row_walk_begin(&w, r, r->to, &open_maps, true);
	while (l.is_open && (other = row_walk_next(&w)))
		if (!list_has(&l, other))
			return -1;
	return l.lacks ? -1 : l.n;
}

/* Whether a device runs it, or a program that it is a part of. */
static bool is_attached(const struct rates *r, uint32_t prog_id)
{
	const struct program *p = program_find(r->to, prog_id);

	return row_walk_first(r, r->to, &netdevs_by_program,
			      p && p->part_of ? p->part_of : prog_id);
}

bool map_is_attached(const struct rates *r, const struct map_entry *map)
{
	const struct program *p;

	for (int i = 0; i < MAP_USERS && map->user[i]; i++)
		if (is_attached(r, map->user[i]))
			return true;
	for_each_row (p, r, r->to, &programs_by_map, map->map_id)
		if (is_attached(r, p->prog_id))
			return true;
	return false;
}

#define entry_of(r) ROW_OF(struct map_entry, r)

GET_COUNT(get_key, entry_of(r)->is_entry, entry_of(r)->key)

static FIELD_SET(set_key)
{
	entry_of(r)->is_entry = 1;
	return field_set_u32(f, r, v);
}

GET_IF(get_cpu, entry_of(r)->map_type == BPF_MAP_TYPE_CPUMAP, get_key)

/* Only for the map itself, not for its entries. */
GET_IF(get_of_map, !entry_of(r)->is_entry, field_get_u32)
GET_IF(get_used, !map_is_unread(entry_of(r)), get_of_map)

#define OF_MAP(n, m) FIELD(n, COUNT, 0, get_of_map, field_set_u32, ROW_MEMBER(struct map_entry, m))
#define KNOWN(m)     KNOWN_BY(struct map_entry, m)

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	ROW_FIELD_ID("map_id", struct map_entry, map_id),
	ROW_FIELD_TEXT("map_name", struct map_entry, map_name),
	ROW_FIELD_MAP_TYPE("map_type", struct map_entry, map_type),
	FIELD("key", COUNT, 0, get_key, set_key, ROW_MEMBER(struct map_entry, key)),
	ROW_FIELD_GONE("used", struct map_entry, gone),
	ROW_FIELD_ID("to_netns", struct map_entry, to_netns),
	ROW_FIELD_ID("to_ifindex", struct map_entry, to_ifindex),
	ROW_FIELD_TEXT("to_ifname", struct map_entry, to_ifname),
	FIELD("to_cpu", COUNT, 0, get_cpu, NULL, ROW_MEMBER(struct map_entry, key)),
	ROW_FIELD_ID("prog_id", struct map_entry, prog_id),
	ROW_FIELD_TEXT("prog_name", struct map_entry, prog_name),
	ROW_FIELD_NUMBER("qsize", struct map_entry, qsize, KNOWN(qsize)),
	ROW_FIELD_NUMBER("fill", struct map_entry, fill, KNOWN(qsize)),
	ROW_FIELD_ID("socket_inode", struct map_entry, socket_inode),
	OF_MAP("max_entries", max_entries),
	FIELD("used", COUNT, 0, get_used, field_set_u32, ROW_MEMBER(struct map_entry, used)),
	OF_MAP("slots_read", slots_read),
	ROW_FIELD_IDS("users", struct map_entry, user),
	ROW_FIELD_ID("value_size", struct map_entry, value_size),
	ROW_FIELD_NUMBER("users_total", struct map_entry, users_total, KNOWN(users_known), OPTIONAL),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("map_entry", fields);

struct maps {
	struct map_table table;
	struct map_users users;
	struct attached_programs attached;
	struct live *live;
};

static void maps_close(void *state)
{
	struct maps *m = state;

	map_table_free(&m->table);
	map_users_free(&m->users);
	attached_programs_free(&m->attached);
}

static int maps_open(void *state, struct live *live, struct error *error)
{
	struct maps *m = state;

	m->live = live;
	if (!bpf_iters_has(live->iters, ITER_MAP_CONTENTS))
		return 1;
	live->map_users = &m->users;
	return 0;
}

/* Programs of entries, unless some entries were not read. */
static void add_entry_programs(struct maps *m)
{
	m->users.run_known &= m->table.n < MAP_RECORDS_MAX;
	for (size_t i = 0; i < m->table.n; i++) {
		const struct map_entry *e = &m->table.row[i];

		if (e->prog_id)
			map_users_run(&m->users, e->prog_id);
		if (!e->is_entry && e->map_type != BPF_MAP_TYPE_XSKMAP)
			m->users.run_known &= e->slots_read == e->max_entries;
	}
}

static void maps_update(struct maps *m, const struct snapshot *to)
{
	struct map_reading r;
	int err = map_iter_read(m->live->iters, &r);
	bool complete;

	/* the failure of one source does not end the others */
	if (!err)
		map_table_update(&m->table, r.record, r.n, r.complete);
	complete = !m->table.n ||
		   !map_iter_users(m->live->iters, MAPS_REDIRECT, map_users_add, &m->users);
	map_users_update(&m->users, complete, &r);
	add_entry_programs(m);
	attached_programs_read(&m->attached, to);
	map_table_set_users(&m->table, &m->users, &m->attached);
}

/* Update the names, including the names of entries read earlier. */
static void set_names(const struct maps *m, const struct snapshot *s)
{
	const struct netdev *d = NULL;

	for (size_t i = 0; i < m->table.n; i++) {
		struct map_entry *e = &m->table.row[i];

		/* neighbours often lead to the same device */
		if (e->to_ifindex &&
		    (!i || e->to_ifindex != e[-1].to_ifindex || e->to_netns != e[-1].to_netns)) {
			live_need_netdev(m->live, e->to_netns, e->to_ifindex);
			d = snapshot_find_netdev(s, e->to_netns, e->to_ifindex);
		}
		if (e->to_ifindex && d && !d->gone && strcmp(e->to_ifname, d->name))
			memcpy(e->to_ifname, d->name, sizeof(e->to_ifname));
		bpf_objects_full_name(m->live->objects, e->prog_id, e->prog_name);
	}
}

static int maps_sample(void *state, struct snapshot *to)
{
	struct maps *m = state;

	maps_update(m, to);
	set_names(m, to);
	snapshot_put_rows(to, DATA_SOURCE_MAPS, m->table.row, m->table.n, sizeof(*m->table.row));
	return 0;
}

const struct data_source maps_source = {
	.name = "maps",
	.help = "contents of devmaps, cpumaps and xskmaps, from a BPF iterator",
	ROW_TYPE(struct map_entry, gone, MAP_ENTRIES_MAX),
	ROW_GONE(struct map_entry),
	.record = &object,
	.state_size = sizeof(struct maps),
	.open = maps_open,
	.sample = maps_sample,
	.close = maps_close,
};
