/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growable arrays and binary search. An array is three lvalues that its owner declares: a pointer
 * (NULL at first), size_t n elements in use, size_t cap elements allocated. The owner frees it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"

#define ARRAY_CAP_MIN 8

/* Allocate at least `want` elements. Invalidates pointers into it. */
#define array_reserve(array, cap, want) array_grow(&(array), &(cap), want, sizeof(*(array)))

/*
 * Insert one zeroed element at index `at` (<= n) before the elements that follow. Returns a pointer
 * to it. Invalidates earlier pointers.
 */
#define array_insert(array, n, cap, at) \
	((__typeof__(array))array_open(&(array), &(n), &(cap), at, sizeof(*(array))))

/* The same at the end. */
#define array_append(array, n, cap) array_insert(array, n, cap, n)

/*
 * Replace the elements from index `at` up to `end` by `count` others. Invalidates pointers into it.
 */
#define array_replace(array, n, cap, at, end, from, count) \
	array_splice(&(array), &(n), &(cap), at, end, from, count, sizeof(*(array)))

/*
 * Index of the first element for which `before` is false; n = none. `before` is an expression of
 * the pointer `e`, true only for the first part of the array:
 *   at = array_lower_bound(t->row, t->n, e, e->id < id);
 */
#define array_lower_bound(array, n, e, before)                             \
	({                                                                 \
		size_t low_ = 0, high_ = (n);                              \
		while (low_ < high_) {                                     \
			size_t middle_ = low_ + (high_ - low_) / 2;        \
			const __typeof__(*(array)) *e = &(array)[middle_]; \
			if (before)                                        \
				low_ = middle_ + 1;                        \
			else                                               \
				high_ = middle_;                           \
		}                                                          \
		low_;                                                      \
	})

/*
 * The element of such a search for which `same` is also true; NULL = none.
 *   row = array_find(t->row, t->n, e, e->id < id, e->id == id);
 */
#define array_find(array, n, e, before, same)                                              \
	({                                                                                 \
		const size_t count_ = (n);                                                 \
		const size_t found_ = array_lower_bound(array, count_, e, before);         \
		const __typeof__(*(array)) *e = found_ < count_ ? &(array)[found_] : NULL; \
		e && (same) ? &(array)[found_] : NULL;                                     \
	})

/* memcpy: a T ** must not be accessed as void **. */
static inline void array_grow(void *array_pointer, size_t *cap, size_t want, size_t size)
{
	size_t more = 2 * *cap > ARRAY_CAP_MIN ? 2 * *cap : ARRAY_CAP_MIN;
	void *array;

	if (want <= *cap)
		return;
	if (more < want)
		more = want;
	memcpy(&array, array_pointer, sizeof(array));
	array = memory_resize(array, more, size);
	memcpy(array_pointer, &array, sizeof(array));
	*cap = more;
}

static inline void *array_open(void *array_pointer, size_t *n, size_t *cap, size_t at, size_t size)
{
	char *place;

	array_grow(array_pointer, cap, *n + 1, size);
	memcpy(&place, array_pointer, sizeof(place));
	place += at * size;
	memmove(place + size, place, (*n - at) * size);
	(*n)++;
	return memset(place, 0, size);
}

static inline void array_splice(void *array_pointer, size_t *n, size_t *cap, size_t at, size_t end,
				const void *from, size_t count, size_t size)
{
	size_t rest = *n - end;
	char *array;

	array_grow(array_pointer, cap, at + count + rest, size);
	memcpy(&array, array_pointer, sizeof(array));
	if (rest && at + count != end)
		memmove(array + (at + count) * size, array + end * size, rest * size);
	if (count)
		memcpy(array + at * size, from, count * size);
	*n = at + count + rest;
}

/* For qsort(): less than 0, 0 or more than 0 for two numbers. */
#define ORDER(x, y) (((x) > (y)) - ((x) < (y)))
/* Define a function that compares elements of a type, *x and *y, by an expression. */
#define COMPARE(fn, type, expression)                  \
	static int fn(const void *a, const void *b)    \
	{                                              \
		const type *const x = a, *const y = b; \
                                                       \
		return expression;                     \
	}

static inline int compare_u32(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return ORDER(*x, *y);
}

/* Compares n numbers of 4 bytes, the first one first. */
static inline int compare_words(const void *a, const void *b, size_t n)
{
	const uint32_t *x = a, *y = b;

	for (; n && *x == *y; n--, x++, y++)
		;
	return n ? compare_u32(x, y) : 0;
}

/* qsort(), unless the array is already in order. Returns whether it was not. */
static inline bool array_sort(void *array, size_t n, size_t size,
			      int (*compare)(const void *a, const void *b))
{
	const char *row = array;

	for (size_t i = 1; i < n; i++, row += size) {
		if (compare(row, row + size) <= 0)
			continue;
		qsort(array, n, size, compare);
		return true;
	}
	return false;
}
