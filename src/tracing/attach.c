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
#include "model/tracepoint.h"

/* Windows of the budget: two in a row over it, and the costliest tracepoint is switched off. */
#define BUDGET_WINDOW_NS (200 * NSEC_PER_MSEC)
#define BUDGET_STRIKES   2

struct link {
	bool loaded; /* else it cannot be attached */
	struct bpf_link *link;
	enum tp_state state;
	bool want;    /* attached, or to be attached by the worker */
	bool pending; /* the worker has not come to it yet */
	char reason[SNAPSHOT_REASON_LEN];
	uint64_t on_since, on_ns; /* monotonic; time attached before on_since */
};

struct attach {
	struct link tp[TP_COUNT];
	const struct backend_ops *ops;
	struct backend *backend;
	const struct series_cpu *cpu;
	struct overhead cost; /* the worker's own, per budget window */
	double budget;
	int strikes;
	uint64_t window_start;

	pthread_t worker;
	bool started;
	pthread_mutex_t lock; /* tp[], suspended, stop */
	pthread_cond_t wake;  /* there is something for the worker */
	pthread_cond_t done;  /* the worker has nothing left to do */
	bool suspended, stop;
};

static bool link_wanted(const struct attach *l, const struct link *tp)
{
	return tp->want && !l->suspended;
}

static void link_attached(struct link *tp, struct bpf_link *link, int err)
{
	if (err) {
		tp->state = TP_FAILED;
		tp->want = false;
		/* EACCES is what perf events say; Debian's 3 asks for more than CAP_PERFMON */
		snprintf(tp->reason, sizeof(tp->reason), "attaching failed: %s%s", strerror(-err),
			 err == -EACCES ? "; sysctl kernel.perf_event_paranoid=2 allows it, or "
					  "-t at start"
					: "");
		return;
	}
	tp->link = link;
	tp->state = TP_ON;
	tp->reason[0] = '\0';
	tp->on_since = clock_ns();
}

static void link_detached(struct link *tp)
{
	tp->link = NULL;
	tp->on_ns += clock_ns() - tp->on_since;
	if (tp->state == TP_ON)
		tp->state = TP_OFF;
}

struct attach *attach_new(const struct backend_ops *ops, struct backend *backend,
			  const struct tp_count tp[TP_COUNT], double budget,
			  const struct series_cpu *cpu, uint32_t cpus)
{
	struct attach *l = calloc(1, sizeof(*l));
	pthread_condattr_t clock;

	if (!l || overhead_init(&l->cost, cpus)) {
		free(l);
		return NULL;
	}
	for (int id = 0; id < TP_COUNT; id++) {
		l->tp[id].loaded = ops->program(backend, id);
		l->tp[id].state = tp[id].state;
		memcpy(l->tp[id].reason, tp[id].reason, sizeof(tp[id].reason));
	}
	l->ops = ops;
	l->backend = backend;
	l->budget = budget;
	l->cpu = cpu;
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&l->wake, &clock);
	pthread_cond_init(&l->done, &clock);
	pthread_condattr_destroy(&clock);
	return l;
}

int attach_at_start(struct attach *l, uint32_t set)
{
	int attached = 0;

	for (int id = 0; id < TP_COUNT; id++) {
		struct link *tp = &l->tp[id];
		struct bpf_link *link;

		if (!(set & 1U << id) || !tp->loaded)
			continue;
		link = l->ops->attach(l->backend, id);
		tp->want = true;
		link_attached(tp, link, link ? 0 : -errno);
		attached += !!link;
	}
	return attached;
}

/* Bring every link to what is wanted. Entered and left with the lock held; drops it meanwhile. */
static void links_work(struct attach *l)
{
	for (int id = 0; id < TP_COUNT;) {
		struct link *tp = &l->tp[id];
		struct bpf_link *link = tp->link;
		bool on = link_wanted(l, tp);
		int err = 0;

		if (on == !!link) {
			tp->pending = false;
			id++;
			continue;
		}
		pthread_mutex_unlock(&l->lock);
		if (on) {
			link = l->ops->attach(l->backend, id);
			err = link ? 0 : -errno;
		} else {
			bpf_link__destroy(link);
		}
		pthread_mutex_lock(&l->lock);
		if (on)
			link_attached(tp, link, err);
		else
			link_detached(tp);
	}
	pthread_cond_broadcast(&l->done);
}

