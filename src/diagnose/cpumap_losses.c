// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/cpumap_losses.h"

#include <linux/bpf.h>
#include "source/maps.h"

static struct cpumap_loss *find(struct cpumap_losses *l, uint32_t map_id)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->map[i].map_id == map_id)
			return &l->map[i];
	if (l->n == CPUMAP_LOSSES) {
		l->more = true;
		return NULL;
	}
	l->map[l->n] = (struct cpumap_loss){ .map_id = map_id };
	return &l->map[l->n++];
}

/* A frame that was not queued is not taken from the queue, so both losses can be added. */
static void take_loss(struct cpumap_losses *l, const struct rates *r, size_t series)
{
	static const struct series_counters none;
	const struct series_counters *since = &r->since[series];
	const struct series_counters *delta = r->delta ? &r->delta[series] : &none;
	double seconds = r->tp_seconds[r->to->series[series].tracepoint];
	struct cpumap_loss *loss;

	if (!since->drops && !delta->drops && !delta->xdp_drop)
		return;
	loss = find(l, r->to->series[series].key.map_id);
	if (!loss)
		return;
	loss->since += since->drops;
	loss->delta += delta->drops;
	loss->per_s += per_second((double)delta->drops, seconds);
	loss->dropped_per_s += per_second((double)delta->xdp_drop, seconds);
}

/* In generic mode an exception reports such a frame too: cpu_map_bpf_prog_run_skb(). */
static void take_reported(struct cpumap_losses *l, const struct rates *r, size_t series)
{
	const struct series *s = &r->to->series[series];
	const struct map_entry *e;

	for_each_row (e, r, r->to, &map_entries_by_program, s->key.prog_id) {
		for (size_t i = 0; i < l->n; i++) {
			double told = per_second((double)r->delta[series].events,
						 r->tp_seconds[s->tracepoint]);
			double *dropped = &l->map[i].dropped_per_s;

			if (l->map[i].map_id != e->map_id || *dropped <= 0)
				continue;
			*dropped -= told < *dropped ? told : *dropped;
			return;
		}
	}
}

static enum map_use use_of(const struct rates *r, const struct netdev *d, uint32_t map_id)
{
	const struct map_entry *map = map_find(r->to, map_id);
	enum map_use a, b;

	if (!map || !d)
		return MAP_USE_UNKNOWN;
	a = map_use(r, map, d->prog_id);
	b = map_use(r, map, d->skb_prog_id);
	return a > b ? a : b;
}

void cpumap_losses_set(struct cpumap_losses *l, const struct rates *r)
{
	*l = (struct cpumap_losses){ .n = 0 };
	for (size_t i = 0; i < r->to->n_series; i++) {
		uint32_t tp = r->to->series[i].tracepoint;

		if ((tp == TP_XDP_CPUMAP_ENQUEUE || tp == TP_XDP_CPUMAP_KTHREAD) &&
		    !r->to->series[i].overflow)
			take_loss(l, r, i);
	}
	for (size_t i = 0; l->n && r->delta && i < r->to->n_series; i++)
		if (r->to->series[i].tracepoint == TP_XDP_EXCEPTION && r->delta[i].events)
			take_reported(l, r, i);
}

void cpumap_losses_add_user(struct cpumap_losses *l, const struct rates *r, const struct netdev *d)
{
	for (size_t i = 0; i < l->n; i++)
		l->map[i].users += use_of(r, d, l->map[i].map_id) != MAP_NOT_USED;
}

bool may_redirect_to(const struct rates *r, const struct netdev *d, uint32_t map_type)
{
	const struct map_entry *map[MAPS_OF_PROGRAM];
	const uint32_t prog_id[] = { d ? d->prog_id : 0, d ? d->skb_prog_id : 0 };

	if (!prog_id[0] && !prog_id[1])
		return true; /* not known */
	for (int i = 0; i < 2; i++) {
		int n = maps_of_program(r, prog_id[i], map);

		for (int k = 0; k < n; k++)
			if (map[k]->map_type == map_type)
				return true;
		if (n < 0)
			return true;
	}
	return false;
}

struct cpumap_use cpumap_use(const struct cpumap_losses *l, const struct rates *r,
			     const struct netdev *d)
{
	struct cpumap_use u = { 0 };

	for (size_t i = 0; i < l->n; i++) {
		enum map_use use = use_of(r, d, l->map[i].map_id);

		u.may |= use == MAP_NOT_USED ? 0 : 1ull << i;
		u.uses |= use == MAP_USED ? 1ull << i : 0;
		u.own |= use == MAP_USED && l->map[i].users < 2 ? 1ull << i : 0;
	}
	return u;
}
