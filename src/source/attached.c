// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/attached.h"

#include "base/array.h"

void attached_programs_free(struct attached_programs *a)
{
	free(a->id);
}

static void add_device(struct attached_programs *a, const struct netdev *d)
{
	const uint32_t id[] = { d->prog_id, d->skb_prog_id };

	for (int k = 0; k < 2; k++)
		if (id[k] && !d->gone)
			*array_append(a->id, a->n, a->cap) = id[k];
}

static void put_in_order(struct attached_programs *a)
{
	size_t kept = 0;

	array_sort(a->id, a->n, sizeof(*a->id), compare_u32);
	for (size_t i = 0; i < a->n; i++)
		if (!kept || a->id[kept - 1] != a->id[i])
			a->id[kept++] = a->id[i];
	a->n = kept;
}

void attached_programs_read(struct attached_programs *a, const struct snapshot *s)
{
	a->n = 0;
	for (size_t i = 0; i < snapshot_n_netdevs(s); i++)
		add_device(a, &snapshot_netdevs(s)[i]);
	put_in_order(a);
}

void attached_programs_read_now(struct attached_programs *a, struct netdev_monitor *m, bool offload)
{
	const struct netdev_table *t = netdev_monitor_hold(m);

	a->n = 0;
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->netns[i].n; k++) {
			const struct netdev *d = &t->netns[i].entry[k].link.device;

			if (!offload || d->mode == NETDEV_OFFLOAD)
				add_device(a, d);
		}
	netdev_monitor_release(m);
	put_in_order(a);
}

bool attached_programs_has(const struct attached_programs *a, uint32_t prog_id)
{
	return array_find(a->id, a->n, e, *e < prog_id, *e == prog_id);
}
