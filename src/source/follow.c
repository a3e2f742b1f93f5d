// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/follow.h"

#include <errno.h>
#include <stdio.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/sanitize.h"
#include "inventory/bpf_objects.h"
#include "model/tracepoint.h"
#include "source/live_source.h"
#include "tracing/attach.h"
#include "tracing/follow.h"
#include "tracing/series_table.h"
#include "inventory/netdev_monitor.h"

/* An event as its program wrote it, in a seventh of the size that it has in a snapshot. */
struct read_event {
	uint32_t cpu;
	struct follow_event event;
};

struct live_follow {
	struct live *live;
	struct follow *programs;
	const struct series_table *table;
	uint32_t *at;         /* [slots]: 1 + index in table->slot, as of the sample */
	uint32_t tracepoints; /* 0 = nothing is followed */
	uint32_t switched;    /* tracepoints that are on only to be followed */
	size_t max;           /* limit per snapshot: as many as the rings have room for */
	uint64_t *told;       /* [CPU][TP_COUNT]: losses already reported in snapshots */
	uint64_t *lost;       /* the same: losses at the last look at the rings */
	uint64_t rare_told[TP_COUNT];
	int64_t wall_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC, the same for all events */

	struct read_event *read; /* events since the last snapshot */
	size_t n_read, cap_read;
	bool drained;        /* the rings were empty then */
	struct snapshot *to; /* while events are added */
};

static bool is_rare(uint32_t tracepoint)
{
	return tracepoints[tracepoint].has & HAS_TEXT;
}

struct live_follow *live_follow_open(struct live *live, struct probe *probe,
				     const struct series_table *table)
{
	struct live_follow *f = memory_new(1, sizeof(*f));

	f->live = live;
	f->table = table;
	f->programs = probe_follow(probe);
	/* take everything in the rings, so that later losses are reported with these events */
	f->max = live->trace->follow_events < FOLLOWED_MAX ? live->trace->follow_events
							   : FOLLOWED_MAX;
	f->told = memory_new((size_t)live->memory->cpus * TP_COUNT, sizeof(*f->told));
	f->at = memory_new(live->memory->slots, sizeof(*f->at));
	f->lost = memory_new((size_t)live->memory->cpus * TP_COUNT, sizeof(*f->lost));
	return f;
}

void live_follow_close(struct live_follow *f)
{
	if (!f)
		return;
	free(f->read);
	free(f->told);
	free(f->lost);
	free(f->at);
	free(f);
}

void live_follow_ready(struct live_follow *f)
{
	const struct attach_switch sw = { .set = follow_switch,
					  .meter = follow_meter,
					  .ctx = f->programs };

	attach_add_switch_off(f->live->attach, TP_FOLLOW, TP_FOLLOW_NAME, &sw);
}

/* Why this tracepoint cannot be followed; "" = it can, NULL = this kernel does not have it. */
static const char *why_not(const struct live_follow *f, const struct tp_count *tp, uint32_t id,
			   bool begins)
{
	if (tp[id].state == TP_MISSING || !tp[id].name[0])
		return NULL;
	if (!is_rare(id) && !follow_available(f->programs))
		return "the classic backend only counts; following needs the kernel's BTF";
	if (tp[id].state == TP_ON || tp[id].pending || (begins && tp[id].state == TP_OFF))
		return "";
	return tp[id].reason[0] ? tp[id].reason : "it is off";
}

/* The tracepoints of a set that can be followed; `without` names the first that cannot. */
static uint32_t find_tracepoints(const struct live_follow *f, const struct tp_count *tp,
				 uint32_t wanted, bool begins, char *without, size_t size)
{
	uint32_t set = 0;

	without[0] = '\0';
	for (uint32_t id = 0; id < TP_COUNT; id++) {
		const char *why = wanted & BIT(id) ? why_not(f, tp, id, begins) : NULL;

		if (why && !why[0])
			set |= BIT(id);
		else if (why && !without[0])
			snprintf(without, size, "%s: %s", tp[id].name, why);
	}
	return set;
}

