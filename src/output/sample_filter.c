// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/sample_filter.h"

#include <stdlib.h>
#include "base/memory.h"

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

int sample_filter_set(struct sample_filter *f, const struct rates *r, struct netns_names *netns,
		      bool per_cpu)
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

bool sample_filter_wants(struct sample_filter *f, size_t series, int cpu)
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
