// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/follow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/sanitize.h"
#include "inventory/bpf_objects.h"
#include "model/tracepoint.h"
#include "source/live_source.h"
#include "tracing/attach.h"
#include "tracing/follow.h"

/* An event as its program wrote it, a seventh of its size in a snapshot. */
struct read_event {
	uint32_t cpu;
	struct follow_event event;
};

struct live_follow {
	struct live *live;
	struct probe *probe;
	struct follow *programs;
	struct follow_filter filter; /* no tracepoints = nothing is followed */
	size_t max;                  /* limit per snapshot: what the rings have room for */
	uint64_t *told;              /* [CPU][TP_COUNT]: losses already reported in snapshots */
	uint64_t rare_told[TP_COUNT];
	int64_t wall_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC, the same for all events */
	char without[SNAPSHOT_REASON_LEN]; /* what the filter asks for that cannot be followed, and
					      why */

	struct read_event *read; /* events since the last snapshot */
	size_t n_read, cap_read;
	struct snapshot *to; /* while events are added */
	bool failed;
};

static bool is_rare(uint32_t tracepoint)
{
	return tracepoints[tracepoint].has & HAS_TEXT;
}

struct live_follow *live_follow_open(struct live *live, struct probe *probe)
{
	struct live_follow *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->live = live;
	f->probe = probe;
	f->programs = probe_follow(probe);
	/* take everything in the rings, so that later losses are reported with these events */
	f->max = live->trace->follow_events < FOLLOWED_MAX ? live->trace->follow_events
							   : FOLLOWED_MAX;
	f->told = calloc((size_t)live->memory->cpus * TP_COUNT, sizeof(*f->told));
	if (f->told)
		return f;
	free(f);
	return NULL;
}

void live_follow_close(struct live_follow *f)
{
	if (!f)
		return;
	free(f->read);
	free(f->told);
	free(f);
}

void live_follow_ready(struct live_follow *f)
{
	const struct attach_switch sw = { .set = follow_switch,
					  .meter = follow_meter,
					  .ctx = f->programs };

	probe_follow_ready(f->probe);
	attach_add_switch_off(f->live->attach, TP_FOLLOW, TP_FOLLOW_NAME, &sw);
}

/* Why this tracepoint cannot be followed; "" = it can, NULL = this kernel does not have it. */
static const char *why_not(const struct live_follow *f, const struct tp_count *tp, uint32_t id)
{
	if (tp[id].state == TP_MISSING || !tp[id].name[0])
		return NULL;
	if (is_rare(id))
		return tp[id].state == TP_ON
			       ? ""
			       : "it is off; turn it on (key t or -t): its events are listed only "
				 "while it is counted";
	if (follow_tracepoints(f->programs) & BIT(id))
		return "";
	return follow_reason(f->programs, id);
}

