/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which programs redirect through which maps: their own maps, the maps inside maps of maps, and
 * both for programs that they may tail call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bpf/iter_records.h"

#define MAP_USERS_MAX 65536 /* known pairs of a program and a map */

struct map_reading;

/* All zero = empty. */
struct map_users {
	/*
	 * By program, then by map, without duplicates. Map 0 = the program's maps are not all
	 * known.
	 */
	struct map_user *pair;
	size_t n, cap;
	bool known;           /* each program that uses such a map has a pair */
	bool more;            /* some pairs have map 0 */
	struct map_user *own; /* by program: the maps that it uses directly */
	size_t n_own, cap_own;
	/* Programs that a program array or map entry runs, and whether these are all known. */
	uint32_t *run;
	size_t n_run, cap_run;
	bool run_known;
	/* An unused map like one that the program uses, or its program array that was emptied. */
	struct map_user *odd;
	size_t n_odd, cap_odd;
	/* While one program is followed: its maps, and maps that lead to other maps or programs. */
	uint32_t *map, *link;
	size_t n_maps, cap_maps, n_links, cap_links;
	uint32_t steps; /* steps left */
};

void map_users_free(struct map_users *u);
/* For map_iter_users(): add a map that a program uses directly, or one of `odd`. */
void map_users_add(void *users, const void *user);
/*
 * Call it after all pairs were added. If not `complete`, some could not be read, and nothing is
 * known.
 */
void map_users_update(struct map_users *u, bool complete, const struct map_reading *maps);
/* Add a program that a map entry runs, since the last update. */
void map_users_run(struct map_users *u, uint32_t prog_id);
/* The first of the *n pairs of a program. */
const struct map_user *map_users_of(const struct map_users *u, uint32_t prog_id, size_t *n);
