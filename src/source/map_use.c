// SPDX-License-Identifier: GPL-2.0-or-later
/* Which programs redirect through which maps, derived from the rows of both. */
#include "base/array.h"
#include "source/maps.h"
#include "source/programs.h"

/* Whether the row names all users. */
static bool is_closed(const struct map_entry *map)
{
	return map->users_known && map->users_total <= MAP_USERS;
}

/* Whether the row names all maps. An attached program has a row that names most of its maps. */
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