/* The tracepoints that can be followed; `without` names the first that cannot. */
static uint32_t find_tracepoints(const struct live_follow *f, const struct follow_filter *filter,
				 char without[SNAPSHOT_REASON_LEN])
{
	struct tp_count tp[TP_COUNT] = { 0 };
	uint32_t set = 0;

	attach_states(f->live->attach, 0, tp);
	without[0] = '\0';
	for (uint32_t id = 0; id < TP_COUNT; id++) {
		const char *why = filter->tracepoints & BIT(id) ? why_not(f, tp, id) : NULL;

		if (why && !why[0])
			set |= BIT(id);
		else if (why && !without[0])
			snprintf(without, SNAPSHOT_REASON_LEN, "%s: %s", tp[id].name, why);
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

static void forget_read(struct live_follow *f)
{
	free(f->read);
	f->read = NULL;
	f->n_read = f->cap_read = 0;
}

int live_follow(struct live_follow *f, const struct follow_filter *filter, struct error *error)
{
	struct attach *attach = f->live->attach;
	char without[SNAPSHOT_REASON_LEN];
	uint32_t set = 0;
	int err;

	if (filter && filter->tracepoints) {
		set = find_tracepoints(f, filter, without);
		if (!set)
			return error_set(error, -ENOENT, "%s",
					 without[0] ? without
						    : "this kernel has none of the tracepoints");
	}
	f->filter.tracepoints = 0;
	forget_read(f);
	attach_toggle(attach, TP_FOLLOW, 0);
	if (!set)
		return follow_choose(f->programs, 0, NULL);
	memcpy(f->without, without, sizeof(f->without));
	attach_wait(attach);
	err = follow_choose(f->programs, set, &filter->choices);
	if (err)
		return error_set(error, err, "%s", strerror(-err));
	forget_losses(f);
	clock_wall_update(&f->wall_ns);
	f->filter = *filter;
	f->filter.tracepoints = set;
	attach_toggle(attach, TP_FOLLOW, 1);
	return 0;
}

static struct followed *followed_add(struct live_follow *f, uint32_t tracepoint, int cpu,
				     uint64_t ktime_ns)
{
	struct followed *to = snapshot_add_followed(f->to);

	if (!to) {
		f->failed = true;
		return NULL;
	}
	to->event.time = ns_to_timespec((int64_t)ktime_ns + f->wall_ns);
	to->event.tracepoint = tracepoint;
	to->event.cpu = cpu;
	return to;
}

static void set_names(struct live_follow *f, struct event *to, const char *comm, const char *ifname,
		      const char *to_ifname, const char *prog_name)
{
	sanitize(to->comm, sizeof(to->comm), comm, SERIES_NAME_LEN);
	sanitize(to->ifname, sizeof(to->ifname), ifname, SERIES_NAME_LEN);
	sanitize(to->to_ifname, sizeof(to->to_ifname), to_ifname, SERIES_NAME_LEN);
	sanitize(to->prog_name, sizeof(to->prog_name), prog_name, SERIES_NAME_LEN);
	bpf_objects_full_name(f->live->objects, to->key.prog_id, to->prog_name);
}

/* Losses of a tracepoint on a CPU that were not reported yet. */
static uint64_t tell_losses(struct live_follow *f, uint32_t cpu, uint32_t tracepoint, uint64_t lost)
{
	uint64_t *told = &f->told[cpu * TP_COUNT + tracepoint], before = *told;

	if (lost <= before)
		return 0;
	*told = lost;
	return lost - before;
}

static void set_record(struct live_follow *f, struct followed *to, const struct follow_event *e)
{
	to->event.key = e->key;
	to->event.pid = e->pid;
	to->known = e->known;
	for (int i = 0; i < FOLLOW_ARGS; i++)
		to->arg[i] = e->arg[i];
	set_names(f, &to->event, e->pid ? e->comm : "", e->ifname, e->pid ? "" : e->to_ifname,
		  e->prog_name);
}

static void set_other(struct live_follow *f, struct followed *to, const struct follow_event *e)
{
	char text[SNAPSHOT_TEXT_LEN];

	follow_other_text(f->programs, e, text, sizeof(text));
	sanitize(to->event.text, sizeof(to->event.text), text, sizeof(text));
}

static void take_event(void *ctx, uint32_t cpu, const struct follow_event *e)
{
	static const struct follow_event none;
	struct live_follow *f = ctx;
	/* TP_OTHER and up have arguments in place of a key */
	const struct follow_event *by = e->tracepoint < TP_OTHER ? e : &none;
	struct followed *to;

	/* a program that still ran during the switch may report events of the previous filter */
	if (!follow_filter_match(&f->filter, e->tracepoint, &by->key, by->ifname,
				 e->pid ? none.to_ifname : by->to_ifname, by->prog_name))
		return;
	to = followed_add(f, e->tracepoint, (int)cpu, e->ktime_ns);
	if (!to)
		return;
	to->event.left_out = tell_losses(f, cpu, e->tracepoint, e->lost);
	if (e->tracepoint < TP_OTHER)
		set_record(f, to, e);
	else
		set_other(f, to, e);
}

void live_follow_rare(struct live_follow *f, const struct series_event *e, struct snapshot *at)
{
	struct followed *to;

	if (!is_rare(e->tracepoint) || !follow_filter_match(&f->filter, e->tracepoint, &e->key,
							    e->ifname, e->to_ifname, e->prog_name))
		return;
	f->to = at;
	to = followed_add(f, e->tracepoint, (int)e->cpu, e->ktime_ns);
	if (!to)
		return;
	to->event.key = e->key;
	to->event.pid = e->pid;
	set_names(f, &to->event, e->comm, e->ifname, e->to_ifname, e->prog_name);
	sanitize(to->event.text, sizeof(to->event.text), e->text, sizeof(e->text));
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

		if (!(f->filter.tracepoints & BIT(id)))
			continue;
		if (is_rare(id)) {
			add_lost(f, id, -1, lost - f->rare_told[id]);
			f->rare_told[id] = lost;
			continue;
		}
		for (uint32_t cpu = 0; counts && cpu < f->live->memory->cpus; cpu++) {
			lost = *(const volatile __u64 *)&counts[cpu].count[id].lost;
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

	if (array_reserve(f->read, f->cap_read, f->n_read + 1))
		f->failed = true;
	else
		f->read[f->n_read++] = (struct read_event){ cpu, *e };
}

void live_follow_read(struct live_follow *f)
{
	if (f->filter.tracepoints && f->n_read < f->max)
		follow_events(f->programs, keep_event, f, f->max - f->n_read);
}

/* Add events up to the limit of a snapshot. True = none are left. */
static bool add_events(struct live_follow *f, struct snapshot *to)
{
	f->to = to;
	for (size_t i = 0; i < f->n_read; i++)
		take_event(f, f->read[i].cpu, &f->read[i].event);
	f->n_read = 0;
	return to->n_followed < f->max &&
	       follow_events(f->programs, take_event, f, f->max - to->n_followed);
}

int live_follow_sample(struct live_follow *f, struct snapshot *to)
{
	struct tp_count *tp = &to->tp[TP_FOLLOW];
	const struct follow_cpu *counts = follow_counts(f->programs);

	tp->missed = follow_missed(f->programs);
	for (uint32_t cpu = 0; counts && cpu < f->live->memory->cpus; cpu++)
		for (uint32_t id = 0; id < TP_COUNT; id++)
			tp->events_lost += counts[cpu].count[id].lost;
	if (tp->state == TP_ON && f->without[0])
		snprintf(tp->reason, sizeof(tp->reason), "without %s", f->without);
	clock_wall_update(&f->wall_ns);
	if (!f->filter.tracepoints)
		return 0;
	if (add_events(f, to))
		add_losses(f);
	followed_sort(to->followed, to->n_followed);
	return f->failed ? -ENOMEM : 0;
}
