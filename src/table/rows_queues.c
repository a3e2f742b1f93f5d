// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/queues.h"

#include <stdio.h>
#include "diagnose/findings.h"
#include "source/sockets.h"
#include "table/table_internal.h"

static const struct netdev_queue *queue_of(const struct table *t, const struct row *row)
{
	size_t n;

	return &netdev_queues(t->rates->to, &n)[row->item];
}

static void add_queues(struct table *t)
{
	size_t n;
	const struct netdev_queue *q = netdev_queues(t->rates->to, &n);

	table_add_items(t, n);
	for (size_t i = 0; i < t->n_rows; i++)
		t->row[i].id = row_id_queue(q[i].netns, q[i].ifindex, q[i].queue);
}

/* The sockets bound to the queue: the first one, a receiving one if there is any; *n = how many. */
static const struct xdp_socket *socket_on(const struct rates *r, const struct netdev_queue *q,
					  size_t *n)
{
	const struct xdp_socket *first = NULL, *s;

	*n = 0;
	for_each_row (s, r, r->to, &xdp_sockets_by_device, row_number(q->netns, q->ifindex)) {
		if (xdp_socket_place(s).queue != q->queue || s->state != XDP_SOCKET_BOUND)
			continue;
		++*n;
		if (!first || (!first->rx.size && s->rx.size))
			first = s;
	}
	return first;
}

static void locate_queue(const struct table *t, const struct row *row, struct location *location)
{
	const struct netdev_queue *q = queue_of(t, row);
	const struct netdev *d = snapshot_find_netdev(t->rates->to, q->netns, q->ifindex);
	size_t n;
	const struct xdp_socket *s = socket_on(t->rates, q, &n);
	const struct map_entry *e = s ? map_entry_of_socket(t->rates, s->inode) : NULL;

	location->dev.netns = q->netns;
	location->dev.ifindex = q->ifindex;
	if (d)
		memcpy(location->dev.name, d->name, sizeof(location->dev.name));
	location->to_cpu = queue_load(t->rates, q).cpu;
	if (s)
		location->socket_inode = s->inode;
	if (!e)
		return;
	location->map_id = e->map_id;
	location->map_type = e->map_type;
	memcpy(location->map_name, e->map_name, sizeof(location->map_name));
	location->socket = (int)e->key;
}

static enum cell_state cpu_cell(const struct table *t, const struct netdev_queue *q,
				struct cell *cell)
{
	int cpu = queue_load(t->rates, q).cpu;

	if (cpu >= 0)
		return cell_set_count(cell, (uint64_t)cpu);
	return *q->cpus ? cell_set_text(cell, "%s", q->cpus) : CELL_MISSING;
}

/* A virtual device has no interrupts: netif_rx() and veth_xdp_rx() run where the sender does. */
static enum cell_state irq_cell(const struct table *t, const struct netdev_queue *q,
				struct cell *cell)
{
	const struct netdev *d = snapshot_find_netdev(t->rates->to, q->netns, q->ifindex);

	cell->count = q->pid ?: q->irq; /* rank, to sort as a number */
	if (q->pid)
		return cell_set_text(cell, "thread %u", q->pid);
	if (q->irq)
		return cell_set_text(cell, "%u", q->irq);
	return d && *d->kind ? CELL_NONE : CELL_MISSING;
}

static enum cell_state numa_cell(const struct netdev_queue *q, struct cell *cell)
{
	if (q->cpu_node < 0)
		return CELL_MISSING;
	if (q->node < 0 || q->node == q->cpu_node)
		return cell_set_text(cell, "%d", q->cpu_node);
	cell->tone = TONE_WARN;
	return cell_set_text(cell, "%d/%d", q->cpu_node, q->node);
}

static enum cell_state socket_cell(const struct table *t, const struct netdev_queue *q,
				   struct cell *cell)
{
	size_t n, len;
	const struct xdp_socket *s = socket_on(t->rates, q, &n);

	if (!s)
		return q->xsk ? cell_set_text(cell, "bound") : CELL_NONE;
	if (s->pid)
		cell_set_text(cell, "%s[%u]", s->comm, s->pid);
	else
		cell_set_text(cell, "bound");
	len = strlen(cell->text);
	if (n > 1)
		snprintf(cell->text + len, sizeof(cell->text) - len, " +%zu", n - 1);
	return CELL_VALUE;
}

static enum cell_state queue_cell(const struct table *t, const struct netdev_queue *q,
				  struct cell *cell)
{
	size_t n;

