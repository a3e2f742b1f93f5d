// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "model/rates.h"
#include "tracing/overhead.h"

int overhead_init(struct overhead *c, uint32_t cpus)
{
	memset(c, 0, sizeof(*c));
	c->events = calloc((size_t)cpus * TP_COUNT, sizeof(*c->events));
	c->percent = calloc((size_t)cpus * TP_COUNT, sizeof(*c->percent));
	if (!c->events || !c->percent) {
		overhead_free(c);
		return -ENOMEM;
	}
	c->cpus = cpus;
	for (int tp = 0; tp < TP_COUNT; tp++) {
		c->ns[tp] = -1;
		c->busiest[tp] = -1;
	}
	return 0;
}

void overhead_free(struct overhead *c)
{
	free(c->events);
	free(c->percent);
	memset(c, 0, sizeof(*c));
}

/* One tracepoint: the mean time over all CPUs, then each CPU's share of its time. */
static void cost_tracepoint(struct overhead *c, const struct series_cpu *cpu, int tp,
			    double seconds)
{
	uint64_t timed = 0, timed_ns = 0;
	double ns, most = 0;

	c->busiest[tp] = -1;
	for (uint32_t i = 0; i < c->cpus; i++) {
		timed += cpu[i].meter[tp].timed;
		timed_ns += cpu[i].meter[tp].timed_ns;
	}
	c->ns[tp] = timed ? OVERHEAD_DISPATCH_NS + (double)timed_ns / timed : -1;
	/* without a timed event the dispatch alone is the least it can be */
	ns = timed ? c->ns[tp] : OVERHEAD_DISPATCH_NS;
	for (uint32_t i = 0; i < c->cpus; i++) {
		size_t at = (size_t)i * TP_COUNT + tp;
		uint64_t now = cpu[i].meter[tp].events, events = now - c->events[at];

		c->events[at] = now;
		c->percent[at] = per_second(events * ns / NSEC_PER_SEC, seconds) * 100;
		if (c->percent[at] > most) {
			most = c->percent[at];
			c->busiest[tp] = i;
		}
	}
}

void overhead_update(struct overhead *c, const struct series_cpu *cpu, double seconds)
{
	for (int tp = 0; tp < TP_COUNT; tp++)
		cost_tracepoint(c, cpu, tp, seconds);
}

double overhead_percent(const struct overhead *c, uint32_t cpu, int tracepoint)
{
	const double *p = c->percent + (size_t)cpu * TP_COUNT;
	double sum = 0;

	if (tracepoint >= 0)
		return p[tracepoint];
	for (int tp = 0; tp < TP_COUNT; tp++)
		sum += p[tp];
	return sum;
}

uint32_t overhead_busiest(const struct overhead *c)
{
	uint32_t busiest = 0;

	for (uint32_t i = 1; i < c->cpus; i++)
		if (overhead_percent(c, i, -1) > overhead_percent(c, busiest, -1))
			busiest = i;
	return busiest;
}
