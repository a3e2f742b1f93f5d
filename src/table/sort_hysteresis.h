/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An order that noise does not shuffle. Rows sorted by a rate change places each second where their
 * rates differ by chance only, and nobody can read them. Here a row passes another one at once when
 * it is clearly ahead, and otherwise when it was ahead for HYSTERESIS_SAMPLES in a row; no two rows
 * ever stand clearly in the wrong order.
 */
#ifndef XDPTOP_SORT_HYSTERESIS_H
#define XDPTOP_SORT_HYSTERESIS_H

#include <stddef.h>
#include <stdint.h>

/* Values that differ by more than this are clearly different. */
#define HYSTERESIS_CLEAR 1.0
/* So often in a row ahead of the one above it, a row passes it all the same. */
#define HYSTERESIS_SAMPLES 5
/* Below so many rows nobody reads on: the rest stays sorted exactly, which takes less time. */
#define HYSTERESIS_ROWS 1024

struct hysteresis_row {
	uint64_t id;
	double value; /* the largest first, in units of noise; -INFINITY = not known, last */
};

struct hysteresis_entry;

/* The order of last time; zeroed at first use. */
struct sort_hysteresis {
	struct hysteresis_entry *place, *next;
	size_t n, cap_place, cap_next;
};

/*
 * Rows sorted exactly in, their settled order out: order[i] = which row stands at i. 0, or -ENOMEM
 * and the exact order.
 */
int sort_hysteresis(struct sort_hysteresis *s, const struct hysteresis_row *rows, size_t n,
		    size_t *order);
/* The next order is the exact one. */
void sort_hysteresis_forget(struct sort_hysteresis *s);
void sort_hysteresis_free(struct sort_hysteresis *s);

/*
 * Noise units of a number of events: clearly more is more than chance (a square root of them, as
 * independent events come) and more than a twentieth. More than none is always clear.
 */
double sort_hysteresis_count(double events);
/* Of a mean or a share, whose number of events is not known: a twentieth. */
double sort_hysteresis_ratio(double ratio);

#endif
