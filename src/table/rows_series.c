// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows that are groups of series with the same identity fields. */
#include <stdio.h>
#include "diagnose/driver.h"
#include "model/target.h"
#include "table/table_internal.h"

/* Whether the series has counted a failure since its start. */
static bool series_failed(const struct series *s)
{
	const struct tracepoint *tp = &tracepoints[s->tracepoint];
	uint64_t drops;

	if (tp->failure)
		return true;
	if (tp->has & HAS_ERR && s->key.code < 0)
		return true;
	return series_drops(s->tracepoint, &s->total, &drops) && drops > 0;
}

void table_counts_add(struct table_counts *to, uint32_t tracepoint,
		      const struct series_counters *add)
{
	series_counters_add(&to->sum, add);
	if (tracepoints[tracepoint].offered)
		to->offered += tracepoints[tracepoint].offered(add);
}

COMPARE(by_row, struct series_row,
	ORDER(x->row, y->row) ?: ORDER(x->tracepoint, y->tracepoint)
	?: ORDER(x->series, y->series))

struct row_tp_counts *table_add_tp_counts(struct table *t, uint32_t tracepoint)
{
	struct row_tp_counts *counts = &t->tp_counts[t->n_tp_counts++];

	memset(counts, 0, sizeof(*counts));
	counts->tracepoint = tracepoint;
	return counts;
}

/* Append a row for adjacent series of a group. The caller has reserved the memory. */
static struct row *add_row(struct table *t, const struct series_row *group, size_t n)
{
	const struct rates *r = t->rates;
	struct row *row = &t->row[t->n_rows++];
	struct row_tp_counts *counts = NULL;
	bool one = t->options.view->group & GROUP_TRACEPOINT ||
		   !(t->tracepoints & (t->tracepoints - 1)) ||
		   r->to->series[group->series].overflow;

	*row = (struct row){ .id = group->row,
			     .tracepoint = one ? (int)group->tracepoint : -1,
			     .cpu = -1,
			     .series_idx = t->n_series,
			     .n_series = n,
			     .tp_counts = t->n_tp_counts,
			     .order = UINT64_MAX };
	if (t->options.view->group & GROUP_LOCATION) {
		struct netdev_ref place = series_netdev(&r->to->series[group->series]);

		row->netns = place.netns;
		row->ifindex = place.ifindex;
	}
	row->prog_id = r->to->series[group->series].key.prog_id;
	for (size_t i = 0; i < n; i++) {
		size_t series = group[i].series;

		if (!counts || counts->tracepoint != group[i].tracepoint) {
			counts = table_add_tp_counts(t, group[i].tracepoint);
			row->n_tp_counts++;
		}
		if (r->delta)
			table_counts_add(&counts->delta, counts->tracepoint, &r->delta[series]);
		table_counts_add(&counts->since, counts->tracepoint, &r->since[series]);
		if (r->to->series[series].id < row->order)
			row->order = r->to->series[series].id;
		t->series_idx[t->n_series++] = series;
	}
	return row;
}

/* Set the events of a tracepoint's row to the tracepoint's own count, not the sum of its series. */
static void set_tracepoint(struct table *t, struct row *row, uint32_t tracepoint)
{
	const struct rates *r = t->rates;
	struct row_tp_counts *counts = &t->tp_counts[row->tp_counts];
	uint64_t before = r->base ? r->base->tp[tracepoint].events : 0;
	uint64_t now = r->to->tp[tracepoint].events;

	counts->delta.sum.events = r->tp_events[tracepoint];
	counts->since.sum.events = now > before ? now - before : 0;
	row->order = tracepoint;
}

/* Whether the row has counted anything that the view shows, since the start or baseline. */
static bool active(const struct table *t, const struct row *row)
{
	uint64_t count;

	for (size_t i = 0; i < row->n_tp_counts; i++) {
		const struct row_tp_counts *counts = &t->tp_counts[row->tp_counts + i];

		if (!t->options.view->failures_only ||
		    !series_drops(counts->tracepoint, &counts->since.sum, &count))
			count = counts->since.sum.events;
		if (count)
			return true;
	}
	return false;
}

/* Append rows for tracepoints without series. */
static void add_silent(struct table *t, uint32_t seen)
{
	for (uint32_t tp = 0; tp < TP_COUNT; tp++) {
		struct row *row;

		if (!(t->tracepoints & BIT(tp)) || seen & BIT(tp))
			continue;
		if (!*snapshot_tracepoint(t->rates->to, tp))
			continue;
		row = &t->row[t->n_rows++];
		*row = (struct row){ .id = row_id_tracepoint(tp),
				     .tracepoint = (int)tp,
				     .cpu = -1,
				     .series_idx = t->n_series,
				     .tp_counts = t->n_tp_counts,
				     .n_tp_counts = 1 };
		table_add_tp_counts(t, tp);
		set_tracepoint(t, row, tp);
	}
}

void table_add_series(struct table *t, bool (*keep)(const struct table *t, const struct row *row))
{
	const struct view *view = t->options.view;
	const struct snapshot *s = t->rates->to;
	struct table_scratch *scratch = t->scratch;
	bool all = t->options.all || t->options.drill || view->always;
	uint32_t seen = 0;
	size_t n = 0, end;

	array_reserve(scratch->series_row, scratch->cap_series_row, s->n_series);
	array_reserve(t->series_idx, t->cap_series, s->n_series);
	array_reserve(t->tp_counts, t->cap_tp_counts, s->n_series + TP_COUNT);
	array_reserve(t->row, t->cap_rows, s->n_series + TP_COUNT);
	for (size_t i = 0; i < s->n_series; i++) {
		const struct series *series = &s->series[i];

		if (series->tracepoint >= TP_COUNT || !(t->tracepoints & BIT(series->tracepoint)))
			continue;
		if (view->failures_only && !series_failed(series))
			continue;
		/* a row of several tracepoints would count the same frames twice */
		if (!(view->group & GROUP_TRACEPOINT) && driver_repeats(s, series))
			continue;
		scratch->series_row[n++] = (struct series_row){ .row = row_id(view, series),
								.tracepoint = series->tracepoint,
								.series = i };
	}
	if (n)
		qsort(scratch->series_row, n, sizeof(*scratch->series_row), by_row);
	for (size_t i = 0; i < n; i = end) {
		struct row *row;

		for (end = i + 1; end < n; end++)
			if (scratch->series_row[end].row != scratch->series_row[i].row)
				break;
		row = add_row(t, &scratch->series_row[i], end - i);
		if (view->always) {
			set_tracepoint(t, row, (uint32_t)row->tracepoint);
			seen |= BIT(row->tracepoint);
		}
		if (!all && !active(t, row) && !(keep && keep(t, row)))
			t->n_rows--;
	}
	if (view->always)
		add_silent(t, seen);
}

static void add_rows(struct table *t)
{
	table_add_series(t, NULL);
}

static int errors_missing(const struct table *t, const struct snapshot_host *host, char *buf,
			  size_t size)
{
	int len;

	if (!t->options.view->failures_only || t->n_rows)
		return 0;
	len = snprintf(buf, size, "No errors so far.\n");
	return len + no_data_silent(t->rates, t->options.netns, t->options.switch_by, buf + len,
				    size - (size_t)len);
}

const struct row_kind rows_series = {
	.add = add_rows,
	.missing = errors_missing,
};
