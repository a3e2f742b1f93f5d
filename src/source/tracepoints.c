// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data source: the counters that the BPF programs at tracepoints fill, and the events they report.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/sanitize.h"
#include "inventory/bpf_objects.h"
#include "inventory/netdev_monitor.h"
#include "model/netns_names.h"
#include "source/data_source.h"
#include "source/follow.h"
#include "source/live_source.h"
#include "source/tracepoint_event.h"
#include "tracing/attach.h"
#include "tracing/overhead.h"
#include "tracing/series_names.h"
#include "tracing/series_table.h"

struct tracepoints {
	struct live *live;
	struct probe *probe;
	struct series_table table;
	struct overhead overhead;
	uint64_t last_ns;    /* monotonic time of the last sample */
	uint64_t named;      /* id of the last series whose names were looked up */
	struct snapshot *to; /* while events are drained */
	bool failed;
};

static void take_event(void *ctx, const struct series_event *e)
{
	struct tracepoints *s = ctx;
	struct event *to = snapshot_add_event(s->to);

	if (!to) {
		s->failed = true;
		return;
	}
	tracepoint_event_set(to, e, s->to, s->live->netns);
	bpf_objects_full_name(s->live->objects, to->key.prog_id, to->prog_name);
	if (s->live->follow)
		live_follow_rare(s->live->follow, e, s->to);
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
	err = series_table_find(&s->table, s->live->memory);
	if (!err) {
		name_series(s);
		err = series_table_read(&s->table, s->live->memory, to);
	}
	if (err)
		return err;
	s->to = to;
	err = probe_events(s->probe, take_event, s);
	if (!err && s->live->follow)
		err = live_follow_sample(s->live->follow, to);
	if (err || s->failed)
		return err ? err : -ENOMEM;
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
	err = probe_open(&s->probe, live->trace, live->iters, error);
	if (!err)
		err = series_table_init(&s->table, probe_memory(s->probe));
	if (!err)
		err = overhead_init(&s->overhead, probe_memory(s->probe)->cpus);
	if (err)
		return err;
	live->attach = probe_attach(s->probe);
	live->memory = probe_memory(s->probe);
	live->host->cpus_possible = live->memory->cpus;
	snprintf(live->host->backend, sizeof(live->host->backend), "%s",
		 probe_backend_name(s->probe));
	if (!probe_follow(s->probe))
		return 0;
	live->follow = live_follow_open(live, s->probe);
	return live->follow ? 0 : -ENOMEM;
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

/* Its objects tracepoint, sample and event are not just rows: src/schema/record_fields.c. */
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
