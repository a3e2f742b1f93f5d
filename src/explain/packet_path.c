// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the verdict to the wire, for a device or a flow. Each stage is the count of one tracepoint;
 * what lies between two of them is said, never computed: a packet can be reported twice, and the
 * stages are not one snapshot.
 */
#include <stdio.h>
#include <string.h>
#include "explain/row_explain.h"
#include "table/value.h"
#include "model/rates.h"
#include "model/target.h"
#include "model/tracepoint.h"

#define BIT(id) (1u << (id))

/* A stage of a packet's way. */
static const struct stage {
	const char *label;
	uint32_t tracepoint, old; /* old: its sibling before 5.6; TP_COUNT = none */
	enum { OF_EVENTS, OF_PACKETS, OF_DROPS } of;
	const char *says;
} stages[] = {
	{ "exceptions", TP_XDP_EXCEPTION, TP_COUNT, OF_EVENTS,
	  "aborted, bad value, or many a driver's echo of failed redirects: do not add it to "
	  "those" },
	{ "not queued", TP_XDP_REDIRECT_ERR, TP_XDP_REDIRECT_MAP_ERR, OF_EVENTS,
	  "redirects that failed at once" },
	{ "queued", TP_XDP_REDIRECT, TP_XDP_REDIRECT_MAP, OF_EVENTS,
	  "redirects that were queued for a target; a broadcast counts once" },
	{ "sent", TP_XDP_DEVMAP_XMIT, TP_COUNT, OF_PACKETS,
	  "taken by the target's driver; a broadcast once for each target" },
	{ "not sent", TP_XDP_DEVMAP_XMIT, TP_COUNT, OF_DROPS,
	  "given to it and not taken: ring full, errno, or its devmap program" },
	{ "sent back", TP_XDP_BULK_TX, TP_COUNT, OF_PACKETS, "XDP_TX, veth only" },
	{ "not sent back", TP_XDP_BULK_TX, TP_COUNT, OF_DROPS, "XDP_TX, veth only" },
};

#define N_STAGES (sizeof(stages) / sizeof(stages[0]))

/* Whether a series speaks of packets that came in on the row's device, or went its way. */
static bool is_of(const struct table *t, const struct row *row, const struct series *s)
{
	const struct series_key *k = &s->key;
	const struct series *of =
		row->n_members ? &t->rates->to->series[t->member[row->member]] : NULL;

	if (s->overflow)
		return false;
	if (t->options.view->group & GROUP_LOCATION)
		return k->netns == row->netns && k->ifindex == row->ifindex;
	if (!of || k->netns != of->key.netns || k->ifindex != of->key.ifindex)
		return false;
	{
		struct target x = target_of(s), y = target_of(of);

		return x.kind == y.kind && x.netns == y.netns && x.index == y.index;
	}
}

static uint64_t count_of(const struct stage *stage, const struct series_counters *c)
{
	switch (stage->of) {
	case OF_EVENTS:
		return c->events;
	case OF_PACKETS:
		return c->packets;
	default:
		return c->drops;
	}
}

struct sum {
	uint64_t since, delta;
	bool seen; /* a series tells of it */
};

static struct sum sum_of(const struct table *t, const struct row *row, const struct stage *stage)
{
	const struct rates *r = t->rates;
	struct sum sum = { 0 };

	for (size_t i = 0; i < r->to->n_series; i++) {
		const struct series *s = &r->to->series[i];

		if ((s->tracepoint != stage->tracepoint && s->tracepoint != stage->old) ||
		    !is_of(t, row, s))
			continue;
		sum.seen = true;
		sum.since += count_of(stage, &r->since[i]);
		if (r->delta)
			sum.delta += count_of(stage, &r->delta[i]);
	}
	return sum;
}

/* Does XDP run in generic mode where the packets came in? */
static bool is_generic(const struct table *t, const struct row *row)
{
	const struct series *s =
		row->n_members ? &t->rates->to->series[t->member[row->member]] : NULL;
	const struct netdev *d;

	if (t->options.view->group & GROUP_LOCATION)
		d = snapshot_find_netdev(t->rates->to, row->netns, row->ifindex);
	else
		d = s ? snapshot_find_netdev(t->rates->to, s->key.netns, s->key.ifindex) : NULL;
	return d && d->mode == NETDEV_GENERIC;
}

/* Why a stage without a count is no 0; NULL = it is one. */
static const char *unknown(const struct table *t, const struct row *row, const struct stage *stage,
			   const struct sum *sum)
{
	const struct rates *r = t->rates;

	if (sum->since)
		return NULL;
	if (stage->tracepoint == TP_XDP_DEVMAP_XMIT && is_generic(t, row))
		return "n/a: generic mode has no xdp_devmap_xmit";
	if (value_watched(r, stage->tracepoint, BASIS_BASELINE))
		return NULL;
	switch (r->to->tp[stage->tracepoint].state) {
	case TP_MISSING:
		return "n/a: this kernel does not have the tracepoint";
	case TP_FAILED:
		return "unknown: the tracepoint could not be attached";
	case TP_SHED:
		return "unknown: the tracepoint cost more than --budget and was shed";
	default:
		return "unknown: the tracepoint is off";
	}
}

void packet_path_explain(const struct table *t, const struct row *row,
			 const struct explain_lines *d)
{
	bool first = true;

	for (size_t i = 0; i < N_STAGES; i++) {
		const struct stage *stage = &stages[i];
		struct sum sum = sum_of(t, row, stage);
		const char *why = unknown(t, row, stage, &sum);
		double seconds = t->rates->tp_seconds[stage->tracepoint];
		char text[400], since[16], rate[16];

		/* XDP_TX is another way, shown where it is taken; a flow has no exceptions of its
		 * own */
		if (!sum.seen && (stage->tracepoint == TP_XDP_BULK_TX ||
				  (stage->tracepoint == TP_XDP_EXCEPTION &&
				   !(t->options.view->group & GROUP_LOCATION))))
			continue;
		if (first)
			d->line(d->ctx, EXPLAIN_HEAD, "", "The way of its packets");
		first = false;
		format_count(since, sizeof(since), sum.since, NUMBER_SI);
		format_rate(rate, sizeof(rate), per_second(sum.delta, seconds), NUMBER_SI);
		if (why)
			snprintf(text, sizeof(text), "%s (%s)", why,
				 tracepoints[stage->tracepoint].name);
		else
			snprintf(text, sizeof(text), "%s%s%s%s (%s): %s", since,
				 seconds > 0 ? ", now " : "", seconds > 0 ? rate : "",
				 seconds > 0 ? "/s" : "", tracepoints[stage->tracepoint].name,
				 stage->says);
		d->line(d->ctx, EXPLAIN_TEXT, stage->label, text);
	}
}
