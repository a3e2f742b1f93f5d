// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/verdicts_live.h"

#include <errno.h>
#include <stdio.h>
#include "base/clock.h"
#include "base/sanitize.h"
#include "inventory/bpf_objects.h"
#include "model/netns_names.h"
#include "source/data_source.h"
#include "source/live_source.h"
#include "source/packet_kinds.h"
#include "source/verdicts.h"
#include "tracing/attach.h"
#include "tracing/fib_lookups.h"
#include "tracing/verdict_traces.h"

#define START_MS   1000 /* the first snapshot waits for traces of attached programs */
#define FIND_AGAIN UINT64_MAX

static void set_refused(struct program *p, const char *reason)
{
	p->verdicts = PROGRAM_VERDICTS_REFUSED;
	snprintf(p->verdicts_reason, sizeof(p->verdicts_reason), "%s", reason);
}

/* An offloaded program has no instructions on the host that a trace could attach to. */
static void set_offloaded(struct snapshot *to)
{
	for (size_t i = 0; i < snapshot_n_netdevs(to); i++) {
		const struct netdev *d = &snapshot_netdevs(to)[i];
		struct program *p = d->mode != NETDEV_OFFLOAD || d->gone
					    ? NULL
					    : (struct program *)program_find(to, d->prog_id);

		if (p)
			set_refused(p, "it runs on the device itself (offload)");
	}
}

static void make_room(struct verdicts_live *v, size_t n)
{
	v->n = 0;
	array_reserve(v->attached, v->cap, n);
	array_reserve(v->capture.choices, v->capture.cap, v->capture.fn ? n : 0);
}

static void add_program(struct verdicts_live *v, const struct program *p,
			const struct timespec *now)
{
	int64_t age = (int64_t)(clock_ns() - p->not_before_ns);
	struct capture_choices *choices = v->capture.fn ? &v->capture.choices[v->n] : NULL;

	if (choices &&
	    !capture_filter_program(&v->capture.filter, p->prog_id, p->prog_name, choices))
		choices = NULL;
	v->attached[v->n++] = (struct verdict_attached){
		.prog_id = p->prog_id,
		.not_before = ns_to_timespec(timespec_to_ns(now) - age),
		.capture = choices,
	};
}

/* The attached programs and their parts. */
static void find_programs(struct verdicts_live *v, struct snapshot *to, const struct timespec *now)
{
	size_t n = to->rows[DATA_SOURCE_PROGRAMS].n;
	struct program *p = to->rows[DATA_SOURCE_PROGRAMS].row;

	make_room(v, n);
	for (size_t i = 0; i < n; i++) {
		p[i].verdicts = PROGRAM_VERDICTS_OFF;
		if (!v->traces)
			set_refused(&p[i], error_text(&v->untraced));
	}
	set_offloaded(to);
	for (size_t i = 0; i < n; i++)
		if (p[i].verdicts == PROGRAM_VERDICTS_OFF)
			add_program(v, &p[i], now);
}

/* The same, only if the attached programs changed since the last look. */
static void find_programs_now(struct verdicts_live *v, const struct timespec *now)
{
	const struct netdev_table *t = netdev_monitor_hold(v->live->netdevs);
	uint64_t changes = t->version + t->programs;
	const struct program *p;
	size_t n;

	netdev_monitor_release(v->live->netdevs);
	if (changes == v->changes)
		return;
	programs_look(v->live, &p, &n);
	attached_programs_read_now(&v->offload, v->live->netdevs, true);
	make_room(v, n);
	for (size_t i = 0; i < n; i++)
		if (!attached_programs_has(&v->offload, p[i].prog_id))
			add_program(v, &p[i], now);
	v->changes = changes;
}

static int add_queue(struct snapshot *to, const struct verdict *like, const struct verdict_queue *q)
{
	for (uint32_t act = 0; act < VERDICT_ACTS; act++) {
		const struct verdict_counters c = q->act[act];
		struct verdict *row;

		if (!c.packets)
			continue;
		if (to->rows[DATA_SOURCE_VERDICTS].n == VERDICTS_MAX)
			return -E2BIG;
		row = snapshot_add_row(to, DATA_SOURCE_VERDICTS, sizeof(*row));
		*row = *like;
		row->netns = q->netns;
		row->ifindex = q->ifindex;
		row->queue = q->ifindex ? q->queue : VERDICT_QUEUE_UNKNOWN;
		row->act = act;
		row->packets = c.packets;
		row->bytes = c.bytes;
	}
	return 0;
}

