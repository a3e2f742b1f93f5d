/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which programs redirect through which maps: those that they use themselves, the maps inside of
 * maps that they use, and all of this of the programs that they may tail call.
 */
#ifndef XDPTOP_MAP_USERS_H
#define XDPTOP_MAP_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bpf/iter_records.h"

#define MAP_USERS_MAX 65536 /* pairs of a program and a map that are known at a time */

struct map_reading;

/* All zero is an empty one. */
struct map_users {
	/* By program, then by map, each once. Map 0: those of the program are not all known. */
	struct map_user *pair;
	size_t n, cap;
	bool known;           /* each program that has such a map has a pair */
	bool more;            /* some have map 0 */
	struct map_user *own; /* by program: what each uses itself */
	size_t n_own, cap_own;
	/* Of one program: its maps, and those that lead on. */
	uint32_t *map, *link;
	size_t n_maps, cap_maps, n_links, cap_links;
	uint32_t steps; /* that may still be made */
	bool no_memory;
};

void map_users_free(struct map_users *u);
/* For map_iter_users(): what a program uses itself. */
void map_users_add(void *users, const void *user);
/*
 * After all were added; not complete = some could not be read, and nothing is known. 0 or -ENOMEM.
 */
int map_users_update(struct map_users *u, bool complete, const struct map_reading *maps);
/* The first pair of a program, *n of them. */
const struct map_user *map_users_of(const struct map_users *u, uint32_t prog_id, size_t *n);

#endif
