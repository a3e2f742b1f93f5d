/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last ten minutes of each row, second by second, in bounded memory, for trend, peak and graph.
 * Values are rates per second as the table shows them; NAN = not measured or not known. No curses.
 */
#ifndef XDPTOP_UI_HISTORY_H
#define XDPTOP_UI_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_SECONDS 600
#define HISTORY_VALUES  4    /* rate columns kept of a row */
#define HISTORY_ROWS    1024 /* LRU by activity; 10 MB at most */

/* Events of a second. */
enum {
	HISTORY_TOGGLE = 1 << 0, /* a tracepoint was switched */
	HISTORY_GAP = 1 << 1,    /* sampling had stopped */
};

/* Zeroed at first. */
struct history {
	struct history_row *row[HISTORY_ROWS]; /* n of them, ascending by view and row */
	size_t n;
	double from, to; /* of the newest step; 0 = no step yet */
	double weight;   /* measured part of the newest second, this step included */
	double first;    /* from of the first step */
	bool stepped, held;
	uint8_t mark[HISTORY_SECONDS];
};

/* Empties it. */
void history_free(struct history *h);

/*
 * Begins a sample over (from, to], in seconds of a monotonic clock; `to` never decreases. marks:
 * HISTORY_TOGGLE, HISTORY_GAP. Add the rows' values with history_add().
 */
void history_step(struct history *h, double from, double to, unsigned int marks);
/*
 * Adds the rates of a row to the sample; `row` is unique within `view`. Values from n on are
 * unknown. The row is lost when memory or HISTORY_ROWS is exhausted.
 */
void history_add(struct history *h, unsigned int view, uint64_t row, const float *value, int n);

/*
 * out[i] = value `which` of the second `seconds - 1 - i` before `at` (on the clock of
 * history_step(); <= 0 = the newest); NAN where it is not known. False when there is no such row.
 */
bool history_get(const struct history *h, unsigned int view, uint64_t row, int which, double at,
		 int seconds, float *out);
/* Marks of the same seconds. */
void history_marks(const struct history *h, double at, int seconds, uint8_t *out);
/* Freezes the peaks at their current values, for a paused screen. */
void history_hold_peaks(struct history *h, bool hold);
/* Largest value since the row appeared or history_forget_peaks(); NAN = none. */
float history_peak(const struct history *h, unsigned int view, uint64_t row, int which);
void history_forget_peaks(struct history *h);
/* Seconds from the first step to the newest. */
double history_age(const struct history *h);

#endif
