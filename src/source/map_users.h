/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which programs redirect through which maps. */
#ifndef XDPTOP_MAP_USERS_H
#define XDPTOP_MAP_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bpf/iter_records.h"

struct map_iter;

/* All zero is an empty one. */
struct map_users {
	struct map_user *pair; /* by program, then by map, each once */
	size_t n, cap;
	bool known; /* all of them */
	bool no_memory;
};

void map_users_free(struct map_users *u);
/* 0 or -ENOMEM. What cannot be read is not known. */
int map_users_read(struct map_users *u, struct map_iter *iter);
/* The first pair of a program, *n of them. */
const struct map_user *map_users_of(const struct map_users *u, uint32_t prog_id, size_t *n);

#endif