	netdev_queues_of(t->rates->to, q->netns, q->ifindex, &n);
	cell->count = q->queue + 1ull; /* rank, to sort as a number */
	return cell_set_text(cell, "%u/%zu", q->queue, n + q->left_out);
}

/* The driver's rate needs two readings, that of --verdicts an interval. */
static enum cell_state rate_cell(const struct table *t, const struct netdev_queue *q,
				 struct cell *cell)
{
	struct queue_load load = queue_load(t->rates, q);

	cell->age = load.age;
	if (load.known)
		return cell_set_real(cell, CELL_RATE, load.per_s);
	return q->counts_packets ? CELL_NOT_YET : CELL_MISSING;
}

static enum cell_state drops_cell(const struct table *t, const struct netdev_queue *q,
				  struct cell *cell)
{
	const struct netdev *d = snapshot_find_netdev(t->rates->to, q->netns, q->ifindex);

	cell->age = d ? rates_age(t->rates, &d->queues_read_at) : 0;
	if (!q->counts_drops)
		return CELL_MISSING;
	if (q->drops_per_s < 0)
		return CELL_NOT_YET;
	if (q->drops_per_s > 0)
		cell->tone = TONE_LOST;
	return cell_set_real(cell, CELL_RATE, (double)q->drops_per_s);
}

static bool is_at_queue(const struct finding *f, const void *queue)
{
	const struct location *at = &f->location;
	const struct netdev_queue *q = queue;

	return at->dev.netns == q->netns && at->dev.ifindex == q->ifindex &&
	       (at->queue < 0 || (uint32_t)at->queue == q->queue);
}

static enum cell_state queues_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct netdev_queue *q = queue_of(t, row);
	const struct netdev *d = snapshot_find_netdev(t->rates->to, q->netns, q->ifindex);

	switch (cell->column - columns) {
	case COL_DEVICE:
		return cell_set_named(cell, d ? d->name : "", "ifindex", q->ifindex);
	case COL_NETNS:
		return cell_set_netns(t, q->netns, cell);
	case COL_QUEUE:
		return queue_cell(t, q, cell);
	case COL_QUEUE_RATE:
		return rate_cell(t, q, cell);
	case COL_CPU:
		return cpu_cell(t, q, cell);
	case COL_IRQ:
		return irq_cell(t, q, cell);
	case COL_NAPI:
		cell->count = q->napi;
		return q->napi ? cell_set_text(cell, "%u", q->napi) : CELL_MISSING;
	case COL_NUMA:
		return numa_cell(q, cell);
	case COL_QUEUE_SOCKET:
		return socket_cell(t, q, cell);
	case COL_HW_DROP_RATE:
		return drops_cell(t, q, cell);
	case COL_DRIVER:
		return d && *netdev_driver(d) ? cell_set_text(cell, "%s", netdev_driver(d))
					      : CELL_MISSING;
	case COL_WARNING:
		return cell_add_findings(t, cell, is_at_queue, q);
	default:
		return CELL_NONE;
	}
}

/* Queues without a row. Each device has at least one row. */
static uint64_t left_out(const struct snapshot *s)
{
	size_t n;
	const struct netdev_queue *q = netdev_queues(s, &n);
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += !q[i].queue ? q[i].left_out : 0;
	return sum;
}

static void queues_summary(const struct table *t, int width, char *buf, size_t size)
{
	uint64_t n = left_out(t->rates->to);

	if (n)
		snprintf(buf, size,
			 "%ju queues are left out, because at most %d rows for a device and %d in "
			 "all are shown",
			 (uintmax_t)n, NETDEV_QUEUES_OF_DEVICE, NETDEV_QUEUES_MAX);
	else if (t->n_rows)
		snprintf(buf, size, "%zu receive queue%s", t->n_rows, t->n_rows == 1 ? "" : "s");
}

static int queues_missing(const struct table *t, const struct snapshot_host *host, char *buf,
			  size_t size)
{
	const char *why = host->absent[DATA_SOURCE_QUEUES];

	if (*why)
		return snprintf(buf, size, "No receive queue is known: %s.\n", why);
	if (t->options.switch_by == SWITCH_NOT)
		return snprintf(buf, size, "The recording has no receive queue at this time.\n");
	return snprintf(buf, size,
			"No device with XDP is in a network namespace that xdptop entered at its "
			"start.\n");
}

const struct row_kind rows_queues = {
	.list = true,
	.add = add_queues,
	.cell = queues_cell,
	.locate = locate_queue,
	.summary = queues_summary,
	.missing = queues_missing,
};
