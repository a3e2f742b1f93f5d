/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Remembers the rates of every row of every view, sample by sample, for trend, peak and graph. */
#ifndef XDPTOP_UI_ROW_HISTORY_H
#define XDPTOP_UI_ROW_HISTORY_H

#include <stddef.h>
#include <stdint.h>
#include "table/table.h"
#include "history.h"

struct tracker {
	struct history *history; /* NULL = out of memory: nothing is remembered */
	struct table table;      /* of one view at a time, unfiltered */
};

void tracker_open(struct tracker *t);
void tracker_close(struct tracker *t);
/* After each sample, also while the screen is paused. */
void tracker_take(struct tracker *t, const struct rates *rates);
/* Which remembered value a rate column is: 0 to HISTORY_VALUES - 1; 0 when it is none of them. */
int tracker_value(unsigned int view, int column);
/* What trend (its mean) and peak sort by; NAN = not known. */
double tracker_number(const struct tracker *t, unsigned int view, uint64_t row, int column,
		      int which, double at);
/*
 * The last minute before `at` (seconds, <= 0 = now) as signs; as blocks, else in ASCII. The
 * lowest sign is 0, a blank is not known.
 */
void tracker_trend(const struct tracker *t, unsigned int view, uint64_t row, int which, double at,
		   bool as_blocks, char *buf, size_t size);

#endif
