// SPDX-License-Identifier: GPL-2.0-or-later
/* Geometry for every size from 1x1 to 300x100. */
#include "ui/layout.h"
#include "unit/test.h"

#define WIDTH  300
#define HEIGHT 100

TEST(test_lines)
{
	for (int w = 1; w <= WIDTH; w++) {
		for (int h = 1; h <= HEIGHT; h++) {
			struct layout l;

			layout_set(&l, w, h);
			assert_int_equal(l.width, w);
			assert_int_equal(l.height, h);
			assert_int_equal(l.too_small, w < 40 || h < 10);
			if (l.too_small)
				continue;
			/* Every line of the screen belongs to exactly one part. */
			assert_int_equal(l.header_y, 0);
			assert_in_range(l.header_lines, 2, 3);
			assert_int_equal(l.column_header_y, l.header_lines);
			assert_int_equal(l.body_y, l.column_header_y + 1);
			assert_true(l.body_lines >= 5);
			assert_int_equal(l.footer_y, h - 1);
			if (l.status_y >= 0)
				assert_int_equal(l.status_y, h - 2);
			assert_int_equal(l.body_y + l.body_lines,
					 l.status_y >= 0 ? l.status_y : l.footer_y);
		}
	}
}

TEST(test_scroll)
{
	for (int lines = 0; lines < 12; lines++) {
		for (int rows = 0; rows < 30; rows++) {
			for (int cursor = -1; cursor <= rows; cursor++) {
				for (int before = 0; before < 30; before++) {
					struct list list = { before, cursor };
					int top;

					layout_scroll(&list, rows, lines);
					top = list.top;
					assert_true(top >= 0);
					if (cursor >= 0 && cursor < rows)
						assert_int_equal(list.cursor, cursor);
					else
						assert_int_equal(list.cursor,
								 cursor > 0 ? rows - 1 : 0);
					if (!lines || !rows)
						continue;
					/* No line stays blank while there are rows above. */
					assert_true(top + lines <= rows || top == 0);
					if (cursor < 0 || cursor >= rows)
						continue;
					assert_in_range(cursor, top, top + lines - 1);
					/* It moves only if needed. */
					if (cursor >= before && cursor < before + lines &&
					    before + lines <= rows)
						assert_int_equal(top, before);
				}
			}
		}
	}
}

TEST(test_segments)
{
	for (int width = 1; width <= WIDTH; width++) {
		struct layout_segment s[] = {
			{ .width = 6, .weight = 10 },
			{ .width = 24, .weight = 50 },
			{ .width = 0, .weight = 99 },
			{ .width = 12, .weight = 20 },
			{ .width = 10, .weight = 30, .right = true },
			{ .width = 8, .weight = 60, .right = true },
		};
		int n = sizeof(s) / sizeof(s[0]), cell[WIDTH] = { 0 }, lightest_shown = 100;

		layout_segments(s, n, 2, width);
		assert_int_equal(s[2].x, -1);
		assert_true(s[5].x >= 0); /* the heaviest always stays */
		assert_int_equal(s[5].x + s[5].width, width);
		for (int i = 0; i < n; i++) {
			if (s[i].x < 0)
				continue;
			if (s[i].weight < lightest_shown)
				lightest_shown = s[i].weight;
			for (int x = s[i].x; x < s[i].x + s[i].width; x++) {
				assert_in_range(x, 0, width - 1);
				assert_int_equal(cell[x]++, 0);
			}
		}
		for (int i = 0; i < n; i++)
			if (s[i].x < 0 && i != 2)
				assert_true(s[i].weight < lightest_shown);
	}
}
