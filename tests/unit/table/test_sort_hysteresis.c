// SPDX-License-Identifier: GPL-2.0-or-later
/* The order that noise does not shuffle: stable, and never clearly wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "table/sort_hysteresis.h"

#define ROWS 64

static int by_value(const void *a, const void *b)
{
	const struct settle_row *x = a, *y = b;

	if (x->value > y->value || x->value < y->value)
		return x->value > y->value ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Sorted exactly, then settled; the ids in their new order. */
static void settled(struct settle *s, struct settle_row *rows, size_t n, uint64_t *ids)
{
	size_t order[ROWS];
	unsigned int seen = 0;

	qsort(rows, n, sizeof(*rows), by_value);
	assert_int_equal(settle(s, rows, n, order), 0);
	for (size_t i = 0; i < n; i++) {
		assert_true(order[i] < n);
		ids[i] = rows[order[i]].id;
		seen += ids[i] == rows[order[i]].id;
	}
	assert_int_equal(seen, n);
}

/* Rows with ids 'a' on and these event counts: "bca". */
static const char *order_of(struct settle *s, const double *events, size_t n)
{
	static char text[ROWS + 1];
	struct settle_row rows[ROWS];
	uint64_t ids[ROWS];

	for (size_t i = 0; i < n; i++)
		rows[i] =
			(struct settle_row){ 'a' + i, isnan(events[i]) ? -INFINITY
								       : settle_count(events[i]) };
	settled(s, rows, n, ids);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)ids[i];
	text[n] = '\0';
	return text;
}

#define EXPECT(s, text, ...)                                                              \
	assert_string_equal(order_of(s, (double[]){ __VA_ARGS__ },                        \
				     sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)), \
			    text)

static void test_noise_changes_nothing(void **state)
{
	struct settle s = { 0 };

	EXPECT(&s, "cba", 95, 100, 105);
	EXPECT(&s, "cba", 104, 101, 98);
	EXPECT(&s, "cba", 96, 97, 99);
	settle_forget(&s);
	EXPECT(&s, "abc", 104, 101, 98);
	settle_free(&s);
}

static void test_clearly_more_passes_at_once(void **state)
{
	struct settle s = { 0 };

	EXPECT(&s, "abcd", 400, 390, 380, 1);
	/* past all of them, also past those that are nearly as much */
	EXPECT(&s, "dabc", 400, 390, 380, 500);
	EXPECT(&s, "abcd", 400, 390, 380, 0);
	/* c is clearly more than a, though not than b between them */
	EXPECT(&s, "cabd", 400, 430, 475, 0);
	settle_free(&s);
}

static void test_nothing_stands_above_something(void **state)
{
	struct settle s = { 0 };

	EXPECT(&s, "ab", 1, 0);
	EXPECT(&s, "ba", 0, 1);
	EXPECT(&s, "ba", 0, 0);
	EXPECT(&s, "ab", 0.2, 0);
	settle_free(&s);
}

static void test_again_and_again_is_no_chance(void **state)
{
	struct settle s = { 0 };

	EXPECT(&s, "ab", 101, 100);
	for (int i = 1; i < SETTLE_SAMPLES; i++)
		EXPECT(&s, "ab", 100, 101);
	EXPECT(&s, "ba", 100, 101);
	/* one that falls behind again in between starts anew */
	for (int i = 1; i < SETTLE_SAMPLES; i++)
		EXPECT(&s, "ba", 101, 100);
	EXPECT(&s, "ba", 100, 100);
	for (int i = 1; i < SETTLE_SAMPLES; i++)
		EXPECT(&s, "ba", 101, 100);
	EXPECT(&s, "ab", 101, 100);
	settle_free(&s);
}

static void test_rows_come_and_go(void **state)
{
	struct settle s = { 0 };

	assert_string_equal(order_of(&s, NULL, 0), "");
	EXPECT(&s, "ba", 100, 200);
	EXPECT(&s, "bcda", 100, 200, 150, 140);
	EXPECT(&s, "a", 100);
	EXPECT(&s, "bac", 100, 200, NAN);
	EXPECT(&s, "acb", 100, NAN, 50);
	settle_free(&s);
}

static void test_rates_of_any_size(void **state)
{
	/* a square root for few, a twentieth for many */
	assert_true(settle_count(12) - settle_count(8) < SETTLE_CLEAR);
	assert_true(settle_count(20) - settle_count(8) > SETTLE_CLEAR);
	assert_true(settle_count(1.04e9) - settle_count(1e9) < SETTLE_CLEAR);
	assert_true(settle_count(1.06e9) - settle_count(1e9) > SETTLE_CLEAR);
	for (double n = 0.01; n < 1e18; n *= 1.1)
		assert_true(settle_count(n * 1.1) > settle_count(n));
	assert_true(settle_ratio(10.4) - settle_ratio(10) < SETTLE_CLEAR);
	assert_true(settle_ratio(10.6) - settle_ratio(10) > SETTLE_CLEAR);
	assert_true(settle_ratio(0) < settle_ratio(1e-9));
}

/* Whatever happens, no two rows stand clearly in the wrong order, and no row is lost. */
static void test_never_clearly_wrong(void **state)
{
	struct settle s = { 0 };
	unsigned int seed = 1;

	for (int sample = 0; sample < 3000; sample++) {
		struct settle_row rows[ROWS];
		double value[ROWS];
		uint64_t ids[ROWS];
		size_t n = 1 + (size_t)rand_r(&seed) % ROWS;
		int spread = sample / 1000 ? 40 : 8;

		for (size_t i = 0; i < n; i++) {
			value[i] = rand_r(&seed) % (10 * spread) / 10.0;
			rows[i] = (struct settle_row){ i, value[i] };
		}
		settled(&s, rows, n, ids);
		for (size_t i = 0; i < n; i++)
			for (size_t j = i + 1; j < n; j++)
				assert_true(value[ids[j]] <= value[ids[i]] + SETTLE_CLEAR);
	}
	settle_free(&s);
}

/* Thousands of rows: the first ones keep their places, the others are sorted exactly. */
static void test_many_rows(void **state)
{
	static struct settle_row rows[3 * SETTLE_ROWS];
	static size_t order[3 * SETTLE_ROWS];
	const size_t n = 3 * SETTLE_ROWS;
	struct settle s = { 0 };

	for (int sample = 0; sample < 2; sample++) {
		/* the second time every two neighbours have changed places, by next to nothing */
		for (size_t i = 0; i < n; i++)
			rows[i] = (struct settle_row){ sample ? i ^ 1 : i, -(double)i / 100 };
		assert_int_equal(settle(&s, rows, n, order), 0);
	}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(order[i], i < SETTLE_ROWS ? i ^ 1 : i);
	settle_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise_changes_nothing),
		cmocka_unit_test(test_clearly_more_passes_at_once),
		cmocka_unit_test(test_nothing_stands_above_something),
		cmocka_unit_test(test_again_and_again_is_no_chance),
		cmocka_unit_test(test_rows_come_and_go),
		cmocka_unit_test(test_rates_of_any_size),
		cmocka_unit_test(test_never_clearly_wrong),
		cmocka_unit_test(test_many_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
