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
	const struct hysteresis_row *x = a, *y = b;

	if (x->value > y->value || x->value < y->value)
		return x->value > y->value ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Sorted exactly, then settled; the ids in their new order. */
static void settled(struct sort_hysteresis *s, struct hysteresis_row *rows, size_t n, uint64_t *ids)
{
	size_t order[ROWS];
	unsigned int seen = 0;

	qsort(rows, n, sizeof(*rows), by_value);
	assert_int_equal(sort_hysteresis(s, rows, n, order), 0);
	for (size_t i = 0; i < n; i++) {
		assert_true(order[i] < n);
		ids[i] = rows[order[i]].id;
		seen += ids[i] == rows[order[i]].id;
	}
	assert_int_equal(seen, n);
}

/* Rows with ids 'a' on and these event counts: "bca". */
static const char *order_of(struct sort_hysteresis *s, const double *events, size_t n)
{
	static char text[ROWS + 1];
	struct hysteresis_row rows[ROWS];
	uint64_t ids[ROWS];

	for (size_t i = 0; i < n; i++)
		rows[i] = (struct hysteresis_row){
			'a' + i, isnan(events[i]) ? -INFINITY : sort_hysteresis_count(events[i])
		};
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
	struct sort_hysteresis s = { 0 };

	EXPECT(&s, "cba", 95, 100, 105);
	EXPECT(&s, "cba", 104, 101, 98);
	EXPECT(&s, "cba", 96, 97, 99);
	sort_hysteresis_forget(&s);
	EXPECT(&s, "abc", 104, 101, 98);
	sort_hysteresis_free(&s);
}

static void test_clearly_more_passes_at_once(void **state)
{
	struct sort_hysteresis s = { 0 };

	EXPECT(&s, "abcd", 400, 390, 380, 1);
	/* past all of them, also past those that are nearly as much */
	EXPECT(&s, "dabc", 400, 390, 380, 500);
	EXPECT(&s, "abcd", 400, 390, 380, 0);
	/* c is clearly more than a, though not than b between them */
	EXPECT(&s, "cabd", 400, 430, 475, 0);
	sort_hysteresis_free(&s);
}

static void test_nothing_stands_above_something(void **state)
{
	struct sort_hysteresis s = { 0 };

	EXPECT(&s, "ab", 1, 0);
	EXPECT(&s, "ba", 0, 1);
	EXPECT(&s, "ba", 0, 0);
	EXPECT(&s, "ab", 0.2, 0);
	sort_hysteresis_free(&s);
}

static void test_again_and_again_is_no_chance(void **state)
{
	struct sort_hysteresis s = { 0 };

	EXPECT(&s, "ab", 101, 100);
	for (int i = 1; i < HYSTERESIS_SAMPLES; i++)
		EXPECT(&s, "ab", 100, 101);
	EXPECT(&s, "ba", 100, 101);
	/* one that falls behind again in between starts anew */
	for (int i = 1; i < HYSTERESIS_SAMPLES; i++)
		EXPECT(&s, "ba", 101, 100);
	EXPECT(&s, "ba", 100, 100);
	for (int i = 1; i < HYSTERESIS_SAMPLES; i++)
		EXPECT(&s, "ba", 101, 100);
	EXPECT(&s, "ab", 101, 100);
	sort_hysteresis_free(&s);
}

static void test_rows_come_and_go(void **state)
{
	struct sort_hysteresis s = { 0 };

	assert_string_equal(order_of(&s, NULL, 0), "");
	EXPECT(&s, "ba", 100, 200);
	EXPECT(&s, "bcda", 100, 200, 150, 140);
	EXPECT(&s, "a", 100);
	EXPECT(&s, "bac", 100, 200, NAN);
	EXPECT(&s, "acb", 100, NAN, 50);
	sort_hysteresis_free(&s);
}

static void test_rates_of_any_size(void **state)
{
	/* a square root for few, a twentieth for many */
	assert_true(sort_hysteresis_count(12) - sort_hysteresis_count(8) < HYSTERESIS_CLEAR);
	assert_true(sort_hysteresis_count(20) - sort_hysteresis_count(8) > HYSTERESIS_CLEAR);
	assert_true(sort_hysteresis_count(1.04e9) - sort_hysteresis_count(1e9) < HYSTERESIS_CLEAR);
	assert_true(sort_hysteresis_count(1.06e9) - sort_hysteresis_count(1e9) > HYSTERESIS_CLEAR);
	for (double n = 0.01; n < 1e18; n *= 1.1)
		assert_true(sort_hysteresis_count(n * 1.1) > sort_hysteresis_count(n));
	assert_true(sort_hysteresis_ratio(10.4) - sort_hysteresis_ratio(10) < HYSTERESIS_CLEAR);
	assert_true(sort_hysteresis_ratio(10.6) - sort_hysteresis_ratio(10) > HYSTERESIS_CLEAR);
	assert_true(sort_hysteresis_ratio(0) < sort_hysteresis_ratio(1e-9));
}

/* Whatever happens, no two rows stand clearly in the wrong order, and no row is lost. */
static void test_never_clearly_wrong(void **state)
{
	struct sort_hysteresis s = { 0 };
	unsigned int seed = 1;

	for (int sample = 0; sample < 3000; sample++) {
		struct hysteresis_row rows[ROWS];
		double value[ROWS];
		uint64_t ids[ROWS];
		size_t n = 1 + (size_t)rand_r(&seed) % ROWS;
		int spread = sample / 1000 ? 40 : 8;

		for (size_t i = 0; i < n; i++) {
			value[i] = rand_r(&seed) % (10 * spread) / 10.0;
			rows[i] = (struct hysteresis_row){ i, value[i] };
		}
		settled(&s, rows, n, ids);
		for (size_t i = 0; i < n; i++)
			for (size_t j = i + 1; j < n; j++)
				assert_true(value[ids[j]] <= value[ids[i]] + HYSTERESIS_CLEAR);
	}
	sort_hysteresis_free(&s);
}

/* Thousands of rows: the first ones keep their places, the others are sorted exactly. */
static void test_many_rows(void **state)
{
	static struct hysteresis_row rows[3 * HYSTERESIS_ROWS];
	static size_t order[3 * HYSTERESIS_ROWS];
	const size_t n = 3 * HYSTERESIS_ROWS;
	struct sort_hysteresis s = { 0 };

	for (int sample = 0; sample < 2; sample++) {
		/* the second time every two neighbours have changed places, by next to nothing */
		for (size_t i = 0; i < n; i++)
			rows[i] = (struct hysteresis_row){ sample ? i ^ 1 : i, -(double)i / 100 };
		assert_int_equal(sort_hysteresis(&s, rows, n, order), 0);
	}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(order[i], i < HYSTERESIS_ROWS ? i ^ 1 : i);
	sort_hysteresis_free(&s);
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