/* Losses so far belong to an earlier filter. */
static void forget_losses(struct live_follow *f)
{
	const struct follow_cpu *counts = follow_counts(f->programs);

	for (uint32_t cpu = 0; counts && cpu < f->live->memory->cpus; cpu++)
		for (uint32_t id = 0; id < TP_COUNT; id++)
			f->told[cpu * TP_COUNT + id] = counts[cpu].count[id].lost;
	for (uint32_t id = 0; id < TP_COUNT; id++)
		f->rare_told[id] = f->live->memory->events_lost[id];
}

void live_follow_series(struct live_follow *f, const struct follow_filter *filter)
{
	size_t next = 0;

	for (size_t i = 0; f->tracepoints && i < f->table->n; i++) {
		const struct slot *slot = &f->table->slot[i];

		while (next < filter->n_series && filter->series[next] < slot->series.id)
			next++;
		/* when the table is full, events have no series to choose by */
		if (slot->slot >= TP_COUNT)
			follow_mark(f->programs, slot->slot,
				    next < filter->n_series &&
					    filter->series[next] == slot->series.id);
	}
}

/* The counting programs write the events, so tracepoints that are off are on meanwhile. */
static void switch_on(struct live_follow *f, const struct tp_count *tp, uint32_t wanted)
{
	for (uint32_t id = 0; id < TP_COUNT; id++) {
		if (f->switched & BIT(id) && !(wanted & BIT(id))) {
			attach_toggle(f->live->attach, id, 0);
			f->switched &= ~BIT(id);
		} else if (wanted & BIT(id) && tp[id].state == TP_OFF && !tp[id].pending &&
			   attach_toggle(f->live->attach, id, 1) == 1) {
			f->switched |= BIT(id);
		}
	}
}

int live_follow(struct live_follow *f, const struct follow_filter *filter, struct error *error)
{
	struct attach *attach = f->live->attach;
	struct tp_count tp[TP_COUNT] = { 0 };
	char without[SNAPSHOT_REASON_LEN];
	int err;

	if (filter && filter->tracepoints) {
		attach_states(attach, 0, tp);
		if (!find_tracepoints(f, tp, filter->tracepoints, true, without, sizeof(without)))
			return error_set(error, -ENOENT, "%s",
					 without[0] ? without
						    : "this kernel has none of the tracepoints");
	}
	f->tracepoints = 0;
	free(f->read);
	f->read = NULL;
	f->n_read = f->cap_read = 0;
	attach_toggle(attach, TP_FOLLOW, 0);
	switch_on(f, tp, filter ? filter->tracepoints : 0);
	if (!filter || !filter->tracepoints)
		return follow_choose(f->programs, 0);
	attach_wait(attach);
	err = follow_choose(f->programs, filter->tracepoints);
	if (err)
		return error_set(error, err, "%s", strerror(-err));
	forget_losses(f);
	clock_wall_update(&f->wall_ns);
	f->tracepoints = filter->tracepoints;
	live_follow_series(f, filter);
	attach_toggle(attach, TP_FOLLOW, 1);
	return 0;
}

static struct followed *followed_add(struct live_follow *f, uint32_t tracepoint, int cpu,
				     uint64_t ktime_ns)
{
	struct followed *to = snapshot_add_followed(f->to);

	to->event.time = ns_to_timespec((int64_t)ktime_ns + f->wall_ns);
	to->event.tracepoint = tracepoint;
	to->event.cpu = cpu;
	return to;
}

/* Losses of a tracepoint on a CPU that have not yet been reported. */
static uint64_t tell_losses(struct live_follow *f, uint32_t cpu, uint32_t tracepoint, uint64_t lost)
{
	uint64_t *told = &f->told[cpu * TP_COUNT + tracepoint], before = *told;

	if (lost <= before)
		return 0;
	*told = lost;
	return lost - before;
}

/* The series of an event; NULL = it found the table full. */
static const struct series *series_of(const struct live_follow *f, const struct follow_event *e)
{
	uint32_t at = e->slot < f->live->memory->slots ? f->at[e->slot] : 0;
	const struct series *s = at ? &f->table->slot[at - 1].series : NULL;

	return s && s->tracepoint == e->tracepoint && !memcmp(&s->key, &e->key, sizeof(e->key))
		       ? s
		       : NULL;
}

