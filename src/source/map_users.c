// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/map_users.h"

#include "base/array.h"
#include "inventory/map_iter.h"

/* Takes a few ms, and is enough for 500 programs that each tail call 1000. */
#define STEPS (1u << 19)

void map_users_free(struct map_users *u)
{
	free(u->pair);
	free(u->own);
	free(u->odd);
	free(u->run);
	free(u->map);
	free(u->link);
}

void map_users_add(void *ctx, const void *user)
{
	const struct map_user *from = user;
	struct map_users *u = ctx;

	if (from->unused_id || from->emptied)
		*array_append(u->odd, u->n_odd, u->cap_odd) = *from;
	if (!from->unused_id)
		*array_append(u->own, u->n_own, u->cap_own) = *from;
}

static int user_compare(const void *a, const void *b)
{
	return compare_words(a, b, 2); /* program and map */
}

static void add_map(struct map_users *u, uint32_t map_id)
{
	*array_append(u->map, u->n_maps, u->cap_maps) = map_id;
}

/* Without duplicates, since programs may tail call each other. */
static void add_link(struct map_users *u, uint32_t map_id)
{
	for (size_t i = 0; i < u->n_links; i++)
		if (u->link[i] == map_id)
			return;
	*array_append(u->link, u->n_links, u->cap_links) = map_id;
}

static void add_maps_of(struct map_users *u, uint32_t prog_id)
{
	size_t at = array_lower_bound(u->own, u->n_own, e, e->prog_id < prog_id);

	for (; at < u->n_own && u->own[at].prog_id == prog_id; at++) {
		if (u->own[at].is_link)
			add_link(u, u->own[at].map_id);
		else
			add_map(u, u->own[at].map_id);
	}
}

/* Includes links found on the way. */
static void follow_links(struct map_users *u, const struct map_reading *maps)
{
	for (size_t i = 0; i < u->n_links; i++) {
		uint32_t map_id = u->link[i];
		size_t at = array_lower_bound(maps->link, maps->n_links, e, e->map_id < map_id);

		for (; at < maps->n_links && maps->link[at].map_id == map_id; at++) {
			if (!u->steps) {
				u->known = false;
				return;
			}
			u->steps--;
			if (maps->link[at].prog_id)
				add_maps_of(u, maps->link[at].prog_id);
			else
				add_map(u, maps->link[at].inner_id);
			u->more |= maps->link[at].more;
		}
	}
}

/* Each pair has the lowest program array that the program calls through itself. */
static void add_pairs(struct map_users *u, const struct map_user *user)
{
	const struct map_user *end = u->own + u->n_own;
	uint32_t calls = 0;

	for (const struct map_user *own = user;
	     !calls && own < end && own->prog_id == user->prog_id; own++)
		calls = own->calls;
	array_sort(u->map, u->n_maps, sizeof(*u->map), compare_u32);
	for (size_t i = 0; i < u->n_maps; i++) {
		struct map_user *to;

		if (i && u->map[i - 1] == u->map[i])
			continue;
		if (u->n == MAP_USERS_MAX) {
			u->known = false;
			return;
		}
		to = array_append(u->pair, u->n, u->cap);
		*to = *user;
		to->map_id = u->map[i];
		to->calls = calls;
	}
}

void map_users_run(struct map_users *u, uint32_t prog_id)
{
	*array_append(u->run, u->n_run, u->cap_run) = prog_id;
}

static void set_run(struct map_users *u, const struct map_reading *maps)
{
	u->run_known = maps->links_complete;
	u->n_run = 0;
	for (size_t i = 0; i < maps->n_links; i++) {
		u->run_known &= !maps->link[i].more;
		if (maps->link[i].prog_id)
			map_users_run(u, maps->link[i].prog_id);
	}
}

void map_users_update(struct map_users *u, bool complete, const struct map_reading *maps)
{
	set_run(u, maps);
	u->n = 0;
	u->more = false;
	u->steps = STEPS;
	u->known = complete && maps->links_complete;
	array_sort(u->own, u->n_own, sizeof(*u->own), user_compare);
	for (size_t i = 0; i < u->n_own && complete; i++) {
		if (i && u->own[i - 1].prog_id == u->own[i].prog_id)
			continue;
		u->n_maps = u->n_links = 0;
		add_maps_of(u, u->own[i].prog_id);
		follow_links(u, maps);
		add_pairs(u, &u->own[i]);
	}
	u->n_own = 0;
}

const struct map_user *map_users_of(const struct map_users *u, uint32_t prog_id, size_t *n)
{
	size_t at = array_lower_bound(u->pair, u->n, e, e->prog_id < prog_id);

	*n = array_lower_bound(u->pair, u->n, e, e->prog_id <= prog_id) - at;
	return u->pair + at;
}
