/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorting with hysteresis: rows whose rates differ by noise only keep their order, or they would
 * swap each second and be unreadable. A row passes another one at once when their difference is
 * above the noise threshold, else after HYSTERESIS_SAMPLES samples in which it was larger. No two
 * rows are in the wrong order by more than the threshold.
 */
#ifndef XDPTOP_SORT_HYSTERESIS_H
#define XDPTOP_SORT_HYSTERESIS_H

#include <stddef.h>
#include <stdint.h>

/* The noise threshold, in the units of hysteresis_row.value. */
#define HYSTERESIS_CLEAR 1.0
/* A row that is larger than the one above it for so many samples passes it. */
#define HYSTERESIS_SAMPLES 5
/* Rows beyond these are sorted exactly, to bound the time. */
#define HYSTERESIS_ROWS 1024

struct hysteresis_row {
	uint64_t id;
	double value; /* in noise units, the largest comes first; -INFINITY = unknown, last */
};

struct hysteresis_entry;

/* The order of the last call; zeroed at first use. */
struct sort_hysteresis {
	struct hysteresis_entry *place, *next;
	size_t n, cap_place, cap_next;
};

/*
 * Sort n rows, which are passed in their exact order: order[i] is the index of the row to show at
 * i. Returns 0, or -ENOMEM and the exact order.
 */
int sort_hysteresis(struct sort_hysteresis *s, const struct hysteresis_row *rows, size_t n,
		    size_t *order);
/* Forget the last order: the next one is exact. */
void sort_hysteresis_forget(struct sort_hysteresis *s);
void sort_hysteresis_free(struct sort_hysteresis *s);

/*
 * Convert a number of events to noise units. The threshold is the sum of twice the square root
 * (the noise of independent events) and 5 %. Any events are above none by more than it.
 */
double sort_hysteresis_count(double events);
/* The same for a mean or a share, whose number of events is unknown: the threshold is 5 %. */
double sort_hysteresis_ratio(double ratio);

#endif
