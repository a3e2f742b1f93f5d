/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last ten minutes of rates, second by second, in bounded memory, for trend, peak and graph.
 * Values are per second as the table shows them; NAN = not measured or not known. No curses.
 */
#ifndef XDPTOP_UI_HISTORY_H
#define XDPTOP_UI_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_SECONDS 600
#define HISTORY_RATES   4096 /* LRU by activity; 10 MB at most */

/* Events of a second. */
enum {
	HISTORY_TOGGLE = 1 << 0, /* a tracepoint was switched */
	HISTORY_GAP = 1 << 1,    /* sampling had stopped */
};

/* A rate: a column in a row of a view. */
struct history_key {
	int view, column;
	uint64_t row; /* unique within the view */
};

/* Zeroed at first. */
struct history {
	struct history_rate *rate; /* ascending by key */
	size_t n, cap;
	double from, to; /* of the newest step; 0 = no step yet */
	double weight;   /* measured part of the newest second, this step included */
	double first;    /* from of the first step */
	bool stepped, held;
	bool is_full; /* of rates that are all active in the newest step */
	uint8_t mark[HISTORY_SECONDS];
};

/* Empties it. */
void history_free(struct history *h);

/*
 * Begins a sample over (from, to], in seconds of a monotonic clock; `to` never decreases. marks:
 * HISTORY_TOGGLE, HISTORY_GAP. Add the rates with history_add().
 */
void history_step(struct history *h, double from, double to, unsigned int marks);
/*
 * Adds a rate to the sample. A new one is lost when it is unknown, or when memory or HISTORY_RATES
 * is exhausted.
 */
void history_add(struct history *h, struct history_key key, float value);

/*
 * The `n` spans of `seconds` each up to the one with the second `at` (on the clock of
 * history_step(); <= 0 = the newest); spans begin at multiples of their length. out[i] = the
 * highest value of span i, the last one is the newest; NAN where none is known. False when there is
 * no such rate.
 */
bool history_get(const struct history *h, struct history_key key, double at, int seconds, int n,
		 float *out);
/* All marks of the same spans. */
void history_marks(const struct history *h, double at, int seconds, int n, uint8_t *out);
/* Freezes the peaks at their current values, for a paused screen. */
void history_hold_peaks(struct history *h, bool hold);
/* Largest value since the rate appeared or history_forget_peaks(); NAN = none. */
float history_peak(const struct history *h, struct history_key key);
void history_forget_peaks(struct history *h);
/* Seconds from the first step to the newest. */
double history_age(const struct history *h);

#endif
