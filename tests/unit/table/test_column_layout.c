// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns in lines of every width up to 300 cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "table/column_layout.h"

#define WIDTH 300

static const struct column_need need[] = {
	{ 1, 0 }, { 20, 1 }, { 7, 0 }, { 8, 0 }, { 8, 0 }, { 8, 0 }, { 12, 2 }, { 6, 0 }, { 30, 3 },
};
#define NEED (int)(sizeof(need) / sizeof(need[0]))

static void columns_check(int pinned, int scroll, int x, int width)
{
	struct column_place out[COLUMN_LAYOUT_MAX];
	int n = column_layout_place(need, NEED, pinned, scroll, x, width, out), end = x - 1;

	if (width - x < 1) {
		assert_int_equal(n, 0);
		return;
	}
	assert_in_range(n, 1, NEED);
	for (int i = 0; i < n; i++) {
		const struct column_need *c = &need[out[i].index];

		assert_int_equal(out[i].x, end + 1);
		end = out[i].x + out[i].width;
		assert_true(out[i].width >= 1);
		/* Only the first and one that grows may be cut, and that one only at the edge. */
		if (out[i].width < c->width)
			assert_true(i == 0 || (c->grow && end == width));
		if (!c->grow && i)
			assert_int_equal(out[i].width, c->width);
		assert_int_equal(out[i].index, i < pinned ? i : i + scroll);
	}
	assert_true(end <= width);
	/* Nothing is left over beside a column that grows. */
	for (int i = 0; i < n; i++)
		if (need[out[i].index].grow)
			assert_int_equal(end, width);
}

static void test_place(void **state)
{
	for (int width = 0; width <= WIDTH; width++)
		for (int pinned = 0; pinned <= 2; pinned++)
			for (int scroll = 0; scroll < NEED - pinned; scroll++)
				columns_check(pinned, scroll, 2, width);
}

static void test_scroll(void **state)
{
	for (int width = 3; width <= WIDTH; width++) {
		struct column_place out[COLUMN_LAYOUT_MAX];
		int most = column_layout_scroll(need, NEED, 2, 2, width);
		int n = column_layout_place(need, NEED, 2, most, 2, width, out);

		assert_in_range(most, 0, NEED - 3);
		if (width >= 2 + 1 + 1 + 20 + 1 + 8)
			assert_int_equal(out[n - 1].index, NEED - 1);
		if (!most)
			continue;
		n = column_layout_place(need, NEED, 2, most - 1, 2, width, out);
		assert_int_not_equal(out[n - 1].index, NEED - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_scroll),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