/* Add all rows of a trace or, if they do not fit (-E2BIG), none. */
static int add_trace(struct verdicts_live *v, struct snapshot *to,
		     const struct verdict_trace *trace)
{
	struct verdict like = { .prog_id = trace->prog_id,
				.trace = trace->number,
				.unseen_from = trace->unseen_from,
				.unseen_until = trace->unseen_until };
	size_t before = to->rows[DATA_SOURCE_VERDICTS].n;
	int err = 0;

	for (uint32_t cpu = 0; trace->cpu && cpu < v->live->memory->cpus && !err; cpu++) {
		like.cpu = cpu;
		if (!trace->cpu[cpu].events)
			continue;
		for (int i = 0; i <= VERDICT_REST && !err; i++) {
			const struct verdict_queue *q = &trace->cpu[cpu].queue[i];

			if (i == VERDICT_REST || __atomic_load_n(&q->used, __ATOMIC_ACQUIRE))
				err = add_queue(to, &like, q);
		}
	}
	if (err)
		to->rows[DATA_SOURCE_VERDICTS].n = before;
	return err;
}

static void set_program(struct verdicts_live *v, struct snapshot *to,
			const struct verdict_trace *trace, bool too_many)
{
	static const enum program_verdicts states[] = {
		[VERDICT_ASKED] = PROGRAM_VERDICTS_ASKED,
		[VERDICT_ON] = PROGRAM_VERDICTS_ON,
		[VERDICT_REFUSED] = PROGRAM_VERDICTS_REFUSED,
		[VERDICT_OFF] = PROGRAM_VERDICTS_OFF,
	};
	struct program *p = (struct program *)program_find(to, trace->prog_id);

	if (!p)
		return;
	p->verdicts = states[trace->state];
	p->verdicts_missed = trace->missed;
	if (trace->state != VERDICT_REFUSED) {
		p->unseen_from = trace->unseen_from;
		p->unseen_until = trace->unseen_until;
	}
	snprintf(p->verdicts_reason, sizeof(p->verdicts_reason), "%s", trace->reason);
	if (too_many)
		set_refused(p, "the programs before it already fill the table of queues and CPUs");
}

static void take_packet(void *ctx, const struct capture_record *r)
{
	struct verdicts_live *v = ctx;
	struct packet p = {
		.time = ns_to_timespec((int64_t)r->ktime_ns + v->capture.wall_ns),
		.record = *r,
	};

	sanitize(p.ifname, sizeof(p.ifname), r->ifname, sizeof(r->ifname));
	snprintf(p.netns, sizeof(p.netns), "%s", netns_names_get(v->live->netns, r->netns) ?: "");
	snprintf(p.prog_name, sizeof(p.prog_name), "%s",
		 bpf_objects_program(v->live->objects, r->prog_id) ?: "");
	if (r->stage != CAPTURE_PAIR_BEFORE && packet_kinds_covers(&v->capture.filter))
		packet_kinds_add(v->live->packet_kinds, &p);
	v->capture.fn(v->capture.ctx, &p);
}

static void take_packets(struct verdicts_live *v)
{
	if (!v->traces || !v->capture.fn)
		return;
	clock_wall_update(&v->capture.wall_ns);
	verdict_traces_packets(v->traces, take_packet, v);
}

int verdicts_live_capture(void *state, const struct capture_filter *filter, packet_fn fn, void *ctx,
			  struct error *error)
{
	struct verdicts_live *v = state;
	const char *why =
		v->traces ? verdict_traces_no_capture(v->traces) : error_text(&v->untraced);

	if (filter && why)
		return error_set(error, -ENOENT, "%s", why);
	/* packets of the previous filter */
	if (v->traces && v->capture.fn)
		verdict_traces_end_captures(v->traces);
	take_packets(v);
	v->capture.fn = filter ? fn : NULL;
	v->capture.ctx = ctx;
	if (filter)
		v->capture.filter = *filter;
	v->live->host->reads_packets = filter;
	for (size_t i = 0; i < v->n; i++)
		v->attached[i].capture = NULL;
	v->changes = FIND_AGAIN;
	return 0;
}

const char *verdicts_live_captured(void *state, uint32_t prog_id, struct capture_counts *n)
{
	struct tp_count tp[TP_COUNT] = { 0 }, *of = &tp[TP_VERDICTS];
	struct verdicts_live *v = state;
	const char *why;

	if (!v->traces) {
		*n = prog_id ? (struct capture_counts){ 0 } : v->capture.ended;
		return error_text(&v->untraced);
	}
	*n = verdict_traces_captured(v->traces, prog_id);
	why = verdict_traces_no_capture(v->traces);
	attach_states(v->live->attach, 0, tp);
	if (why || of->state == TP_ON)
		return why;
	error_set(&v->capture.off, 0, "verdicts are %s%s%s%s", tp_state_name(of->state),
		  of->reason[0] ? ": " : "", of->reason,
		  of->state == TP_SHED ? "; --budget 0 sets no limit" : "");
	return v->capture.off.text;
}

