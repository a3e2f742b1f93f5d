/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ten minutes of rates, one value a second, in bounded memory, for trend, peak and graph. Values
 * are per second, as in the table; NAN = not measured or not known.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "table/table.h"
#include "view_state.h"

#define HISTORY_SECONDS 600
#define HISTORY_RATES   4096 /* LRU by last activity; 10 MB at most */

/* Marks of a second. */
enum {
	HISTORY_TOGGLE = 1 << 0, /* a tracepoint was switched */
	HISTORY_GAP = 1 << 1,    /* sampling had stopped */
};

/* A rate: a column in a row of a view. */
struct history_key {
	int view, column;
	uint64_t row; /* unique within the view */
};

/* Zero it before first use. */
struct history {
	struct history_rate *rate; /* ascending by key */
	size_t n, cap;
	double from, to; /* of the newest step; 0 = no step yet */
	double weight;   /* seconds of all steps that end in the newest second */
	double first;    /* `from` of the first step */
	bool stepped, held;
	bool is_full; /* in the newest step no rate could be evicted */
	uint8_t mark[HISTORY_SECONDS];
};

/* Frees the rates and zeroes *h. */
void history_free(struct history *h);

/*
 * Begins a sample over (from, to], in seconds of a monotonic clock; `to` never decreases. marks:
 * HISTORY_TOGGLE, HISTORY_GAP. Then add its rates with history_add().
 */
void history_step(struct history *h, double from, double to, unsigned int marks);
/*
 * Adds a rate to the sample. A new rate is dropped while it is NAN, or when there are
 * HISTORY_RATES already and it is 0 or none of them is idle.
 */
void history_add(struct history *h, struct history_key key, float value);

/*
 * out[i] = the highest value in span i of `n`, each of `seconds`; NAN = none is known. The last
 * span contains the second `at` (on the clock of history_step(); <= 0 = the newest). Spans begin at
 * multiples of their length. False = no such rate.
 */
bool history_get(const struct history *h, struct history_key key, double at, int seconds, int n,
		 float *out);
/* out[i] = all marks in the same spans. */
void history_marks(const struct history *h, double at, int seconds, int n, uint8_t *out);
/* Freezes what history_peak() returns, for a paused screen, or unfreezes it. */
void history_hold_peaks(struct history *h, bool hold);
/* Largest value since the rate appeared or history_forget_peaks(); NAN = none. */
float history_peak(const struct history *h, struct history_key key);
void history_forget_peaks(struct history *h);
/* Seconds from the first step to the newest. */
double history_age(const struct history *h);

/* The rates of all rows of all views. */
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
