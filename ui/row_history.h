/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Remembers the rates of every row of every view, sample by sample, for trend, peak and graph. */
#ifndef XDPTOP_UI_ROW_HISTORY_H
#define XDPTOP_UI_ROW_HISTORY_H

#include <stddef.h>
#include <stdint.h>
#include "table/table.h"
#include "history.h"

struct row_history {
	struct history *history; /* NULL = out of memory: nothing is remembered */
	struct table table;      /* of one view at a time, unfiltered */
};

void row_history_open(struct row_history *t);
void row_history_close(struct row_history *t);
/* After each sample, also while the screen is paused. */
void row_history_add(struct row_history *t, const struct rates *rates);
/* The rate columns of a view that are remembered; returns how many. */
int row_history_columns(enum view_id view, int out[HISTORY_VALUES]);
/* Which remembered value a rate column is: 0 to HISTORY_VALUES - 1; 0 when it is none of them. */
int row_history_value(enum view_id view, int column);
/* What trend (its mean) and peak sort by; NAN = not known. */
double row_history_sort_value(const struct row_history *t, enum view_id view, uint64_t row,
			      int column, int which, double at);
/*
 * The last minute before `at` (seconds, <= 0 = now) as signs; as blocks, else in ASCII. The
 * lowest sign is 0, a blank is not known.
 */
void row_history_trend(const struct row_history *t, enum view_id view, uint64_t row, int which,
		       double at, bool as_blocks, char *buf, size_t size);

#endif