/* Over the budget on some CPU: the costliest tracepoint there that may be shed, or -1. */
static int links_over_budget(const struct attach *l, char *reason, size_t size)
{
	uint32_t cpu = overhead_busiest(&l->cost);
	double all = overhead_percent(&l->cost, cpu, -1), most = 0;
	int shed = -1;

	if (all <= l->budget)
		return -1;
	for (int id = 0; id < TP_COUNT; id++) {
		double percent = overhead_percent(&l->cost, cpu, id);

		if (tracepoints[id].per_packet && l->tp[id].link && percent > most) {
			most = percent;
			shed = id;
		}
	}
	if (shed >= 0)
		snprintf(reason, size,
			 "took %.1f %% of CPU %u (all together %.1f %%), the budget is %g %%", most,
			 cpu, all, l->budget);
	return shed;
}

static void links_check_budget(struct attach *l)
{
	uint64_t now = clock_ns(), window = now - l->window_start;
	char reason[SNAPSHOT_REASON_LEN];
	int shed;

	if (window < BUDGET_WINDOW_NS)
		return;
	overhead_update(&l->cost, l->cpu, ns_to_seconds(window));
	l->window_start = now;
	shed = links_over_budget(l, reason, sizeof(reason));
	l->strikes = shed < 0 ? 0 : l->strikes + 1;
	if (l->strikes < BUDGET_STRIKES)
		return;
	l->strikes = 0;
	l->tp[shed].want = false;
	l->tp[shed].state = TP_SHED;
	memcpy(l->tp[shed].reason, reason, sizeof(reason));
}

static bool links_settled(const struct attach *l)
{
	for (int id = 0; id < TP_COUNT; id++)
		if (link_wanted(l, &l->tp[id]) != !!l->tp[id].link)
			return false;
	return true;
}

static void *links_worker(void *arg)
{
	struct attach *l = arg;

	pthread_mutex_lock(&l->lock);
	l->window_start = clock_ns();
	overhead_update(&l->cost, l->cpu, 0);
	while (!l->stop) {
		if (!links_settled(l)) {
			links_work(l);
		} else if (l->budget > 0) {
			struct timespec at = ns_to_timespec(l->window_start + BUDGET_WINDOW_NS);

			pthread_cond_timedwait(&l->wake, &l->lock, &at);
			links_check_budget(l);
		} else {
			pthread_cond_wait(&l->wake, &l->lock);
		}
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

int attach_start(struct attach *l)
{
	int err = l->started ? 0 : -pthread_create(&l->worker, NULL, links_worker, l);

	if (!err)
		l->started = true;
	return err;
}

void attach_free(struct attach *l)
{
	if (!l)
		return;
	if (l->started) {
		pthread_mutex_lock(&l->lock);
		l->stop = true;
		pthread_cond_signal(&l->wake);
		pthread_mutex_unlock(&l->lock);
		pthread_join(l->worker, NULL);
	}
	for (int id = 0; id < TP_COUNT; id++)
		bpf_link__destroy(l->tp[id].link);
	overhead_free(&l->cost);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->wake);
	pthread_cond_destroy(&l->done);
	free(l);
}

int attach_toggle(struct attach *l, unsigned int tracepoint, int on)
{
	struct link *tp;

	if (tracepoint >= TP_COUNT || !l->tp[tracepoint].loaded)
		return -ENOENT;
	tp = &l->tp[tracepoint];
	pthread_mutex_lock(&l->lock);
	if (on < 0)
		on = !tp->want;
	if (tp->want != !!on) {
		tp->want = on;
		tp->pending = true;
		pthread_cond_signal(&l->wake);
	} else if (!on && tp->state == TP_SHED) {
		tp->state = TP_OFF; /* the user has seen it and wants it so */
		tp->reason[0] = '\0';
	}
	pthread_mutex_unlock(&l->lock);
	return !!on;
}

void attach_suspend(struct attach *l, bool stop)
{
	pthread_mutex_lock(&l->lock);
	l->suspended = stop;
	if (!l->started)
		links_work(l);
	pthread_cond_signal(&l->wake);
	while (!links_settled(l))
		pthread_cond_wait(&l->done, &l->lock);
	pthread_mutex_unlock(&l->lock);
}

void attach_states(struct attach *l, uint64_t now, struct tp_count tp[TP_COUNT])
{
	pthread_mutex_lock(&l->lock);
	for (int id = 0; id < TP_COUNT; id++) {
		const struct link *from = &l->tp[id];

		tp[id].state = from->state;
		tp[id].pending = from->pending;
		tp[id].on_ns = from->on_ns;
		if (from->link && now > from->on_since)
			tp[id].on_ns += now - from->on_since;
		memcpy(tp[id].reason, from->reason, sizeof(tp[id].reason));
	}
	pthread_mutex_unlock(&l->lock);
}
