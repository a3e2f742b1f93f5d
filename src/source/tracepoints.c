// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data source: the counters that the BPF programs at tracepoints fill, and the events they report.
 */
#include <stdio.h>
#include "base/clock.h"
#include "base/sanitize.h"
#include "inventory/bpf_objects.h"
#include "inventory/netdev_monitor.h"
#include "model/target.h"
#include "source/data_source.h"
#include "source/follow.h"
#include "source/live_source.h"
#include "tracing/attach.h"
#include "tracing/overhead.h"
#include "tracing/series_table.h"

static const char *mem_type_name(uint32_t type)
{
	/* enum xdp_mem_type, include/net/xdp.h */
	static const char *const names[] = { "page_shared", "page_order0", "page_pool",
					     "xsk_buff_pool" };

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "unknown";
}

/* What failed: "EOPNOTSUPP to eth1 (blue)", "drops to CPU 3 (map 5): 7 of 8 frames". */
static void failure_text(char *buf, size_t size, const struct series_event *e,
			 struct netns_names *names)
{
	const struct tracepoint *tp = &tracepoints[e->tracepoint];
	struct series s = { .tracepoint = e->tracepoint, .key = e->key };
	const char *error = e->key.code ? errno_name(e->key.code) : "drops";
	char target[SNAPSHOT_TEXT_LEN / 2] = "", number[24], frames[48] = "";
	int all = tp->has & HAS_TO_CPU ? e->drops : e->sent + e->drops;

	snprintf(number, sizeof(number), "errno %d", -e->key.code);
	if (tp->has & HAS_ACT)
		error = act_name(e->key.code, number, sizeof(number));
	sanitize(s.to_ifname, sizeof(s.to_ifname), e->to_ifname, sizeof(e->to_ifname));
	/* for xdp_bulk_tx only the driver knows whether frames were sent back */
	if (e->tracepoint != TP_XDP_BULK_TX)
		target_text(&s, names, target, sizeof(target));
	/*
	 * the cpumap includes its drops in `processed`, except in generic mode; devmap and TX do
	 * not
	 */
	if (tp->has & HAS_TO_CPU && e->sent > e->drops)
		all = e->sent;
	if (tp->bulk)
		snprintf(frames, sizeof(frames), ": %d of %d frames lost", e->drops, all);
	snprintf(buf, size, "%s%s%s%s", error ? error : number, *target ? " to " : "", target,
		 frames);
}

static void event_text(char *buf, size_t size, const struct series_event *e,
		       struct netns_names *names)
{
	switch (e->tracepoint) {
	case TP_MEM_CONNECT:
		if (e->queue != SERIES_QUEUE_UNKNOWN) {
			snprintf(buf, size, "%s id %u, rx queue %u", mem_type_name(e->mem_type),
				 e->mem_id, e->queue);
			break;
		}
		/* fall through */
	case TP_MEM_DISCONNECT:
		snprintf(buf, size, "%s id %u", mem_type_name(e->mem_type), e->mem_id);
		break;
	case TP_LINK_ATTACH_FAILED:
	case TP_NETLINK_EXTACK:
		/* the driver set no message: bpf_xdp_link_attach() passes extack._msg unchanged */
		if (!e->text[0])
			snprintf(buf, size, "(no message)");
		else
			sanitize(buf, size, e->text, sizeof(e->text));
		break;
	default:
		failure_text(buf, size, e, names);
	}
}

/* The program's name is as the kernel cut it. `at` is the snapshot that the event belongs to. */
static void set_event(struct event *to, const struct series_event *e, const struct snapshot *at,
		      struct netns_names *names)
{
	/* bpf_ktime_get_ns() is CLOCK_MONOTONIC */
	to->time = ns_to_timespec(timespec_to_ns(&at->wall) - (int64_t)(at->mono_ns - e->ktime_ns));
	to->tracepoint = e->tracepoint;
	to->cpu = e->cpu;
	to->key = e->key;
	to->pid = e->pid;
	sanitize(to->comm, sizeof(to->comm), e->comm, sizeof(e->comm));
	sanitize(to->ifname, sizeof(to->ifname), e->ifname, sizeof(e->ifname));
	sanitize(to->to_ifname, sizeof(to->to_ifname), e->to_ifname, sizeof(e->to_ifname));
	sanitize(to->prog_name, sizeof(to->prog_name), e->prog_name, sizeof(e->prog_name));
	to->left_out = e->left_out;
	event_text(to->text, sizeof(to->text), e, names);
}

struct tracepoints {
	struct live *live;
	struct probe *probe;
	struct series_table table;
	struct overhead overhead;
	uint64_t last_ns;    /* monotonic time of the last sample */
	uint64_t named;      /* id of the last series whose names were looked up */
	struct snapshot *to; /* while events are drained */
};

static void take_event(void *ctx, const struct series_event *e)
{
	struct tracepoints *s = ctx;
	struct event *to = snapshot_add_event(s->to);

	set_event(to, e, s->to, s->live->netns);
	bpf_objects_full_name(s->live->objects, to->key.prog_id, to->prog_name);
	if (s->live->follow)
		live_follow_rare(s->live->follow, e, to, s->to);
}

