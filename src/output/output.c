// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/memory.h"
#include "model/pod.h"
#include "model/target.h"
#include "source/data_source.h"

/* The columns that name a series. */
static const enum column_id sample_columns[] = { COL_TRACEPOINT, COL_DEVICE,  COL_NETNS,
						 COL_TARGET,     COL_PROGRAM, COL_PROG_ID,
						 COL_ERROR,      COL_POD,     COL_TO_POD };

static const struct view samples = {
	.name = "samples",
	.rows = &rows_series,
	.group = GROUP_TRACEPOINT | GROUP_DEVICE | GROUP_TARGET | GROUP_PROG | GROUP_CODE |
		 GROUP_SERIES,
	.column = sample_columns,
	.n_columns = sizeof(sample_columns) / sizeof(sample_columns[0]),
	.sort = -1,
};

struct sample_filter *sample_filter_new(const char *expr, const struct view *view)
{
	struct sample_filter *f;

	if (!*expr && !view)
		return NULL;
	f = memory_new(1, sizeof(*f));
	f->view = samples;
	if (view) {
		f->view.stages = view->stages;
		f->view.has = view->has;
		f->view.failures_only = view->failures_only;
	}
	filter_parse(expr, &f->filter, NULL);
	return f;
}

void sample_filter_free(struct sample_filter *f)
{
	if (!f)
		return;
	table_free(&f->table);
	table_free(&f->findings);
	table_free(&f->devices);
	filter_free(f->filter);
	free(f);
}

/* Matches the series of *r. 0 or -ECANCELED. */
static int sample_filter_set(struct sample_filter *f, const struct rates *r,
			     struct netns_names *netns, bool per_cpu)
{
	struct table_options wanted = {
		.view = &f->view,
		.filter = f->filter,
		.sort = -1,
		.all = true,
		.per_cpu = per_cpu,
		.netns = netns,
	};

	f->at = 0;
	return table_build(&f->table, r, &wanted);
}

/*
 * Whether the row of this series and CPU (-1 = all) matches; f NULL matches all. Call in ascending
 * order of series, then CPU.
 */
static bool sample_filter_wants(struct sample_filter *f, size_t series, int cpu)
{
	const struct table *t;

	if (!f)
		return true;
	for (t = &f->table; f->at < t->n_rows; f->at++) {
		const struct row *row = &t->row[f->at];
		size_t of = t->series_idx[row->series_idx];

		if (of > series || (of == series && row->cpu > cpu))
			return false;
		if (of == series && row->cpu == cpu) {
			f->at++;
			return true;
		}
	}
	return false;
}

int sample_filter_set_lists(struct sample_filter *f, const struct rates *r,
			    struct netns_names *netns, const struct findings *findings)
{
	struct table_options wanted = {
		.filter = f ? f->filter : NULL,
		.sort = -1,
		.all = true,
		.netns = netns,
		.findings = findings,
	};
	int err;

	if (!f)
		return 0;
	err = table_build_findings(&f->findings, r, &wanted);
	wanted.view = &views[VIEW_DEVICES];
	return err ? err : table_build(&f->devices, r, &wanted);
}

bool sample_filter_wants_finding(const struct sample_filter *f, size_t index)
{
	for (size_t i = 0; f && i < f->findings.n_rows; i++)
		if (f->findings.row[i].item == index)
			return true;
	return !f;
}

bool sample_filter_wants_device(const struct sample_filter *f, uint32_t netns, uint32_t ifindex)
{
	for (size_t i = 0; f && i < f->devices.n_rows; i++)
		if (f->devices.row[i].netns == netns && f->devices.row[i].ifindex == ifindex)
			return true;
	return !f;
}

const struct output_format *const output_formats[] = {
	&output_text,
	&output_json,
	&output_csv,
	&output_prometheus,
};
const size_t n_output_formats = sizeof(output_formats) / sizeof(output_formats[0]);

double output_seconds(double seconds)
{
	return round(seconds * 1e6) / 1e6;
}

static void set_device(struct output *o, struct record *record, const struct snapshot *s,
		       uint32_t netns, uint32_t ifindex)
{
	const char *name = netns ? netns_names_get(o->netns, netns) : NULL;

	snprintf(record->netns_name, sizeof(record->netns_name), "%s", name ? name : "");
	record->pod = pod_of_device(s, netns, ifindex);
}

void output_set_series(struct output *o, struct record *record, const struct snapshot *s)
{
	struct target target = target_of(&record->series);

	set_device(o, record, s, record->series.key.netns, record->series.key.ifindex);
	record->to_pod =
		target.kind == TARGET_DEVICE ? pod_of_device(s, target.netns, target.index) : NULL;
}

