// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/queues.h"

#include <math.h>
#include "inventory/bpf_iters.h"
#include "inventory/netdev_monitor.h"
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"
#include "source/verdicts.h"

DATA_SOURCE_ROWS(netdev_queues, struct netdev_queue, DATA_SOURCE_QUEUES)

const struct netdev_queue *netdev_queues_of(const struct snapshot *s, uint32_t netns,
					    uint32_t ifindex, size_t *n)
{
	const struct netdev_queue first = { .netns = netns, .ifindex = ifindex };
	size_t all, at;
	const struct netdev_queue *row = netdev_queues(s, &all);

	at = array_lower_bound(
		row, all, e, data_source_compare(data_sources[DATA_SOURCE_QUEUES], e, &first) < 0);
	for (*n = 0; at + *n < all; ++*n)
		if (row[at + *n].netns != netns || row[at + *n].ifindex != ifindex)
			break;
	return row + at;
}

/* What one program returned for the queue's packets: they were handled where it ran most often. */
static void add_verdicts(const struct rates *r, const struct netdev_queue *q, uint32_t prog_id,
			 struct queue_load *load)
{
	const struct verdict *row;
	struct verdict_walk w;
	uint64_t most = 0, all = 0;
	uint32_t cpu = 0;

	verdict_walk_queue(&w, r, prog_id, q->netns, q->ifindex, q->queue);
	load->known &= w.known;
	while ((row = verdict_walk_next(&w))) {
		all += w.delta.packets;
		if (w.delta.packets <= most)
			continue;
		most = w.delta.packets;
		cpu = row->cpu;
	}
	load->per_s += per_second((double)all, r->seconds);
	if (load->cpu < 0 && most)
		load->cpu = (int)cpu;
}

struct queue_load queue_load(const struct rates *r, const struct netdev_queue *q)
{
	const struct netdev *d = snapshot_find_netdev(r->to, q->netns, q->ifindex);
	struct queue_load load = { .cpu = q->cpu };
	uint32_t id[2];
	int n = d ? verdict_programs(d, id) : 0;

	load.known = n && r->from && r->seconds > 0;
	for (int i = 0; i < n && load.known; i++)
		add_verdicts(r, q, id[i], &load);
	if (q->counts_packets) {
		load.known = q->packets_per_s >= 0;
		load.per_s = (double)q->packets_per_s;
		load.age = d ? rates_age(r, &d->queues_read_at) : 0;
	}
	if (!load.known)
		load.per_s = 0;
	return load;
}

#define queue_of(r) ROW_OF(struct netdev_queue, r)

/* Defaults of the later fields, which null leaves unchanged. */
static FIELD_SET(set_netns)
{
	struct netdev_queue *q = queue_of(r);

	q->cpu = q->cpu_node = q->node = -1;
	q->packets_per_s = q->drops_per_s = -1;
	return field_set_u32(f, r, v);
}

static FIELD_GET(get_ifname)
{
	const struct netdev_queue *q = queue_of(r);
	const struct netdev *d;

	if (!r->rates)
		return;
	d = snapshot_find_netdev(r->rates->to, q->netns, q->ifindex);
	if (!d && r->rates->from)
		d = snapshot_find_netdev(r->rates->from, q->netns, q->ifindex);
	if (d)
		field_give_text(v, d->name);
}

GET_COUNT(get_xsk, true, queue_of(r)->xsk)

static FIELD_SET(set_xsk)
{
	queue_of(r)->xsk = v->count;
	return v->count <= 1;
}

/* A counter, its rate, and whether the driver has it. */
struct counter {
	uint64_t *total;
	float *per_s;
	bool *has;
};

static struct counter counter_of(const struct record_field *f, const struct record *r)
{
	struct netdev_queue *q = queue_of(r);

	if (f->offset == offsetof(struct netdev_queue, packets))
		return (struct counter){ &q->packets, &q->packets_per_s, &q->counts_packets };
	return (struct counter){ &q->hw_drops, &q->drops_per_s, &q->counts_drops };
}

