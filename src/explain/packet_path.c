// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the verdict to the wire, for a device or a flow. Each stage is the count of one tracepoint;
 * what lies between two of them is said, never computed: a packet can be reported twice, and the
 * stages are not one snapshot.
 */
#include <stdio.h>
#include "explain/explain.h"
#include "model/target.h"
#include "table/value.h"

/* Whether a series speaks of packets that came in on the row's device, or went its way. */
static bool is_of(const struct table *t, const struct row *row, const struct series *s)
{
	const struct series_key *k = &s->key;
	const struct series *of;
	struct target x, y;

	if (s->overflow)
		return false;
	if (t->options.view->group & GROUP_LOCATION)
		return k->netns == row->netns && k->ifindex == row->ifindex;
	if (!row->n_series)
		return false;
	of = row_series(t, row, 0);
	x = target_of(s);
	y = target_of(of);
	return k->netns == of->key.netns && k->ifindex == of->key.ifindex && x.kind == y.kind &&
	       x.netns == y.netns && x.index == y.index;
}

/* A line: what a tracepoint's packets or drops say. */
struct line {
	uint32_t tracepoint;
	bool (*count)(uint32_t tracepoint, const struct series_counters *c, uint64_t *n);
	const struct tp_path *path;
};

/* Itself, or the one that fired at its stage before 5.6. */
static bool is_told_by(const struct line *line, uint32_t tracepoint)
{
	const struct tracepoint *tp = &tracepoints[tracepoint];

	return tracepoint == line->tracepoint ||
	       (tp->pre_5_6 && tp->stage == tracepoints[line->tracepoint].stage);
}

struct sum {
	uint64_t since, delta;
	bool seen; /* a series tells of it */
};

static struct sum sum_of(const struct table *t, const struct row *row, const struct line *line)
{
	const struct rates *r = t->rates;
	struct sum sum = { 0 };
	uint64_t n;

	for (size_t i = 0; i < r->to->n_series; i++) {
		const struct series *s = &r->to->series[i];

		if (!is_told_by(line, s->tracepoint) || !is_of(t, row, s))
			continue;
		sum.seen = true;
		line->count(s->tracepoint, &r->since[i], &n);
		sum.since += n;
		if (r->delta && line->count(s->tracepoint, &r->delta[i], &n))
			sum.delta += n;
	}
	return sum;
}

/* Why a line without a count is not 0, maybe in buf; NULL = it is. */
static const char *unknown(const struct table *t, const struct row *row, const struct line *line,
			   const struct sum *sum, char *buf, size_t size)
{
	const struct rates *r = t->rates;

	if (sum->since)
		return NULL;
	if (tracepoints[line->tracepoint].native_only && row_is_generic(t, row)) {
		snprintf(buf, size, "n/a: generic mode has no %s",
			 tracepoints[line->tracepoint].name);
		return buf;
	}
	if (value_watched(r, line->tracepoint, BASIS_BASELINE))
		return NULL;
	switch (r->to->tp[line->tracepoint].state) {
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

/* Left out without a count: XDP_TX is not a redirect's way, a flow has no exceptions of its own. */
static bool is_aside(const struct table *t, uint32_t tracepoint)
{
	const struct tracepoint *tp = &tracepoints[tracepoint];

	return tp->has & HAS_TX_BACK ||
	       (tp->stage == STAGE_VERDICT && !(t->options.view->group & GROUP_LOCATION));
}

static void explain_line(const struct table *t, const struct row *row, const struct line *line,
			 const struct sum *sum, const struct explain_lines *lines)
{
	const char *name = tracepoints[line->tracepoint].name, *why;
	double seconds = t->rates->tp_seconds[line->tracepoint];
	char text[400], since[16], rate[16], buf[80];

	why = unknown(t, row, line, sum, buf, sizeof(buf));
	format_count(since, sizeof(since), sum->since, NUMBER_SI);
	format_rate(rate, sizeof(rate), per_second(sum->delta, seconds), NUMBER_SI);
	if (why)
		snprintf(text, sizeof(text), "%s (%s)", why, name);
	else
		snprintf(text, sizeof(text), "%s%s%s%s (%s): %s", since,
			 seconds > 0 ? ", now " : "", seconds > 0 ? rate : "",
			 seconds > 0 ? "/s" : "", name, line->path->says);
	lines->line(lines->ctx, EXPLAIN_TEXT, line->path->label, text);
}

void packet_path_explain(const struct table *t, const struct row *row,
			 const struct explain_lines *lines)
{
	bool first = true;

	for (uint32_t i = 0; i < 2 * TP_COUNT; i++) {
		const struct tracepoint *tp = &tracepoints[i / 2];
		struct line line = { i / 2, i % 2 ? series_drops : series_packets,
				     i % 2 ? &tp->path_drops : &tp->path };
		struct sum sum;

		if (!line.path->label)
			continue;
		sum = sum_of(t, row, &line);
		if (!sum.seen && is_aside(t, line.tracepoint))
			continue;
		if (first)
			lines->line(lines->ctx, EXPLAIN_HEAD, "", "The way of its packets");
		first = false;
		explain_line(t, row, &line, &sum, lines);
	}
}
