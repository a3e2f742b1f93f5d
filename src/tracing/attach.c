// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tracing/backend.h"
#include "tracing/overhead.h"
#include "tracing/attach.h"
#include "base/clock.h"
#include "base/memory.h"

/* After two windows in a row over the budget the costliest tracepoint is detached. */
#define BUDGET_WINDOW_NS (200 * NSEC_PER_MSEC)
#define BUDGET_STRIKES   2

struct tp_link {
	struct bpf_program *program; /* NULL = not loaded */
	struct bpf_link *link;
	struct attach_switch sw; /* .set NULL = no switch */
	enum tp_state state;
	bool on;     /* attached, or switched on */
	bool hidden; /* has no name in snapshots until it is asked for */
	bool want;   /* to be on; the worker attaches and detaches */
	char name[sizeof(((struct tp_count *)0)->name)];
	char reason[SNAPSHOT_REASON_LEN];
	uint64_t on_since; /* CLOCK_MONOTONIC */
	uint64_t on_ns;    /* time on before on_since */
};

struct attach {
	struct tp_link tp[TP_COUNT];
	const struct backend_ops *ops;
	struct backend *backend;
	struct series_cpu *cpu;
	uint32_t switches;        /* bits 1 << id of rows that have or had a switch */
	struct overhead overhead; /* computed by the worker per budget window */
	double budget;
	int strikes;
	uint64_t window_start;

	pthread_t worker;
	bool started;
	pthread_mutex_t lock; /* protects tp[], suspended, stop */
	pthread_cond_t wake;  /* to the worker: something changed */
	pthread_cond_t done;  /* from the worker: everything is applied */
	bool suspended, stop;
	bool busy; /* the worker is attaching or detaching, without the lock */
};

static bool tp_wanted(const struct attach *a, const struct tp_link *tp)
{
	return tp->want && !a->suspended;
}

/* Neither takes the lock, because only one thread, the worker, changes links. 0 or -errno. */
static int tp_attach(const struct attach *a, int id, struct tp_link *tp)
{
	if (tp->sw.set)
		return tp->sw.set(tp->sw.ctx, true);
	tp->link = a->ops->attach(a->backend, id, tp->program);
	return tp->link ? 0 : -errno;
}

static void tp_detach(struct tp_link *tp)
{
	if (tp->sw.set)
		tp->sw.set(tp->sw.ctx, false);
	bpf_link__destroy(tp->link);
	tp->link = NULL;
}

static void tp_attached(struct tp_link *tp, int err)
{
	if (err) {
		tp->state = TP_FAILED;
		tp->want = false;
		/*
		 * perf_event_open(): with the value 3, as in Debian, even CAP_PERFMON does not
		 * suffice
		 */
		snprintf(tp->reason, sizeof(tp->reason), "attaching failed: %s%s", errno_text(err),
			 err == -EACCES ? "; run sysctl kernel.perf_event_paranoid=2, or start "
					  "xdptop with this tracepoint in -t"
					: "");
		return;
	}
	tp->on = true;
	tp->state = TP_ON;
	tp->reason[0] = '\0';
	tp->on_since = clock_ns();
}

static void tp_detached(struct tp_link *tp)
{
	tp->on = false;
	tp->on_ns += clock_ns() - tp->on_since;
	if (tp->state == TP_ON)
		tp->state = TP_OFF;
}

struct attach *attach_new(const struct backend_ops *ops, struct backend *backend,
			  const struct backend_object *object, const struct tp_count tp[TP_COUNT],
			  double budget, struct series_cpu *cpu, uint32_t cpus)
{
	struct attach *a = memory_new(1, sizeof(*a));
	pthread_condattr_t clock;

	overhead_init(&a->overhead, cpus);
	for (int id = 0; id < TP_COUNT; id++) {
		a->tp[id].program = object->program[id];
		a->tp[id].state = tp[id].state;
		memcpy(a->tp[id].name, tp[id].name, sizeof(tp[id].name));
		memcpy(a->tp[id].reason, tp[id].reason, sizeof(tp[id].reason));
	}
	a->ops = ops;
	a->backend = backend;
	a->budget = budget;
	a->cpu = cpu;
	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&a->wake, &clock);
	pthread_cond_init(&a->done, &clock);
	pthread_condattr_destroy(&clock);
	return a;
}

