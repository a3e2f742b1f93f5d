/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which sample rows JSON, CSV and Prometheus have: those that match -f, and in CSV those of the
 * view of -v. To match as on the screen, a table with one row for each series is built; words match
 * the columns that name a series.
 */
#ifndef XDPTOP_SAMPLE_FILTER_H
#define XDPTOP_SAMPLE_FILTER_H

#include "table/filter.h"
#include "table/table.h"

struct sample_filter {
	struct filter *filter;
	struct view view;
	struct table table; /* the matching rows, in the order of the series */
	size_t at;          /* row of the next question */
};

/*
 * expr: an expression that parses, "" = none; view: the rows of that view only, NULL = of any.
 * 0 or -ENOMEM; *f is NULL when all rows are wanted.
 */
int sample_filter_new(struct sample_filter **f, const char *expr, const struct view *view);
void sample_filter_free(struct sample_filter *f);
/* Match the series of *r. 0 or -ENOMEM. */
int sample_filter_set(struct sample_filter *f, const struct rates *r, struct netns_names *netns,
		      bool per_cpu);
/*
 * Whether the row of that series and CPU (-1 = all) matches; NULL matches all. Ask in ascending
 * order of series, then CPU.
 */
bool sample_filter_wants(struct sample_filter *f, size_t series, int cpu);

#endif
