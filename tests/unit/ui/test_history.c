// SPDX-License-Identifier: GPL-2.0-or-later
/* Ten minutes of each row: what is kept, averaged and forgotten. */
#include <math.h>
#include <string.h>
#include "ui/history.h"
#include "unit/float_is.h"
#include "unit/test.h"

static struct history_key key(int view, uint64_t row, int column)
{
	return (struct history_key){ .view = view, .row = row, .column = column };
}

static void step(struct history *h, double from, double to, uint64_t row, float value)
{
	history_step(h, from, to, 0);
	history_add(h, key(0, row, 0), value);
}

TEST(test_seconds)
{
	struct history history = { 0 }, *h = &history;
	float out[10];

	assert_false(history_get(h, key(0, 1, 0), 0, 1, 10, out));
	for (int i = 0; i < 5; i++)
		step(h, 100.2 + i, 101.2 + i, 1, (float)(10 * i));
	assert_true(history_get(h, key(0, 1, 0), 0, 1, 10, out));
	for (int i = 0; i < 5; i++) {
		assert_true(isnan(out[i])); /* before the row existed */
		FLOAT_IS(out[5 + i], 10 * i, 0);
	}
	/* Other rates, views and rows are unknown. */
	assert_false(history_get(h, key(0, 1, 1), 0, 1, 10, out));
	assert_true(isnan(out[9]));
	assert_false(history_get(h, key(1, 1, 0), 0, 1, 10, out));
	assert_false(history_get(h, key(0, 2, 0), 0, 1, 10, out));
	/* The state of two seconds ago. */
	assert_true(history_get(h, key(0, 1, 0), 103.2, 1, 2, out));
	FLOAT_IS(out[1], 20, 0);
	FLOAT_IS(history_peak(h, key(0, 1, 0)), 40, 0);
	FLOAT_IS(history_age(h), 5, 1e-9);
	history_forget_peaks(h);
	assert_true(isnan(history_peak(h, key(0, 1, 0))));
	history_free(h);
}

/* Marks of the very first second are kept. */
TEST(test_first_mark)
{
	struct history history = { 0 }, *h = &history;
	uint8_t marks[3];

	history_step(h, 100.1, 100.3, 0);
	history_step(h, 100.3, 100.4, HISTORY_TOGGLE);
	history_step(h, 100.9, 101.1, 0);
	history_marks(h, 0, 1, 3, marks);
	assert_int_equal(marks[0], 0);
	assert_int_equal(marks[1], HISTORY_TOGGLE);
	assert_int_equal(marks[2], 0);
	history_free(h);
}

/* A paused screen keeps showing its peaks. */
TEST(test_held_peaks)
{
	struct history history = { 0 }, *h = &history;

	step(h, 100, 101, 1, 40);
	history_hold_peaks(h, true);
	step(h, 101, 102, 1, 90);
	step(h, 101, 102, 2, 7);
	FLOAT_IS(history_peak(h, key(0, 1, 0)), 40, 0);
	assert_true(isnan(history_peak(h, key(0, 2, 0))));
	history_hold_peaks(h, false);
	FLOAT_IS(history_peak(h, key(0, 1, 0)), 90, 0);
	FLOAT_IS(history_peak(h, key(0, 2, 0)), 7, 0);
	history_hold_peaks(h, true);
	history_forget_peaks(h);
	assert_true(isnan(history_peak(h, key(0, 1, 0))));
	history_free(h);
}

/* A long interval fills all its seconds; short ones share a second by length. */
TEST(test_intervals)
{
	struct history history = { 0 }, *h = &history;
	float out[10];

	step(h, 10.5, 15.5, 1, 7);
	history_get(h, key(0, 1, 0), 0, 1, 6, out);
	assert_true(isnan(out[0]));
	for (int i = 1; i < 6; i++)
		FLOAT_IS(out[i], 7, 0);
	step(h, 15.5, 16.0, 1, 1);
	step(h, 16.0, 16.25, 1, 4);
	step(h, 16.25, 16.75, 1, 10);
	history_get(h, key(0, 1, 0), 0, 1, 1, out);
	FLOAT_IS(out[0], (0.5 * 1 + 0.25 * 4 + 0.5 * 10) / 1.25, 1e-5);
	/* The peak is the value of an interval, not the average. */
	FLOAT_IS(history_peak(h, key(0, 1, 0)), 10, 0);
	history_free(h);
}

/* A row that appears, or returns, within a second. */
TEST(test_within_second)
{
	struct history history = { 0 }, *h = &history;
	float out[2];

	step(h, 10.0, 10.3, 1, 2);
	step(h, 10.3, 10.6, 2, 8);
	history_get(h, key(0, 2, 0), 0, 1, 2, out);
	assert_true(isnan(out[0]));
	FLOAT_IS(out[1], 8, 0);
	history_step(h, 10.6, 11.2, 0);
	step(h, 11.2, 11.5, 1, 6);
	history_get(h, key(0, 1, 0), 0, 1, 2, out);
	FLOAT_IS(out[0], 2, 0);
	FLOAT_IS(out[1], 6, 0);
	step(h, 11.5, 12.2, 1, NAN);
	step(h, 12.2, 12.5, 1, 3);
	history_get(h, key(0, 1, 0), 0, 1, 2, out);
	FLOAT_IS(out[1], 3, 0);
	history_free(h);
}

