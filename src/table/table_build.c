// SPDX-License-Identifier: GPL-2.0-or-later
/* Builds the rows of a view. */
#include <errno.h>
#include <stdlib.h>
#include "table/filter.h"
#include "table/table_internal.h"

static void drill(struct table *t)
{
	long at = table_find(t, t->options.drill);

	table_take_rows(t, at < 0 ? 0 : table_add_cpus(t, &t->row[at], 0, UINT32_MAX));
}

/* Insert the CPU rows. If only one CPU fills a queue, the FROM column already names it. */
static int expand(struct table *t)
{
	struct table_scratch *scratch = t->scratch;
	bool from = t->options.view->from_cpus;
	size_t n = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		size_t cpus;

		if (rates_cancelled(t->rates))
			return -ECANCELED;
		*array_append(scratch->row, n, scratch->cap_row) = t->row[i];
		cpus = table_add_cpus(t, &t->row[i], n,
				      from ? tracepoints_at(BIT(STAGE_SENT)) : UINT32_MAX);
		for (size_t k = 0; k < cpus; k++)
			scratch->row[n + k].from = from;
		if (!from || (cpus && scratch->row[n].n_cpus > 1))
			n += cpus;
	}
	table_take_rows(t, n);
	return 0;
}

static int filter(struct table *t)
{
	size_t kept = 0;

	if (!t->options.filter)
		return 0;
	for (size_t i = 0; i < t->n_rows; i++) {
		if (rates_cancelled(t->rates))
			return -ECANCELED;
		if (filter_match(t->options.filter, t, i))
			t->row[kept++] = t->row[i];
		else
			t->hidden++;
	}
	t->n_rows = kept;
	return 0;
}

int table_build_view(struct table *t, const struct rates *rates,
		     const struct table_options *options)
{
	int err;

	t->options = *options;
	t->rates = rates;
	t->tracepoints = view_tracepoints(options->view);
	for (int stage = 0; stage <= STAGE_STACK; stage++)
		t->at_stage[stage] = tracepoints_at(BIT(stage));
	t->n_rows = t->n_series = t->n_tp_counts = t->n_verdicts = t->n_paths = t->hidden =
		t->folded = 0;
	t->has_verdicts = t->has_runs = t->has_skipped = false;
	t->counted_stages = 0;
	t->has_pods = rates->to->rows[DATA_SOURCE_PODS].n;
	t->has_fills = rates->to->rows[DATA_SOURCE_MAP_FILLS].n;
	if (!t->scratch)
		t->scratch = memory_new(1, sizeof(*t->scratch));
#ifdef __SANITIZE_ADDRESS__
	/* so that the use of a row of an earlier build is found even if the array need not grow */
	free(t->row);
	t->row = NULL;
	t->cap_rows = 0;
#endif
	options->view->rows->add(t);
	err = rates_cancelled(rates) ? -ECANCELED : 0;
	if (!err && options->drill)
		drill(t);
	if (!err)
		err = table_sort(t);
	if (!err && (options->per_cpu || options->view->from_cpus) && !options->drill)
		err = expand(t);
	if (!err)
		err = filter(t);
	if (err)
		t->n_rows = 0;
	return err;
}