static void close_traces(struct verdicts_live *v, const char *reason)
{
	/* until here the worker may use them */
	if (v->traces) {
		attach_end_switch(v->live->attach, TP_VERDICTS, reason);
		take_packets(v);
		v->capture.ended = verdict_traces_captured(v->traces, 0);
	}
	fib_lookups_switch(v->live->fib_lookups, false);
	verdict_traces_close(v->traces);
	v->traces = NULL;
}

/* The process has ended, and with it all traces. */
static void set_ended(struct verdicts_live *v)
{
	struct snapshot_process *p = &v->live->host->process[PROCESS_VERDICTS];

	snprintf(p->reason, sizeof(p->reason), "process %u, which traced programs, was killed",
		 p->pid);
	error_set(&v->untraced, -ECHILD, "%s", p->reason);
	close_traces(v, p->reason);
	p->pid = 0;
	p->caps = 0;
}

/* Programs that cannot be listed now are traced with the next snapshot. */
void verdicts_live_look(void *state)
{
	struct verdicts_live *v = state;
	struct timespec now;
	uint64_t known_ns;

	if (!v->traces || !v->live->netdevs)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	netdev_monitor_look(v->live->netdevs);
	known_ns = netdev_monitor_known_ns(v->live->netdevs);
	find_programs_now(v, &now);
	if (verdict_traces_follow(v->traces, v->attached, v->n, &now))
		set_ended(v);
	take_packets(v);
	v->live->looked_ns = known_ns;
}

int verdicts_live_start(void *state)
{
	struct verdicts_live *v = state;

	verdicts_live_look(v);
	if (v->traces)
		verdict_traces_wait(v->traces, START_MS);
	return 0;
}

int verdicts_live_sample(void *state, struct snapshot *to)
{
	struct verdicts_live *v = state;
	const struct verdict_trace *trace;
	struct timespec now;
	size_t n = 0;

	clock_gettime(CLOCK_REALTIME, &now);
	find_programs(v, to, &now);
	if (v->traces && verdict_traces_follow(v->traces, v->attached, v->n, &now)) {
		set_ended(v);
		find_programs(v, to, &now);
	}
	if (!v->traces)
		return 0;
	take_packets(v);
	to->tp[TP_VERDICTS].missed = verdict_traces_missed(v->traces);
	trace = verdict_traces(v->traces, &n);
	for (size_t i = 0; i < n; i++)
		set_program(v, to, &trace[i], add_trace(v, to, &trace[i]) == -E2BIG);
	verdict_traces_sampled(v->traces);
	data_source_sort(to, DATA_SOURCE_VERDICTS);
	return 0;
}

void verdicts_live_close(void *state)
{
	struct verdicts_live *v = state;

	close_traces(v, "");
	attached_programs_free(&v->offload);
	free(v->capture.choices);
	free(v->attached);
}

static int switch_traces(void *ctx, bool on)
{
	struct verdicts_live *v = ctx;

	verdict_traces_switch(v->traces, on);
	return fib_lookups_switch(v->live->fib_lookups, on);
}

static void meter_traces(void *ctx, struct series_cpu *cpu, uint32_t cpus, int tracepoint)
{
	struct verdicts_live *v = ctx;

	verdict_traces_meter(v->traces, cpu, cpus, tracepoint);
	fib_lookups_meter(v->live->fib_lookups, cpu, cpus, tracepoint);
}

int verdicts_live_open(void *state, struct live *live, struct error *error)
{
	struct attach_switch by = { .set = switch_traces, .meter = meter_traces };
	struct snapshot_process *p = &live->host->process[PROCESS_VERDICTS];
	struct verdicts_live *v = state;
	const char *why;

	v->live = live;
	if (!live->trace->verdicts)
		return error_set(error, 1, "not asked for (--verdicts)");
	v->traces = verdict_traces_open(live->memory->cpus, live->trace->captures, &v->untraced);
	by.ctx = v;
	why = !v->traces              ? error_text(&v->untraced)
	      : live->trace->captures ? verdict_traces_no_capture(v->traces)
				      : NULL;
	live->no_packets = why;
	if (live->trace->needs_captures && why) {
		error->exit_code = EXIT_NO_TRACEPOINT;
		return error_set(error, -EPERM, "packets cannot be read: %s", why);
	}
	if (v->traces)
		p->pid = (uint32_t)verdict_traces_pid(v->traces, &p->caps);
	else
		snprintf(p->reason, sizeof(p->reason), "%s", error_text(&v->untraced));
	attach_add_switch(live->attach, TP_VERDICTS, TP_VERDICTS_NAME, v->traces ? &by : NULL,
			  error_text(&v->untraced));
	return 0;
}