static void read_overhead(struct tracepoints *s, double seconds, struct snapshot *to)
{
	const struct probe_memory *m = s->live->memory;
	uint32_t switched = attach_hold_meters(s->live->attach);

	overhead_update(&s->overhead, m->cpu, seconds);
	for (int tp = 0; tp < TP_COUNT; tp++) {
		struct tp_count *t = &to->tp[tp];
		int cpu = s->overhead.busiest[tp];

		t->ns_per_event = s->overhead.ns[tp];
		t->cost_cpu = cpu;
		t->cpu_percent = -1;
		if (seconds > 0 && t->state == TP_ON)
			t->cpu_percent = cpu < 0 ? 0 : overhead_percent(&s->overhead, cpu, tp);
		for (uint32_t i = 0; i < m->cpus; i++) {
			if (switched & BIT(tp)) /* has no series */
				t->events += m->cpu[i].meter[tp].events;
			t->timed += m->cpu[i].meter[tp].timed;
			t->timed_ns += m->cpu[i].meter[tp].timed_ns;
		}
	}
	attach_release_meters(s->live->attach);
}

static bool map_name(struct bpf_objects *o, const struct series_key *key,
		     char name[SNAPSHOT_NAME_LEN])
{
	const char *full = "";

	if (key->map_type && key->map_id != SERIES_MAP_ID_IFINDEX)
		full = bpf_objects_map(o, key->map_id);
	if (full)
		sanitize_format(name, SNAPSHOT_NAME_LEN, "%s", full);
	return full;
}

static bool to_prog_name(struct bpf_objects *o, struct series *series)
{
	const char *full = series->to_prog_id ? bpf_objects_program(o, series->to_prog_id) : "";

	if (full)
		sanitize_format(series->to_prog_name, sizeof(series->to_prog_name), "%s", full);
	return full;
}

static void name_objects(struct tracepoints *s)
{
	for (size_t i = 0; i < s->table.n; i++) {
		struct slot *slot = &s->table.slot[i];
		bool program, to_program, map;

		if (slot->has_objects)
			continue;
		program = bpf_objects_full_name(s->live->objects, slot->series.key.prog_id,
						slot->series.prog_name);
		to_program = to_prog_name(s->live->objects, &slot->series);
		map = map_name(s->live->objects, &slot->series.key, slot->series.map_name);
		slot->has_objects = program && to_program && map;
	}
}

/* Name series just created, and update the names of the others. */
static void name_series(struct tracepoints *s)
{
	struct live *live = s->live;
	bool known;

	live->has_new_series |= s->table.next_id > s->named;
	live_refresh_owners(live);
	for (size_t i = s->table.n; i-- > 0 && s->table.slot[i].series.id > s->named;)
		netns_names_check(live->netns, s->table.slot[i].series.key.netns);
	s->named = s->table.next_id;
	name_objects(s);
	if (!live->netdevs)
		return;
	/* before the hold, which takes the same lock */
	known = netdev_monitor_known_ns(live->netdevs) >= live->refreshed_ns;
	series_names_update(&s->table, netdev_monitor_hold(live->netdevs), known);
	netdev_monitor_release(live->netdevs);
}

static int tracepoints_sample(void *state, struct snapshot *to)
{
	struct tracepoints *s = state;
	int err;

	probe_states(s->probe, to->mono_ns, to->tp);
	read_overhead(s, s->last_ns ? ns_to_seconds(to->mono_ns - s->last_ns) : 0, to);
	s->last_ns = to->mono_ns;
	if (s->live->follow)
		live_follow_read(s->live->follow);
	err = series_table_find(&s->table, s->live->memory);
	if (err)
		return err;
	name_series(s);
	series_table_read(&s->table, s->live->memory, to);
	s->to = to;
	err = probe_events(s->probe, take_event, s);
	if (err)
		return err;
	if (s->live->follow)
		live_follow_sample(s->live->follow, to);
	series_table_recycle(&s->table, s->live->memory, to->mono_ns);
	return 0;
}

static void tracepoints_close(void *state)
{
	struct tracepoints *s = state;

	live_follow_close(s->live->follow);
	probe_close(s->probe);
	series_table_free(&s->table);
	overhead_free(&s->overhead);
}

static int tracepoints_open(void *state, struct live *live, struct error *error)
{
	struct tracepoints *s = state;
	int err;

	s->live = live;
	err = probe_open(&s->probe, live->trace, error);
	if (err)
		return err;
	series_table_init(&s->table, probe_memory(s->probe));
	overhead_init(&s->overhead, probe_memory(s->probe)->cpus);
	live->attach = probe_attach(s->probe);
	live->memory = probe_memory(s->probe);
	live->host->cpus_possible = live->memory->cpus;
	snprintf(live->host->backend, sizeof(live->host->backend), "%s",
		 probe_backend_name(s->probe));
	if (probe_follow(s->probe))
		live->follow = live_follow_open(live, s->probe, &s->table);
	return 0;
}

static int tracepoints_start(void *state)
{
	return attach_start_worker(((struct tracepoints *)state)->live->attach);
}

static void tracepoints_suspend(void *state, bool stop)
{
	attach_suspend(((struct tracepoints *)state)->live->attach, stop);
}

static int tracepoints_capability_check(void *state)
{
	return probe_capability_check(((struct tracepoints *)state)->probe);
}

/* Its objects tracepoint, sample and event are more than rows: src/schema/record_fields.c. */
const struct data_source tracepoints_source = {
	.name = "tracepoints",
	.help = "events of the XDP tracepoints and net_dev_queue, counted by BPF programs",
	.state_size = sizeof(struct tracepoints),
	.open = tracepoints_open,
	.start = tracepoints_start,
	.sample = tracepoints_sample,
	.suspend = tracepoints_suspend,
	.capability_check = tracepoints_capability_check,
	.close = tracepoints_close,
};