int attach_initial(struct attach *a, uint32_t set)
{
	int attached = 0;

	for (int id = 0; id < TP_COUNT; id++) {
		struct tp_link *tp = &a->tp[id];

		if (!(set & BIT(id)) || !tp->program)
			continue;
		tp->want = true;
		tp_attached(tp, tp_attach(a, id, tp));
		attached += tp->on;
	}
	return attached;
}

void attach_add_switch(struct attach *a, unsigned int tracepoint, const char *name,
		       const struct attach_switch *sw, const char *reason)
{
	struct tp_link *tp = &a->tp[tracepoint];

	snprintf(tp->name, sizeof(tp->name), "%s", name);
	if (!sw) {
		tp->state = TP_FAILED;
		snprintf(tp->reason, sizeof(tp->reason), "%s", reason);
		return;
	}
	tp->sw = *sw;
	a->switches |= BIT(tracepoint);
	tp->want = true;
	tp_attached(tp, tp_attach(a, (int)tracepoint, tp));
}

void attach_add_switch_off(struct attach *a, unsigned int tracepoint, const char *name,
			   const struct attach_switch *sw)
{
	struct tp_link *tp = &a->tp[tracepoint];

	snprintf(tp->name, sizeof(tp->name), "%s", name);
	tp->sw = *sw;
	tp->hidden = true;
	a->switches |= BIT(tracepoint);
}

/* Attach and detach until everything is as wanted. Called with the lock. Drops it for each link. */
static void apply_wanted(struct attach *a)
{
	for (int id = 0; id < TP_COUNT;) {
		struct tp_link *tp = &a->tp[id];
		bool on = tp_wanted(a, tp);
		int err = 0;

		if (on == tp->on) {
			id++;
			continue;
		}
		a->busy = true;
		pthread_mutex_unlock(&a->lock);
		if (on)
			err = tp_attach(a, id, tp);
		else
			tp_detach(tp);
		pthread_mutex_lock(&a->lock);
		a->busy = false;
		if (on)
			tp_attached(tp, err);
		else
			tp_detached(tp);
	}
	pthread_cond_broadcast(&a->done);
}

/*
 * The costliest per-packet tracepoint on the busiest CPU, or -1 if that CPU is within the budget.
 * Following ends first: without the tracepoint it would list nothing.
 */
static int find_to_shed(const struct attach *a, char *reason, size_t size)
{
	uint32_t cpu = overhead_busiest(&a->overhead);
	double all = overhead_percent(&a->overhead, cpu, -1), most = 0;
	int shed = -1;

	if (all <= a->budget)
		return -1;
	for (int id = 0; id < TP_COUNT; id++) {
		double percent = overhead_percent(&a->overhead, cpu, id);

		if (shed == TP_FOLLOW || !tracepoints[id].per_packet || !a->tp[id].on)
			continue;
		if (percent > most || (id == TP_FOLLOW && percent > 0)) {
			most = percent;
			shed = id;
		}
	}
	if (shed >= 0)
		snprintf(reason, size,
			 "took %.1f %% of CPU %u (all tracepoints: %.1f %%); the budget is %g %%",
			 most, cpu, all, a->budget);
	return shed;
}

/* Called with the lock. */
static void meter_switches(struct attach *a)
{
	for (int id = 0; id < TP_COUNT; id++) {
		const struct attach_switch *sw = &a->tp[id].sw;

		if (sw->set)
			sw->meter(sw->ctx, a->cpu, a->overhead.cpus, id);
	}
}

static void update_overhead(struct attach *a, double seconds)
{
	meter_switches(a);
	overhead_update(&a->overhead, a->cpu, seconds);
}

static void check_budget(struct attach *a)
{
	uint64_t now = clock_ns(), window = now - a->window_start;
	char reason[SNAPSHOT_REASON_LEN];
	int shed;

	if (window < BUDGET_WINDOW_NS)
		return;
	update_overhead(a, ns_to_seconds(window));
	a->window_start = now;
	shed = find_to_shed(a, reason, sizeof(reason));
	a->strikes = shed < 0 ? 0 : a->strikes + 1;
	if (a->strikes < BUDGET_STRIKES)
		return;
	a->strikes = 0;
	a->tp[shed].want = false;
	a->tp[shed].state = TP_SHED;
	memcpy(a->tp[shed].reason, reason, sizeof(reason));
}

static bool all_applied(const struct attach *a)
{
	for (int id = 0; id < TP_COUNT; id++)
		if (tp_wanted(a, &a->tp[id]) != a->tp[id].on)
			return false;
	return !a->busy;
}

