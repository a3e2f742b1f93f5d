// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/attached.h"

#include <errno.h>
#include <stdlib.h>
#include "base/array.h"

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void attached_programs_free(struct attached_programs *a)
{
	free(a->id);
}

int attached_programs_read(struct attached_programs *a, const struct snapshot *s)
{
	const struct netdev *d = snapshot_netdevs(s);
	size_t kept = 0;

	a->n = 0;
	for (size_t i = 0; i < snapshot_n_netdevs(s); i++) {
		const uint32_t id[] = { d[i].prog_id, d[i].skb_prog_id };

		for (int k = 0; k < 2; k++) {
			uint32_t *attached;

			if (!id[k] || d[i].gone)
				continue;
			attached = array_append(a->id, a->n, a->cap);
			if (!attached)
				return -ENOMEM;
			*attached = id[k];
		}
	}
	array_sort(a->id, a->n, sizeof(*a->id), by_number);
	for (size_t i = 0; i < a->n; i++)
		if (!kept || a->id[kept - 1] != a->id[i])
			a->id[kept++] = a->id[i];
	a->n = kept;
	return 0;
}

bool attached_programs_has(const struct attached_programs *a, uint32_t prog_id)
{
	size_t at = array_lower_bound(a->id, a->n, e, *e < prog_id);

	return at < a->n && a->id[at] == prog_id;
}
