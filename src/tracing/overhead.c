// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/memory.h"
#include "model/rates.h"
#include "tracing/overhead.h"

/*
 * Time that the kernel takes to call a program. An empty tp_btf program adds 34.6 ns to a
 * redirected packet (`make bench`, "empty").
 */
#define TP_BTF_NS 35.0

static const double dispatch_ns[TP_COUNT] = {
	[0 ... TP_VERDICTS - 1] = TP_BTF_NS,
	[TP_VERDICTS] = OVERHEAD_FEXIT_NS,
	[TP_FOLLOW] = 0, /* a part of programs that run in any case */
	[TP_OTHER... TP_COUNT - 1] = TP_BTF_NS,
};

void overhead_init(struct overhead *o, uint32_t cpus)
{
	memset(o, 0, sizeof(*o));
	o->events = memory_new((size_t)cpus * TP_COUNT, sizeof(*o->events));
	o->percent = memory_new((size_t)cpus * TP_COUNT, sizeof(*o->percent));
	o->cpus = cpus;
	for (int tp = 0; tp < TP_COUNT; tp++) {
		o->ns[tp] = -1;
		o->busiest[tp] = -1;
	}
}

void overhead_free(struct overhead *o)
{
	free(o->events);
	free(o->percent);
	memset(o, 0, sizeof(*o));
}

/* The mean ns per event over all CPUs, and each CPU's percentage based on it. */
static void update_tracepoint(struct overhead *o, const struct series_cpu *cpu, int tp,
			      double seconds)
{
	uint64_t timed = 0, timed_ns = 0;
	double ns, most = 0;

	o->busiest[tp] = -1;
	for (uint32_t i = 0; i < o->cpus; i++) {
		timed += cpu[i].meter[tp].timed;
		timed_ns += cpu[i].meter[tp].timed_ns;
	}
	o->ns[tp] = timed ? dispatch_ns[tp] + (double)timed_ns / timed : -1;
	/* no event timed yet: the call alone is a lower bound */
	ns = timed ? o->ns[tp] : dispatch_ns[tp];
	for (uint32_t i = 0; i < o->cpus; i++) {
		size_t at = (size_t)i * TP_COUNT + tp;
		uint64_t now = cpu[i].meter[tp].events, events = now - o->events[at];

		o->events[at] = now;
		o->percent[at] = per_second(events * ns / NSEC_PER_SEC, seconds) * 100;
		if (o->percent[at] > most) {
			most = o->percent[at];
			o->busiest[tp] = i;
		}
	}
}

void overhead_update(struct overhead *o, const struct series_cpu *cpu, double seconds)
{
	for (int tp = 0; tp < TP_COUNT; tp++)
		update_tracepoint(o, cpu, tp, seconds);
}

double overhead_percent(const struct overhead *o, uint32_t cpu, int tracepoint)
{
	const double *p = o->percent + (size_t)cpu * TP_COUNT;
	double sum = 0;

	if (tracepoint >= 0)
		return p[tracepoint];
	for (int tp = 0; tp < TP_COUNT; tp++)
		sum += p[tp];
	return sum;
}

uint32_t overhead_busiest(const struct overhead *o)
{
	uint32_t busiest = 0;

	for (uint32_t i = 1; i < o->cpus; i++)
		if (overhead_percent(o, i, -1) > overhead_percent(o, busiest, -1))
			busiest = i;
	return busiest;
}