static void *attach_worker(void *arg)
{
	struct attach *a = arg;

	pthread_mutex_lock(&a->lock);
	a->window_start = clock_ns();
	update_overhead(a, 0);
	while (!a->stop) {
		if (!all_applied(a)) {
			apply_wanted(a);
		} else if (a->budget > 0) {
			struct timespec at = ns_to_timespec(a->window_start + BUDGET_WINDOW_NS);

			pthread_cond_timedwait(&a->wake, &a->lock, &at);
			check_budget(a);
		} else {
			pthread_cond_wait(&a->wake, &a->lock);
		}
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

int attach_start_worker(struct attach *a)
{
	int err = a->started ? 0 : -pthread_create(&a->worker, NULL, attach_worker, a);

	if (!err)
		a->started = true;
	return err;
}

void attach_free(struct attach *a)
{
	if (!a)
		return;
	if (a->started) {
		pthread_mutex_lock(&a->lock);
		a->stop = true;
		pthread_cond_signal(&a->wake);
		pthread_mutex_unlock(&a->lock);
		pthread_join(a->worker, NULL);
	}
	for (int id = 0; id < TP_COUNT; id++)
		bpf_link__destroy(a->tp[id].link);
	overhead_free(&a->overhead);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->wake);
	pthread_cond_destroy(&a->done);
	free(a);
}

int attach_toggle(struct attach *a, unsigned int tracepoint, int on)
{
	struct tp_link *tp;

	if (tracepoint >= TP_COUNT)
		return -ENOENT;
	tp = &a->tp[tracepoint];
	if (!tp->program && !tp->sw.set)
		return -ENOENT;
	pthread_mutex_lock(&a->lock);
	if (on < 0)
		on = !tp->want;
	if (on)
		tp->hidden = false;
	if (tp->want != !!on) {
		tp->want = on;
		pthread_cond_signal(&a->wake);
	} else if (!on && tp->state == TP_SHED) {
		tp->state = TP_OFF; /* the user wants it off as well */
		tp->reason[0] = '\0';
	}
	pthread_mutex_unlock(&a->lock);
	return !!on;
}

/* Called with the lock. */
static void wait_applied(struct attach *a)
{
	if (!a->started)
		apply_wanted(a);
	pthread_cond_signal(&a->wake);
	while (!all_applied(a))
		pthread_cond_wait(&a->done, &a->lock);
}

void attach_wait(struct attach *a)
{
	pthread_mutex_lock(&a->lock);
	wait_applied(a);
	pthread_mutex_unlock(&a->lock);
}

void attach_suspend(struct attach *a, bool stop)
{
	pthread_mutex_lock(&a->lock);
	a->suspended = stop;
	wait_applied(a);
	pthread_mutex_unlock(&a->lock);
}

void attach_end_switch(struct attach *a, unsigned int tracepoint, const char *reason)
{
	struct tp_link *tp = &a->tp[tracepoint];

	pthread_mutex_lock(&a->lock);
	tp->want = false;
	wait_applied(a);
	meter_switches(a);
	tp->sw = (struct attach_switch){ 0 };
	tp->state = TP_FAILED;
	snprintf(tp->reason, sizeof(tp->reason), "%s", reason);
	pthread_mutex_unlock(&a->lock);
}

uint32_t attach_hold_meters(struct attach *a)
{
	pthread_mutex_lock(&a->lock);
	meter_switches(a);
	return a->switches;
}

void attach_release_meters(struct attach *a)
{
	pthread_mutex_unlock(&a->lock);
}

void attach_states(struct attach *a, uint64_t now, struct tp_count tp[TP_COUNT])
{
	pthread_mutex_lock(&a->lock);
	for (int id = 0; id < TP_COUNT; id++) {
		const struct tp_link *from = &a->tp[id];

		tp[id].state = from->state;
		tp[id].pending = from->want != from->on;
		tp[id].on_ns = from->on_ns;
		if (from->on && now > from->on_since)
			tp[id].on_ns += now - from->on_since;
		if (from->hidden)
			tp[id].name[0] = '\0';
		else
			memcpy(tp[id].name, from->name, sizeof(tp[id].name));
		memcpy(tp[id].reason, from->reason, sizeof(tp[id].reason));
	}
	pthread_mutex_unlock(&a->lock);
}
