/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last ten minutes of each row, second by second, in bounded memory: what sparkline, peak and
 * graph show. Values are rates per second as the table showed them; a second nobody measured, or
 * in which the value was not known, is NAN. No curses.
 */
#ifndef XDPTOP_UI_HISTORY_H
#define XDPTOP_UI_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_SECONDS 600
#define HISTORY_VALUES  4    /* rate columns kept of a row */
#define HISTORY_ROWS    1024 /* the row idle for longest makes room for a new one: 10 MB at most */

/* What happened in a second, besides the counting. */
enum {
	HISTORY_TOGGLE = 1 << 0, /* a tracepoint was switched */
	HISTORY_GAP = 1 << 1,    /* sampling had stopped */
};

struct history;

/* NULL when out of memory. */
struct history *history_new(void);
/* Takes NULL. */
void history_free(struct history *h);

/*
 * A sample over (from, to], seconds on one monotonic clock; to only ever grows. The rows' values
 * follow with history_add().
 */
void history_step(struct history *h, double from, double to, unsigned int marks);
/*
 * The rates of a row in the interval of the last step; `row` is unique with `view`. Values past n
 * are not known. Out of memory, or more rows than there is room for, loses the row.
 */
void history_add(struct history *h, unsigned int view, uint64_t row, const float *value, int n);

/*
 * out[i] = value `which` of the second `seconds - 1 - i` before `at` (on the clock of
 * history_step(); <= 0 = the newest); NAN where it is not known. False when there is no such row.
 */
bool history_get(const struct history *h, unsigned int view, uint64_t row, int which, double at,
		 int seconds, float *out);
/* The marks of those seconds. */
void history_marks(const struct history *h, double at, int seconds, uint8_t *out);
/* While held, peaks are those of now: the screen is paused. */
void history_hold_peaks(struct history *h, bool hold);
/* The largest value since the row was first seen, or since history_forget_peaks(); NAN = none. */
float history_peak(const struct history *h, unsigned int view, uint64_t row, int which);
void history_forget_peaks(struct history *h);
/* Seconds on its clock of the newest step; 0 = there was none. */
double history_now(const struct history *h);
/* Seconds between the first step and the newest. */
double history_age(const struct history *h);

#endif
