/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which sample rows JSON, CSV and Prometheus have: rows that match -f, and in CSV only rows of the
 * view of -v. To match as on the screen it builds a table with one row per series. Words match the
 * columns that name a series.
 */
#pragma once

#include "table/filter.h"
#include "table/table.h"

struct sample_filter {
	struct filter *filter;
	struct view view;
	struct table table; /* the matching rows, in the order of the series */
	size_t at;          /* the row of the next call */
	/* the matching rows of their views */
	struct table findings, devices;
};

/*
 * expr: a valid expression, "" = none; view: only rows of this view, NULL = of any. NULL if all
 * rows are wanted.
 */
struct sample_filter *sample_filter_new(const char *expr, const struct view *view);
void sample_filter_free(struct sample_filter *f);
/* Matches the series of *r. 0 or -ECANCELED. */
int sample_filter_set(struct sample_filter *f, const struct rates *r, struct netns_names *netns,
		      bool per_cpu);
/*
 * Whether the row of this series and CPU (-1 = all) matches; f NULL matches all. Call in ascending
 * order of series, then CPU.
 */
bool sample_filter_wants(struct sample_filter *f, size_t series, int cpu);

/* Matches findings and devices as their views do. 0 or -ECANCELED; f NULL matches all. */
int sample_filter_set_lists(struct sample_filter *f, const struct rates *r,
			    struct netns_names *netns, const struct findings *findings);
bool sample_filter_wants_finding(const struct sample_filter *f, size_t index);
bool sample_filter_wants_device(const struct sample_filter *f, uint32_t netns, uint32_t ifindex);
