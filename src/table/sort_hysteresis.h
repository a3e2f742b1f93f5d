/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An order that noise does not shuffle. Rows sorted by a rate change places each second where their
 * rates differ by chance only, and nobody can read them. Here a row passes another one at once when
 * it is clearly ahead, and otherwise when it was ahead for SETTLE_SAMPLES in a row; no two rows
 * ever stand clearly in the wrong order.
 */
#ifndef XDPTOP_SETTLE_H
#define XDPTOP_SETTLE_H

#include <stddef.h>
#include <stdint.h>

/* Values that differ by more than this are clearly different. */
#define SETTLE_CLEAR 1.0
/* So often in a row ahead of the one above it, a row passes it all the same. */
#define SETTLE_SAMPLES 5
/* Below so many rows nobody reads on: the rest stays sorted exactly, which takes less time. */
#define SETTLE_ROWS 1024

struct settle_row {
	uint64_t id;
	double value; /* the largest first, in units of noise; -INFINITY = not known, last */
};

struct settle_place;

/* The order of last time; zeroed at first use. */
struct settle {
	struct settle_place *place, *next;
	size_t n, cap_place, cap_next;
};

/*
 * Rows sorted exactly in, their settled order out: order[i] = which row stands at i. 0, or -ENOMEM
 * and the exact order.
 */
int settle(struct settle *s, const struct settle_row *rows, size_t n, size_t *order);
/* The next order is the exact one. */
void settle_forget(struct settle *s);
void settle_free(struct settle *s);

/*
 * Noise units of a number of events: clearly more is more than chance (a square root of them, as
 * independent events come) and more than a twentieth. More than none is always clear.
 */
double settle_count(double events);
/* Of a mean or a share, whose number of events is not known: a twentieth. */
double settle_ratio(double ratio);

#endif
