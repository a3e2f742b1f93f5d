// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/queues.h"

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
	const struct netdev_queue like = { .netns = netns, .ifindex = ifindex };

	return data_source_rows_like(s, DATA_SOURCE_QUEUES, &like, 2, n);
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
	field_give_ifname(v, r, queue_of(r)->netns, queue_of(r)->ifindex);
}

#define COUNTER(n, m, per_s, has)                                                                \
	ROW_FIELD_COUNT(n "_total", struct netdev_queue, m, KNOWN_BY(struct netdev_queue, has)), \
		ROW_FIELD_RATE(n "_per_s", struct netdev_queue, per_s)

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
	ROW_FIELD_CPU("cpu", struct netdev_queue, cpu),
	ROW_FIELD_TEXT("cpus", struct netdev_queue, cpus),
	ROW_FIELD_CPU("cpu_node", struct netdev_queue, cpu_node),
	ROW_FIELD_CPU("device_node", struct netdev_queue, node),
	ROW_FIELD_BOOL("xsk", struct netdev_queue, xsk),
	COUNTER("rx_packets", packets, packets_per_s, counts_packets),
	COUNTER("rx_hw_drops", hw_drops, drops_per_s, counts_drops),
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
	ROW_TYPE(struct netdev_queue, left_out, NETDEV_QUEUES_MAX + NETDEVS_MAX),
	ROW_GONE(struct netdev_queue),
	ROW_DEVICE(struct netdev_queue),
	.record = &object,
	.state_size = sizeof(struct netdev_monitor *),
	.open = queues_open,
	.sample = queues_sample,
};
