// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "table/sort_hysteresis.h"

#define NEW SIZE_MAX
/* The relative part of the threshold. */
#define PART 0.05

struct hysteresis_entry {
	uint64_t id;
	double value;
	double least;   /* smallest value down to this place */
	size_t row;     /* index into the rows */
	size_t before;  /* its place in the last order, NEW = none */
	uint32_t ahead; /* successive samples in which it was larger than the one above it */
};

/* The integral of 1 / (2 sqrt(n) + PART n): 1 is one noise threshold at any rate. */
double sort_hysteresis_count(double events)
{
	return events > 0 ? 2 / PART * log1p(sqrt(events) * PART / 2) : -2 * HYSTERESIS_CLEAR;
}

double sort_hysteresis_ratio(double ratio)
{
	return ratio > 0 ? log(ratio) / log1p(PART) : -INFINITY;
}

static int by_id(const void *a, const void *b)
{
	const struct hysteresis_entry *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* By the last order; new rows come last, in exact order. */
static int by_place(const void *a, const void *b)
{
	const struct hysteresis_entry *x = a, *y = b;

	if (x->before != y->before)
		return x->before < y->before ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Fill s->next: the rows in their last order. */
static void places_take(struct sort_hysteresis *s, const struct hysteresis_row *rows, size_t n)
{
	for (size_t i = 0; i < s->n; i++)
		s->place[i].before = i;
	if (s->n)
		qsort(s->place, s->n, sizeof(*s->place), by_id);
	for (size_t i = 0; i < n; i++) {
		struct hysteresis_entry key = { .id = rows[i].id }, *last = NULL;

		if (s->n)
			last = bsearch(&key, s->place, s->n, sizeof(key), by_id);
		s->next[i] = (struct hysteresis_entry){ .id = rows[i].id,
							.value = rows[i].value,
							.row = i,
							.before = last ? last->before : NEW,
							.ahead = last ? last->ahead : 0 };
	}
	if (n)
		qsort(s->next, n, sizeof(*s->next), by_place);
}

/*
 * Insert a row above all rows that are smaller by more than the threshold. That relation is
 * transitive, so no row that is larger by more than it ends up below. `least` never grows from one
 * place to the next: binary search finds the place.
 */
static void place_put(struct sort_hysteresis *s, size_t n, const struct hysteresis_entry *new)
{
	size_t at = array_lower_bound(s->place, n, e, !(e->least < new->value - HYSTERESIS_CLEAR));

	memmove(&s->place[at + 1], &s->place[at], (n - at) * sizeof(*s->place));
	s->place[at] = *new;
	s->place[at].least = at ? fmin(s->place[at - 1].least, new->value) : new->value;
}

/* Swap a row with the same one above it after HYSTERESIS_SAMPLES: no chance then. */
static void neighbours_pass(struct sort_hysteresis *s)
{
	for (size_t i = 1; i < s->n; i++) {
		struct hysteresis_entry *above = &s->place[i - 1], *p = &s->place[i], swap;
		bool same =
			p->before != NEW && above->before != NEW && above->before + 1 == p->before;

		p->ahead = p->value > above->value ? 1 + (same ? p->ahead : 0) : 0;
		if (p->ahead < HYSTERESIS_SAMPLES)
			continue;
		swap = *above;
		*above = *p;
		*p = swap;
		above->ahead = p->ahead = 0;
	}
}

int sort_hysteresis(struct sort_hysteresis *s, const struct hysteresis_row *rows, size_t n,
		    size_t *order)
{
	size_t top = n < HYSTERESIS_ROWS ? n : HYSTERESIS_ROWS;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	if (array_reserve(s->place, s->cap_place, top) ||
	    array_reserve(s->next, s->cap_next, top)) {
		s->n = 0;
		return -ENOMEM;
	}
	places_take(s, rows, top);
	for (size_t i = 0; i < top; i++)
		place_put(s, i, &s->next[i]);
	s->n = top;
	neighbours_pass(s);
	for (size_t i = 0; i < top; i++)
		order[i] = s->place[i].row;
	return 0;
}

void sort_hysteresis_forget(struct sort_hysteresis *s)
{
	s->n = 0;
}

void sort_hysteresis_free(struct sort_hysteresis *s)
{
	free(s->place);
	free(s->next);
	memset(s, 0, sizeof(*s));
}