/* While a row was not in the table it has a gap, not zeros. */
TEST(test_hole)
{
	struct history history = { 0 }, *h = &history;
	float out[5];

	step(h, 0, 1, 1, 3);
	history_step(h, 1, 2, HISTORY_GAP);
	history_step(h, 2, 3, HISTORY_TOGGLE);
	step(h, 3, 4, 1, 5);
	history_get(h, key(0, 1, 0), 0, 1, 4, out);
	FLOAT_IS(out[0], 3, 0);
	assert_true(isnan(out[1]) && isnan(out[2]));
	FLOAT_IS(out[3], 5, 0);

	uint8_t marks[5];

	history_marks(h, 0, 1, 4, marks);
	assert_int_equal(marks[0], 0);
	assert_int_equal(marks[1], HISTORY_GAP);
	assert_int_equal(marks[2], HISTORY_TOGGLE);
	assert_int_equal(marks[3], 0);
	history_free(h);
}

/* Spans of several seconds have the highest value and all marks, and begin at multiples. */
TEST(test_spans)
{
	struct history history = { 0 }, *h = &history;
	uint8_t marks[3];
	float out[3];

	for (int i = 100; i < 114; i++) {
		history_step(h, i, i + 1, i == 106 ? HISTORY_TOGGLE : i == 108 ? HISTORY_GAP : 0);
		history_add(h, key(0, 1, 0), i % 2 ? (float)NAN : (float)(200 - i));
	}
	/* 105 to 109, 110 to 114, and the incomplete one. */
	assert_true(history_get(h, key(0, 1, 0), 115, 5, 3, out));
	FLOAT_IS(out[0], 200 - 104, 0);
	FLOAT_IS(out[1], 200 - 110, 0);
	assert_true(isnan(out[2]));
	history_marks(h, 115, 5, 3, marks);
	assert_int_equal(marks[0], HISTORY_TOGGLE | HISTORY_GAP);
	assert_int_equal(marks[1], 0);
	/* One second later nothing has shifted. */
	history_get(h, key(0, 1, 0), 119, 5, 3, out);
	FLOAT_IS(out[1], 200 - 110, 0);
	history_free(h);
}

/* An unknown value takes no memory. */
TEST(test_unknown)
{
	struct history history = { 0 }, *h = &history;
	float out[2];

	step(h, 0, 1, 1, NAN);
	assert_int_equal(h->n, 0);
	step(h, 1, 2, 1, 0);
	step(h, 2, 3, 1, NAN);
	assert_int_equal(h->n, 1);
	assert_true(history_get(h, key(0, 1, 0), 0, 1, 2, out));
	FLOAT_IS(out[0], 0, 0);
	assert_true(isnan(out[1]));
	FLOAT_IS(history_peak(h, key(0, 1, 0)), 0, 0);
	history_free(h);
}

TEST(test_ten_minutes)
{
	struct history history = { 0 }, *h = &history;
	float out[HISTORY_SECONDS + 5];

	for (int i = 0; i < 2000; i++)
		step(h, i, i + 1, 1, (float)i);
	history_get(h, key(0, 1, 0), 0, 1, HISTORY_SECONDS + 5, out);
	for (int i = 0; i < 5; i++)
		assert_true(isnan(out[i]));
	for (int i = 5; i < HISTORY_SECONDS + 5; i++)
		FLOAT_IS(out[i], 2000 - (HISTORY_SECONDS + 5) + i, 0);
	/* Absent for longer than the history. */
	step(h, 4999, 5000, 1, 1);
	history_get(h, key(0, 1, 0), 0, 1, HISTORY_SECONDS, out);
	for (int i = 0; i < HISTORY_SECONDS - 1; i++)
		assert_true(isnan(out[i]));
	FLOAT_IS(out[HISTORY_SECONDS - 1], 1, 0);
	history_free(h);
}

/* Rows that come and go stay within the memory limit, and busy rows are kept. */
TEST(test_bounded)
{
	struct history history = { 0 }, *h = &history;
	float out[1], value = 1;

	for (uint64_t i = 0; i < 20 * HISTORY_RATES; i++) {
		history_step(h, (double)i, (double)i + 1, 0);
		history_add(h, key(0, 7, 0), value);
		history_add(h, key(2, 1000 + i, 0), value);
		assert_true(history_get(h, key(0, 7, 0), 0, 1, 1, out));
		assert_true(history_get(h, key(2, 1000 + i, 0), 0, 1, 1, out));
	}
	int n = 0;

	for (uint64_t i = 0; i < 20 * HISTORY_RATES; i++)
		n += history_get(h, key(2, 1000 + i, 0), 0, 1, 1, out);
	assert_int_equal(n, HISTORY_RATES - 1);
	history_free(h);
}

/* Too many idle rows do not evict each other. */
TEST(test_idle_rows)
{
	struct history history = { 0 }, *h = &history;
	float out[1], value = 0, busy = 1;

	for (int second = 0; second < 3; second++) {
		history_step(h, second, second + 1.0, 0);
		for (uint64_t i = 0; i < 2 * HISTORY_RATES; i++)
			history_add(h, key(0, i, 0), value);
		for (uint64_t i = 0; i < 2 * HISTORY_RATES; i++)
			assert_int_equal(history_get(h, key(0, i, 0), 0, 1, 1, out),
					 i < HISTORY_RATES);
	}
	history_add(h, key(1, 1, 0), busy);
	assert_true(history_get(h, key(1, 1, 0), 0, 1, 1, out));
	history_free(h);
}
