// SPDX-License-Identifier: GPL-2.0-or-later
/* The part of src/inventory/netdev_table.h about receive queues. */
#include "base/array.h"
#include "base/clock.h"
#include "inventory/netdev_table.h"

static bool is_before(const struct netdev_queue *q, uint32_t netns, uint64_t ifindex)
{
	return q->netns < netns || (q->netns == netns && q->ifindex < ifindex);
}

static float rate_of(uint64_t was, uint64_t is, double seconds)
{
	/* a counter that went back was reset */
	return seconds > 0 && is >= was ? (float)((double)(is - was) / seconds) : -1;
}

/* From the last reading `was` of the same queue, NULL = none. */
static void set_rates(struct netdev_queue *q, const struct netdev_queue *was, double seconds)
{
	q->packets_per_s = was && was->counts_packets && q->counts_packets
				   ? rate_of(was->packets, q->packets, seconds)
				   : -1;
	q->drops_per_s = was && was->counts_drops && q->counts_drops
				 ? rate_of(was->hw_drops, q->hw_drops, seconds)
				 : -1;
}

void netdev_table_queues(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			 struct netdev_queue *row, size_t n, uint64_t now_ns, uint64_t due_ns)
{
	size_t at = array_lower_bound(t->queue, t->n_queues, q, is_before(q, netns, ifindex));
	size_t end = array_lower_bound(t->queue, t->n_queues, q,
				       is_before(q, netns, (uint64_t)ifindex + 1));
	struct netdev_entry *e = netdev_table_find(t, netns, ifindex);
	size_t had = end - at, others = t->n_queues - had, all;
	double seconds;
	bool first;

	if (!e)
		return;
	seconds = (double)(now_ns - e->queues_read_ns) / (double)NSEC_PER_SEC;
	first = !e->queues_read_ns;
	e->queues_due_ns = due_ns;
	e->queues_read_ns = now_ns;
	netdev_reading_done(&e->queues_read);
	all = n > e->link.hardware.rx_queues ? n : e->link.hardware.rx_queues;
	/* each device has a row, which says how many are left out */
	if (n && others + n > NETDEV_QUEUES_MAX)
		n = others < NETDEV_QUEUES_MAX ? NETDEV_QUEUES_MAX - others : 1;
	for (size_t i = 0; i < n; i++) {
		row[i].netns = netns;
		row[i].ifindex = ifindex;
		row[i].queue = (uint32_t)i;
		row[i].left_out = (uint32_t)(all - n);
		set_rates(&row[i], i < had && !first ? &t->queue[at + i] : NULL, seconds);
	}
	array_replace(t->queue, t->n_queues, t->cap_queues, at, end, row, n);
}

void netdev_table_fill_queues(struct netdev_table *t, struct snapshot *to)
{
	const struct netdev_entry *e = NULL;
	size_t kept = 0;

	/* drop those of devices whose queues are not read now */
	for (size_t i = 0; i < t->n_queues; i++) {
		const struct netdev_queue *q = &t->queue[i];

		if (!i || q->ifindex != q[-1].ifindex || q->netns != q[-1].netns)
			e = netdev_table_find(t, q->netns, q->ifindex);
		if (!e || e->link.device.gone || e->link.device.mode == NETDEV_NONE)
			continue;
		if (kept != i)
			t->queue[kept] = *q;
		kept++;
	}
	t->n_queues = kept;
	snapshot_put_rows(to, DATA_SOURCE_QUEUES, t->queue, kept, sizeof(*t->queue));
}
