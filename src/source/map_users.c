// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/map_users.h"

#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "inventory/map_iter.h"

void map_users_free(struct map_users *u)
{
	free(u->pair);
}

static void add(void *ctx, const void *user)
{
	struct map_users *u = ctx;
	struct map_user *to = array_append(u->pair, u->n, u->cap);

	if (to)
		*to = *(const struct map_user *)user;
	else
		u->no_memory = true;
}

static int compare(const void *a, const void *b)
{
	const struct map_user *x = a, *y = b;

	if (x->prog_id != y->prog_id)
		return x->prog_id < y->prog_id ? -1 : 1;
	return (x->map_id > y->map_id) - (x->map_id < y->map_id);
}

int map_users_read(struct map_users *u, struct map_iter *iter)
{
	size_t kept = 0;

	u->n = 0;
	u->no_memory = false;
	u->known = !map_iter_users(iter, add, u) && !u->no_memory;
	if (!u->known)
		u->n = 0;
	array_sort(u->pair, u->n, sizeof(*u->pair), compare);
	for (size_t i = 0; i < u->n; i++)
		if (!kept || compare(&u->pair[kept - 1], &u->pair[i]))
			u->pair[kept++] = u->pair[i];
	u->n = kept;
	return u->no_memory ? -ENOMEM : 0;
}

const struct map_user *map_users_of(const struct map_users *u, uint32_t prog_id, size_t *n)
{
	size_t at = array_lower_bound(u->pair, u->n, e, e->prog_id < prog_id);

	*n = array_lower_bound(u->pair, u->n, e, e->prog_id <= prog_id) - at;
	return u->pair + at;
}
