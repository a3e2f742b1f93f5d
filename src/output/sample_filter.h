/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which sample rows an output of samples (JSON, CSV, Prometheus) gives: -f, and in CSV the series
 * that the view of -v shows. The filter means the same as on the screen: each sample row is a row
 * of a table that has one for each series, and words look at what names it.
 */
#ifndef XDPTOP_SAMPLE_FILTER_H
#define XDPTOP_SAMPLE_FILTER_H

#include "table/filter.h"
#include "table/table.h"

struct sample_filter {
	struct filter *filter;
	struct view view;
	struct table table; /* the wanted rows, in the order of the series */
	size_t at;          /* the first one that was not asked for yet */
};

/*
 * expr: an expression that parses, NULL = none; view: the rows of that view only, NULL = of any.
 * 0 or -ENOMEM; *f is NULL when all rows are wanted.
 */
int sample_filter_new(struct sample_filter **f, const char *expr, const struct view *view);
void sample_filter_free(struct sample_filter *f);
/* Look at the rates that the next rows are made of. 0 or -ENOMEM. */
int sample_filter_set(struct sample_filter *f, const struct rates *r, struct netns_names *netns,
		      bool per_cpu);
/*
 * Whether the row of that series and CPU (-1 = all) is wanted; to be asked in the order of the
 * series and their CPUs, those of a series behind itself. NULL wants all.
 */
bool sample_filter_wants(struct sample_filter *f, size_t series, int cpu);

#endif
