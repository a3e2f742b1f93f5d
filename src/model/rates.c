// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/rates.h"

#include <stdio.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/format.h"

static uint64_t sub(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

struct series_counters series_counters_sub(const struct series_counters *a,
					   const struct series_counters *b)
{
	return (struct series_counters){
		.events = sub(a->events, b->events),
		.packets = sub(a->packets, b->packets),
		.drops = sub(a->drops, b->drops),
		.bytes = sub(a->bytes, b->bytes),
		.sched = sub(a->sched, b->sched),
		.xdp_pass = sub(a->xdp_pass, b->xdp_pass),
		.xdp_drop = sub(a->xdp_drop, b->xdp_drop),
		.xdp_redirect = sub(a->xdp_redirect, b->xdp_redirect),
	};
}

/* out[i] = to->series[i] - the same series in `from`. Both ascend by id: one walk. */
static void subtract(struct series_counters *out, const struct snapshot *to,
		     const struct snapshot *from)
{
	size_t j = 0;

	for (size_t i = 0; i < to->n_series; i++) {
		const struct series *s = &to->series[i];

		while (from && j < from->n_series && from->series[j].id < s->id)
			j++;
		if (from && j < from->n_series && from->series[j].id == s->id)
			out[i] = series_counters_sub(&s->total, &from->series[j].total);
		else
			out[i] = s->total;
	}
}

void rates_set(struct rates *r, const struct snapshot *from, const struct snapshot *to,
	       const struct snapshot *base)
{
	if (!r->indexes)
		r->indexes = memory_new(1, sizeof(*r->indexes));
	/* room for delta, then since; + 1 because a NULL delta means that there is no interval */
	array_reserve(r->memory, r->cap, 2 * to->n_series + 1);
	r->indexes->n = 0;
	/* two samples of the same instant give no rate */
	if (from && to->mono_ns <= from->mono_ns)
		from = NULL;
	r->from = from;
	r->to = to;
	r->base = base;
	r->seconds = from ? ns_to_seconds(to->mono_ns - from->mono_ns) : 0;
	for (int i = 0; i < TP_COUNT; i++) {
		r->tp_seconds[i] = 0;
		r->tp_events[i] = 0;
		if (!from)
			continue;
		r->tp_events[i] = sub(to->tp[i].events, from->tp[i].events);
		r->tp_seconds[i] = ns_to_seconds(sub(to->tp[i].on_ns, from->tp[i].on_ns));
		/* events prove that it was attached, so on_ns was read too early */
		if (r->tp_events[i] && r->tp_seconds[i] <= 0)
			r->tp_seconds[i] = r->seconds;
	}
	r->delta = from ? r->memory : NULL;
	r->since = r->memory + to->n_series;
	if (r->delta)
		subtract(r->delta, to, from);
	r->xdp_drop = 0;
	for (size_t i = 0; r->delta && i < to->n_series; i++)
		if (to->series[i].tracepoint == TP_XDP_CPUMAP_KTHREAD)
			r->xdp_drop += r->delta[i].xdp_drop;
	subtract(r->since, to, base);
}

void rates_free(struct rates *r)
{
	if (!r)
		return;
	free(r->memory);
	row_indexes_free(r->indexes);
	memset(r, 0, sizeof(*r));
}

const char *rates_gap_text(const struct rates *r, bool live, char *buf, size_t size)
{
	char age[24];

	if (live || !r->from)
		return "gap: sampling had stopped";
	format_age(age, sizeof(age), r->seconds);
	snprintf(buf, size, "gap: nothing was recorded for %s", age);
	return buf;
}

double rates_age(const struct rates *r, const struct timespec *read_at)
{
	int64_t at = timespec_to_ns(read_at), to = timespec_to_ns(&r->to->wall);

	if (!at || !r->from)
		return 0;
	/* the clock has since been set back, so the value is or looks older than the interval */
	if (at > to)
		return r->seconds;
	return at > timespec_to_ns(&r->from->wall) ? 0 : ns_to_seconds(to - at);
}

double rates_count_age(const struct rates *r, const struct netdev *d, enum netdev_count which)
{
	return which < NETDEV_DRIVER_COUNT ? 0 : rates_age(r, &d->counters_read_at);
}

/*
 * Share of an interval that counts as the whole interval, because attach and sample read the clock
 * at different times.
 */
#define WHOLE 0.95

bool rates_watched(const struct rates *r, uint32_t tp, enum basis basis)
{
	const struct tp_count *to = &r->to->tp[tp];

	if (basis == BASIS_INTERVAL)
		return r->from ? r->tp_seconds[tp] >= WHOLE * r->seconds : to->state == TP_ON;
	return to->state == TP_ON || to->on_ns > (r->base ? r->base->tp[tp].on_ns : 0) ||
	       to->events > (r->base ? r->base->tp[tp].events : 0);
}

const char *rates_uncounted(const struct rates *r, uint32_t tp)
{
	static const char *const states[TP_STATES] = {
		[TP_OFF] = " is off",
		[TP_MISSING] = " is not in this kernel",
		[TP_FAILED] = " could not be attached",
		[TP_SHED] = " was shed",
	};
	const struct tp_count *to = &r->to->tp[tp], *from = r->from ? &r->from->tp[tp] : to;

	if (states[to->state])
		return states[to->state];
	if (!rates_watched(r, tp, BASIS_INTERVAL))
		return " was not on all the time";
	if (to->missed > from->missed)
		return " missed events";
	return to->overflow > from->overflow ? " has events on unknown devices" : NULL;
}

/* The series' counters of this CPU in a snapshot, or zeros. */
static struct series_counters cpu_before(const struct snapshot *s, uint64_t id, uint32_t cpu)
{
	const struct series *series = s ? snapshot_find(s, id) : NULL;
	const struct series_counters *c = series ? snapshot_cpu(s, series, cpu) : NULL;

	return c ? *c : (struct series_counters){ 0 };
}

void rates_cpu(const struct rates *r, size_t series, uint32_t cpu, struct series_counters *delta,
	       struct series_counters *since)
{
	const struct series *s = &r->to->series[series];
	const struct series_counters *now = snapshot_cpu(r->to, s, cpu);
	struct series_counters before;

	memset(delta, 0, sizeof(*delta));
	memset(since, 0, sizeof(*since));
	if (!now)
		return;
	if (r->from) {
		before = cpu_before(r->from, s->id, cpu);
		*delta = series_counters_sub(now, &before);
	}
	before = cpu_before(r->base, s->id, cpu);
	*since = series_counters_sub(now, &before);
}