static void device_name(const struct live_follow *f, uint32_t netns, uint32_t ifindex,
			char name[SNAPSHOT_NAME_LEN])
{
	const struct netdev_entry *entry;

	if (!ifindex || !f->live->netdevs)
		return;
	entry = netdev_table_find(netdev_monitor_hold(f->live->netdevs), netns, ifindex);
	if (entry)
		snprintf(name, SNAPSHOT_NAME_LEN, "%s", entry->link.device.name);
	netdev_monitor_release(f->live->netdevs);
}

static void set_record(struct live_follow *f, struct followed *to, const struct follow_event *e)
{
	const struct series *s = series_of(f, e);

	to->event.key = e->key;
	to->event.pid = e->pid;
	to->known = e->known;
	for (int i = 0; i < FOLLOW_ARGS; i++)
		to->arg[i] = e->arg[i];
	if (e->pid)
		sanitize(to->event.comm, sizeof(to->event.comm), e->comm, SERIES_NAME_LEN);
	if (!s) {
		device_name(f, e->key.netns, e->key.ifindex, to->event.ifname);
		if (tracepoints[e->tracepoint].has & HAS_TO_DEVICE && e->key.to_netns)
			device_name(f, e->key.to_netns, e->key.target, to->event.to_ifname);
		bpf_objects_full_name(f->live->objects, e->key.prog_id, to->event.prog_name);
		return;
	}
	to->series = s->id;
	memcpy(to->event.ifname, s->ifname, sizeof(to->event.ifname));
	memcpy(to->event.to_ifname, s->to_ifname, sizeof(to->event.to_ifname));
	memcpy(to->event.prog_name, s->prog_name, sizeof(to->event.prog_name));
}

static void set_other(struct live_follow *f, struct followed *to, const struct follow_event *e)
{
	char text[SNAPSHOT_TEXT_LEN];

	follow_other_text(f->programs, e, text, sizeof(text));
	sanitize(to->event.text, sizeof(to->event.text), text, sizeof(text));
}

static void take_event(void *ctx, uint32_t cpu, const struct follow_event *e)
{
	struct live_follow *f = ctx;
	struct followed *to = followed_add(f, e->tracepoint, (int)cpu, e->ktime_ns);

	to->event.left_out = tell_losses(f, cpu, e->tracepoint, e->lost);
	if (e->tracepoint < TP_OTHER)
		set_record(f, to, e);
	else
		set_other(f, to, e);
}

/* The id of the series that counted a rare event; 0 = none. It may lack the device. */
static uint64_t rare_series(const struct live_follow *f, const struct series_event *e)
{
	uint64_t id = 0;

	for (size_t i = 0; i < f->table->n; i++) {
		const struct series *s = &f->table->slot[i].series;

		if (s->tracepoint == e->tracepoint && s->key.netns == e->key.netns &&
		    (s->key.ifindex == e->key.ifindex || (!s->key.ifindex && !id)))
			id = s->id;
	}
	return id;
}

void live_follow_rare(struct live_follow *f, const struct series_event *e,
		      const struct event *event, struct snapshot *at)
{
	struct followed *to;

	if (!is_rare(e->tracepoint) || !(f->tracepoints & BIT(e->tracepoint)))
		return;
	to = snapshot_add_followed(at);
	to->event = *event;
	to->event.time = ns_to_timespec((int64_t)e->ktime_ns + f->wall_ns);
	to->event.left_out = 0;
	sanitize(to->event.text, sizeof(to->event.text), e->text, sizeof(e->text));
	to->series = rare_series(f, e);
	if (e->tracepoint != TP_MEM_CONNECT && e->tracepoint != TP_MEM_DISCONNECT)
		return;
	to->arg[FOLLOW_MEM_ID] = e->mem_id;
	to->arg[FOLLOW_MEM_TYPE] = e->mem_type;
	to->arg[FOLLOW_QUEUE] = e->queue;
	to->known = BIT(FOLLOW_MEM_ID) | BIT(FOLLOW_MEM_TYPE);
	if (e->tracepoint == TP_MEM_CONNECT && e->queue != SERIES_QUEUE_UNKNOWN)
		to->known |= BIT(FOLLOW_QUEUE);
}