static FIELD_GET(get_total)
{
	struct counter c = counter_of(f, r);

	if (*c.has)
		field_give_count(v, *c.total);
}

static FIELD_SET(set_total)
{
	struct counter c = counter_of(f, r);

	*c.has = true;
	*c.total = v->count;
	return true;
}

static FIELD_GET(get_per_s)
{
	struct counter c = counter_of(f, r);

	/* do not print more digits than a float has: 0.2, not 0.200000003 */
	if (*c.has && *c.per_s >= 0)
		field_give_real(v, round((double)*c.per_s * 1000) / 1000);
}

static FIELD_SET(set_per_s)
{
	*counter_of(f, r).per_s = (float)v->real;
	return v->real >= 0;
}

#define COUNTER(n, m)                                                                          \
	FIELD(n "_total", COUNT, 0, get_total, set_total, ROW_MEMBER(struct netdev_queue, m)), \
		FIELD(n "_per_s", REAL, 0, get_per_s, set_per_s,                               \
		      ROW_MEMBER(struct netdev_queue, m))

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	FIELD("netns", COUNT, 0, field_get_id, set_netns, ROW_MEMBER(struct netdev_queue, netns)),
	FIELD_TEXT("netns_name", 0, netns_name),
	ROW_FIELD_ID("ifindex", struct netdev_queue, ifindex),
	FIELD("ifname", TEXT, 0, get_ifname, NULL),
	ROW_FIELD_NUMBER("queue", struct netdev_queue, queue),
	ROW_FIELD_GONE("used", struct netdev_queue, gone),
	ROW_FIELD_ID("napi_id", struct netdev_queue, napi),
	ROW_FIELD_ID("irq", struct netdev_queue, irq),
	ROW_FIELD_ID("pid", struct netdev_queue, pid),
	FIELD("cpu", COUNT, 0, field_get_cpu, field_set_cpu, ROW_MEMBER(struct netdev_queue, cpu)),
	ROW_FIELD_TEXT("cpus", struct netdev_queue, cpus),
	FIELD("cpu_node", COUNT, 0, field_get_cpu, field_set_cpu,
	      ROW_MEMBER(struct netdev_queue, cpu_node)),
	FIELD("device_node", COUNT, 0, field_get_cpu, field_set_cpu,
	      ROW_MEMBER(struct netdev_queue, node)),
	FIELD("xsk", COUNT, 0, get_xsk, set_xsk),
	COUNTER("rx_packets", packets),
	COUNTER("rx_hw_drops", hw_drops),
	ROW_FIELD_NUMBER("left_out", struct netdev_queue, left_out),
	FIELD_POD("", 0, pod),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("queue", fields);

static int queues_open(void *state, struct live *live, struct error *error)
{
	*(struct netdev_monitor **)state = live->netdevs;
	if (live->netdevs && netdev_monitor_coverage(live->netdevs) == NETDEVS_ALL)
		return 0;
	/* else model/iter.h says why */
	return bpf_iters_has(live->iters, ITER_WALK)
		       ? error_set(error, 1, "the walk through all namespaces failed")
		       : 1;
}

static int queues_sample(void *state, struct snapshot *to)
{
	struct netdev_monitor *netdevs = *(struct netdev_monitor **)state;

	netdev_table_fill_queues(netdev_monitor_hold(netdevs), to);
	netdev_monitor_release(netdevs);
	return 0;
}

const struct data_source queues_source = {
	.name = "queues",
	.help = "receive queues of devices with XDP: NAPI, interrupt and CPU (netlink, /proc/irq)",
	.row_size = sizeof(struct netdev_queue),
	.key_size = offsetof(struct netdev_queue, left_out),
	.gone = offsetof(struct netdev_queue, gone),
	.says_gone = true,
	.has_netns = true,
	.netns = offsetof(struct netdev_queue, netns),
	.ifindex = offsetof(struct netdev_queue, ifindex),
	.max_rows = NETDEV_QUEUES_MAX + NETDEVS_MAX,
	.record = &object,
	.state_size = sizeof(struct netdev_monitor *),
	.open = queues_open,
	.sample = queues_sample,
};
