// SPDX-License-Identifier: GPL-2.0-or-later
/* Which programs redirect through a map: directly, through a map of maps, or by a tail call. */
#include <stdio.h>
#include "inventory/map_iter.h"
#include "source/map_users.h"
#include "unit/test.h"

enum { OUTER = 90, CALLS, MORE_CALLS };

#define USES(prog, map)                      \
	map_users_add(u, &(struct map_user){ \
				 .prog_id = prog, .map_id = map, .is_link = (map) >= OUTER })
#define INNER(map, id)                        \
	{                                     \
		.map_id = map, .inner_id = id \
	}
#define CALL(map, id)                        \
	{                                    \
		.map_id = map, .prog_id = id \
	}

/* "1: 5 6, 2: 6" */
static const char *text(const struct map_users *u)
{
	static char buf[256];
	size_t len = 0;

	buf[0] = 0;
	for (size_t i = 0; i < u->n; i++) {
		if (!i || u->pair[i - 1].prog_id != u->pair[i].prog_id)
			len += snprintf(buf + len, sizeof(buf) - len, "%s%u:", i ? ", " : "",
					u->pair[i].prog_id);
		len += snprintf(buf + len, sizeof(buf) - len, " %u", u->pair[i].map_id);
	}
	return buf;
}

static void add_all(struct map_users *u)
{
	USES(2, CALLS);
	USES(1, 6);
	USES(1, 5);
	USES(1, 5);
	USES(2, OUTER);
	USES(3, MORE_CALLS);
	USES(3, 5);
	USES(4, CALLS);
	USES(4, 9);
}

TEST(test_reached)
{
	/* 3 and 4 tail call each other */
	static const struct map_link link[] = {
		INNER(OUTER, 7), INNER(OUTER, 8),     CALL(CALLS, 3),
		CALL(CALLS, 77), CALL(MORE_CALLS, 4),
	};
	const struct map_reading maps = { .link = link,
					  .n_links = sizeof(link) / sizeof(*link),
					  .links_complete = true };
	struct map_users users = { 0 }, *u = &users;
	size_t n;

	add_all(u);
	map_users_update(u, true, &maps);
	assert_string_equal(text(u), "1: 5 6, 2: 5 7 8 9, 3: 5 9, 4: 5 9");
	assert_true(u->known);
	assert_false(u->more);
	assert_int_equal(map_users_of(u, 2, &n)->map_id, 5);
	assert_int_equal(n, 4);
	map_users_of(u, 77, &n);
	assert_int_equal(n, 0);
	/* from the start each time */
	USES(1, 6);
	map_users_update(u, true, &maps);
	assert_string_equal(text(u), "1: 6");
	map_users_free(u);
}

/* An incomplete reading is never taken as complete. */
TEST(test_not_all)
{
	static const struct map_link link[] = { { .map_id = CALLS, .more = 1 } };
	struct map_reading maps = { .link = link, .n_links = 1, .links_complete = true };
	struct map_users users = { 0 }, *u = &users;

	add_all(u);
	map_users_update(u, true, &maps);
	assert_string_equal(text(u), "1: 5 6, 2: 0, 3: 5, 4: 0 9");
	assert_true(u->known);
	assert_true(u->more);
	maps.links_complete = false;
	add_all(u);
	map_users_update(u, true, &maps);
	assert_false(u->known);
	maps.links_complete = true;
	add_all(u);
	map_users_update(u, false, &maps);
	assert_false(u->known);
	assert_int_equal(u->n, 0);
	map_users_free(u);
}

/* Many programs with an array of many programs, or with many maps: the work is bounded. */
TEST(test_bounds)
{
	static struct map_link link[MAP_LINKS_MAX];
	const struct map_reading maps = { .link = link,
					  .n_links = MAP_LINKS_MAX,
					  .links_complete = true };
	struct map_users users = { 0 }, *u = &users;

	for (uint32_t i = 0; i < MAP_LINKS_MAX; i++)
		link[i] = (struct map_link)CALL(CALLS, 1 + i);
	for (uint32_t i = 1; i <= MAP_LINKS_MAX; i++)
		USES(i, CALLS);
	map_users_update(u, true, &maps);
	assert_false(u->known);
	for (uint32_t i = 0; i < MAP_LINKS_MAX; i++)
		link[i] = (struct map_link)INNER(OUTER, 1 + i);
	for (uint32_t i = 1; i <= 10; i++)
		USES(i, OUTER);
	map_users_update(u, true, &maps);
	assert_int_equal(u->n, MAP_USERS_MAX);
	assert_false(u->known);
	map_users_free(u);
}
