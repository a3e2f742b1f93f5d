// SPDX-License-Identifier: GPL-2.0-or-later
/* The part of src/inventory/netdev_table.h about page pools. */
#include "base/array.h"
#include "base/clock.h"
#include "inventory/netdev_table.h"

static size_t pool_place(const struct netdev_table *t, uint32_t netns, uint32_t id)
{
	const uint32_t key[] = { netns, id };

	return array_lower_bound(t->pool, t->n_pools, p, compare_words(p, key, 2) < 0);
}

/* `was` is the row of the last reading, NULL = none. */
static void set_detached(struct page_pool *to, const struct page_pool *was, uint64_t detach_time,
			 int64_t boot_ns, int64_t wall_ns)
{
	/* the time has whole seconds: take it once */
	if (was && was->detached_at.tv_sec)
		to->detached_at = was->detached_at;
	else if (detach_time < (uint64_t)(boot_ns / NSEC_PER_SEC) + 2)
		to->detached_at =
			ns_to_timespec(wall_ns - (boot_ns - (int64_t)detach_time * NSEC_PER_SEC));
	if (was && was->detached_at.tv_sec && to->inflight >= was->inflight)
		to->stuck = was->stuck + 1;
}

static void set_pool(const struct netdev_table *t, struct page_pool *to,
		     const struct page_pool_message *m, const struct page_pool *was)
{
	const struct netdev_entry *e;

	to->id = m->id;
	to->napi_id = m->napi_id;
	to->inflight = m->inflight;
	to->inflight_mem = m->inflight_mem;
	/* without its device it has no ifindex */
	to->ifindex = was && !m->ifindex ? was->ifindex : m->ifindex;
	e = netdev_table_find(t, to->netns, to->ifindex);
	if (e)
		memcpy(to->ifname, e->link.device.name, sizeof(to->ifname));
	else if (was && was->ifindex == to->ifindex)
		memcpy(to->ifname, was->ifname, sizeof(to->ifname));
}

COMPARE(compare_ids, struct page_pool_message, ORDER(x->id, y->id))

void netdev_table_pools(struct netdev_table *t, uint32_t netns, struct page_pool_message *m,
			size_t n, size_t beyond, int64_t boot_ns, int64_t wall_ns)
{
	size_t at = pool_place(t, netns, 0), kept = 0;
	size_t end = array_lower_bound(t->pool, t->n_pools, p, p->netns <= netns);
	size_t others = t->n_pools - (end - at);
	size_t max = others < PAGE_POOLS_MAX ? PAGE_POOLS_MAX - others : 1;
	struct page_pool *row = memory_new(n, sizeof(*row));

	array_sort(m, n, sizeof(*m), compare_ids);
	for (size_t i = 0; i < n; i++) {
		size_t old = pool_place(t, netns, m[i].id);
		const struct page_pool *was =
			old < end && t->pool[old].id == m[i].id ? &t->pool[old] : NULL;

		/* a pool that moves to the loopback device during the dump can be in it twice */
		if (i && m[i].id == m[i - 1].id)
			continue;
		if (kept == max) {
			beyond++;
			continue;
		}
		row[kept].netns = netns;
		set_pool(t, &row[kept], &m[i], was);
		if (m[i].detach_time)
			set_detached(&row[kept], was, m[i].detach_time, boot_ns, wall_ns);
		kept++;
	}
	for (size_t i = 0; i < kept; i++)
		row[i].left_out = (uint32_t)beyond;
	array_replace(t->pool, t->n_pools, t->cap_pools, at, end, row, kept);
	free(row);
}

void netdev_table_fill_pools(struct netdev_table *t, struct snapshot *to)
{
	/* a device has a pool for each queue, mostly in a row */
	for (size_t i = 0; i < t->n_pools; i++)
		if (!i || t->pool[i].ifindex != t->pool[i - 1].ifindex)
			netdev_table_need(t, t->pool[i].netns, t->pool[i].ifindex);
	snapshot_put_rows(to, DATA_SOURCE_PAGE_POOLS, t->pool, t->n_pools, sizeof(*t->pool));
}