void output_set_finding(struct output *o, struct record *record, const struct snapshot *s,
			const struct finding *f)
{
	const struct netdev_ref *to = &f->location.to;

	set_device(o, record, s, f->location.dev.netns, f->location.dev.ifindex);
	record->to_pod = to->ifindex ? pod_of_device(s, to->netns, to->ifindex) : NULL;
	record->row = f;
}

void output_set_row(struct output *o, struct record *record, const struct snapshot *s,
		    const struct data_source *source)
{
	const char *row = record->row;
	uint32_t ifindex = 0;

	if (!source->has_netns)
		return;
	if (source->ifindex)
		memcpy(&ifindex, row + source->ifindex, sizeof(ifindex));
	set_device(o, record, s, data_source_netns(source, row), ifindex);
}

void *output_rows_open(struct output *o, size_t size)
{
	struct output_rows *rows = memory_new(1, size);

	/* the expression was checked before */
	filter_parse(o->config->filter, &rows->filter, NULL);
	return o->state = rows;
}

void output_rows_free(struct output *o)
{
	struct output_rows *rows = o->state;

	if (!rows)
		return;
	table_free(&rows->table);
	filter_free(rows->filter);
	free(rows);
	o->state = NULL;
}

size_t output_row(const struct table *t, size_t i)
{
	bool newest_first = t->options.view->rows->log && t->options.sort < 0;

	return newest_first ? t->n_rows - 1 - i : i;
}

struct table_options output_rows_options(const struct output *o, const struct view *view, int sort)
{
	const struct output_rows *rows = o->state;
	int descending = o->config->sort_descending;

	return (struct table_options){
		.view = view,
		.filter = rows->filter,
		.netns = o->netns,
		.findings = o->findings,
		.events = o->events,
		.timeline = o->timeline,
		.sort = sort,
		.descending = descending >= 0 ? descending : sort >= 0 && columns[sort].descending,
	};
}

int output_each_tracepoint(struct output *o, const struct rates *r, output_write write)
{
	struct record record;
	int err = 0;

	record_init(&record, RECORD_TRACEPOINT);
	record.seq = r->to->seq;
	record.time = r->to->wall;
	for (uint32_t i = 0; i < TP_COUNT && !err; i++) {
		if (!r->to->tp[i].name[0])
			continue;
		record.tracepoint = i;
		record.tp = r->to->tp[i];
		record.tp_events = r->tp_events[i];
		record.seconds = output_seconds(r->tp_seconds[i]);
		err = write(o, &record);
	}
	return err;
}

static bool is_zero(const struct series_counters *c)
{
	static const struct series_counters zero;

	return !memcmp(c, &zero, sizeof(zero));
}

/* A replay takes all counts of a series as new if the first snapshot has no row for it. */
static bool has_row(const struct output *o, bool all, const struct series_counters *delta,
		    const struct series_counters *sum)
{
	return all || !is_zero(delta) || (o->first && !is_zero(sum));
}

static int each_cpu(struct output *o, const struct rates *r, size_t series, bool all,
		    struct record *record, output_write write)
{
	const struct series *s = &r->to->series[series];
	int err = 0;

	for (size_t i = 0; i < s->n_cpu && !err; i++) {
		uint32_t cpu = r->to->cpu[s->cpu + i].cpu;
		struct series_counters since;

		rates_cpu(r, series, cpu, &record->delta, &since);
		record->sum = r->to->cpu[s->cpu + i].count;
		if (!has_row(o, all, &record->delta, &record->sum) ||
		    !sample_filter_wants(o->filter, series, (int)cpu))
			continue;
		record->cpu = (int)cpu;
		err = write(o, record);
	}
	record->cpu = -1;
	return err;
}

int output_each_sample(struct output *o, const struct rates *r, bool last, output_write write)
{
	bool all = last || o->config->all;
	struct record record;
	int err = 0;

	if (o->filter)
		err = sample_filter_set(o->filter, r, o->netns, o->config->per_cpu);
	record_init(&record, RECORD_SAMPLE);
	record.seq = r->to->seq;
	record.time = r->to->wall;
	for (size_t i = 0; i < r->to->n_series && !err; i++) {
		const struct series *s = &r->to->series[i];

		if (rates_cancelled(r))
			return -ECANCELED;
		/* the first snapshot has no deltas */
		record.delta = r->delta ? r->delta[i] : (struct series_counters){ 0 };
		if (!has_row(o, all, &record.delta, &s->total))
			continue;
		record.tracepoint = s->tracepoint;
		record.tp = r->to->tp[s->tracepoint];
		record.seconds = output_seconds(r->tp_seconds[s->tracepoint]);
		record.series = *s;
		record.sum = s->total;
		output_set_series(o, &record, r->to);
		if (sample_filter_wants(o->filter, i, -1))
			err = write(o, &record);
		if (!err && o->config->per_cpu)
			err = each_cpu(o, r, i, all, &record, write);
	}
	return err;
}