static void add_lost(struct live_follow *f, uint32_t tracepoint, int cpu, uint64_t lost)
{
	struct followed *to = lost ? followed_add(f, tracepoint, cpu, clock_ns()) : NULL;

	if (!to)
		return;
	to->kind = FOLLOWED_LOST;
	to->event.left_out = lost;
}

/* Add losses after the last events, since no event reports them. */
static void add_losses(struct live_follow *f)
{
	const struct follow_cpu *counts = follow_counts(f->programs);

	for (uint32_t id = 0; id < TP_COUNT; id++) {
		uint64_t lost = f->live->memory->events_lost[id];

		if (!(f->tracepoints & BIT(id)))
			continue;
		if (is_rare(id)) {
			add_lost(f, id, -1, lost - f->rare_told[id]);
			f->rare_told[id] = lost;
			continue;
		}
		for (uint32_t cpu = 0; counts && cpu < f->live->memory->cpus; cpu++) {
			lost = f->lost[cpu * TP_COUNT + id];
			add_lost(f, id, (int)cpu, tell_losses(f, cpu, id, lost));
		}
	}
}

/* By time. Events are almost sorted: by CPU, after the rare ones. */
static void followed_sort(struct followed *row, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int64_t time = timespec_to_ns(&row[i].event.time);
		struct followed moved;
		size_t at = i;

		while (at && timespec_to_ns(&row[at - 1].event.time) > time)
			at--;
		if (at == i)
			continue;
		moved = row[i];
		memmove(&row[at + 1], &row[at], (i - at) * sizeof(*row));
		row[at] = moved;
	}
}

static void keep_event(void *ctx, uint32_t cpu, const struct follow_event *e)
{
	struct live_follow *f = ctx;

	*array_append(f->read, f->n_read, f->cap_read) = (struct read_event){ cpu, *e };
}

/* Before the series are read, which say what was lost of each: they must not say less. */
static void read_losses(struct live_follow *f)
{
	const struct follow_cpu *counts = follow_counts(f->programs);

	for (uint32_t cpu = 0; counts && cpu < f->live->memory->cpus; cpu++)
		for (uint32_t id = 0; id < TP_COUNT; id++)
			f->lost[cpu * TP_COUNT + id] =
				*(const volatile __u64 *)&counts[cpu].count[id].lost;
}

void live_follow_read(struct live_follow *f)
{
	read_losses(f);
	f->drained = f->tracepoints && f->n_read < f->max &&
		     follow_events(f->programs, keep_event, f, f->max - f->n_read);
}

void live_follow_sample(struct live_follow *f, struct snapshot *to)
{
	struct tp_count *tp = &to->tp[TP_FOLLOW];
	const struct follow_cpu *counts = follow_counts(f->programs);
	char without[SNAPSHOT_REASON_LEN];

	for (uint32_t cpu = 0; counts && cpu < f->live->memory->cpus; cpu++)
		for (uint32_t id = 0; id < TP_COUNT; id++)
			tp->events_lost += counts[cpu].count[id].lost;
	clock_wall_update(&f->wall_ns);
	if (!f->tracepoints)
		return;
	find_tracepoints(f, to->tp, f->tracepoints, false, without, sizeof(without));
	if (tp->state == TP_ON && without[0])
		snprintf(tp->reason, sizeof(tp->reason), "without %s", without);
	f->to = to;
	memset(f->at, 0, f->live->memory->slots * sizeof(*f->at));
	for (size_t i = 0; i < f->table->n; i++)
		f->at[f->table->slot[i].slot] = (uint32_t)i + 1;
	for (size_t i = 0; i < f->n_read; i++)
		take_event(f, f->read[i].cpu, &f->read[i].event);
	f->n_read = 0;
	if (f->drained)
		add_losses(f);
	followed_sort(to->followed, to->n_followed);
}
