/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records the rates of all rows of all views, for trend, peak and graph. */
#pragma once

#include "table/table.h"
#include "history.h"
#include "view_state.h"

struct row_history {
	struct history history;
	struct table table; /* scratch: one view at a time, unfiltered */
};

/* Empties it. Zero it before first use. */
void row_history_free(struct row_history *h);
/*
 * Call it after each sample, even during a pause. Records the rates that each view shows or
 * declares, and the rates graphed beside them. A gap in a replay has none.
 */
void row_history_add(struct row_history *h, const struct rates *rates,
		     const struct findings *findings, const struct view_state state[VIEW_COUNT],
		     bool replay);
/* Sort key of the screen columns: mean of the trend, or peak; NAN = unknown. */
double row_history_sort_value(const struct row_history *h, struct history_key key, int column,
			      double at);
/*
 * Prints the last minute before `at` (seconds, <= 0 = now) in TREND_CELLS characters, as blocks or
 * digits. The lowest character is 0, a blank is unknown. Whether anything was above 0.
 */
bool row_history_trend(const struct row_history *h, struct history_key key, double at,
		       bool as_blocks, char *buf, size_t size);
