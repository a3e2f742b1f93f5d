// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns in lines of every width up to 300 cells. */
#include "table/column.h"
#include "table/column_layout.h"
#include "unit/test.h"

#define WIDTH 300

/* A key, a name, numbers, a cause that never fits, names. */
static const struct column_need columns_of_a_view[] = {
	{ 1, 1, 1, 0, false },    { 20, 12, 8, 0, false },   { 7, 7, 7, 0, false },
	{ 8, 8, 8, 0, false },    { 140, 60, 20, 0, false }, { 8, 8, 8, 0, false },
	{ 21, 14, 10, 0, false }, { 6, 6, 6, 0, false },     { 30, 20, 10, 0, false },
};
#define NEED (int)(sizeof(columns_of_a_view) / sizeof(columns_of_a_view[0]))

static void columns_check(const struct column_need *need, int pinned, int scroll, int x, int width)
{
	int end = x - 1, index = -1, missing = 0;
	struct column_layout out;

	column_layout_place(need, NEED, pinned, scroll, x, width, &out);
	assert_int_equal(out.n + out.before + out.after, NEED);
	if (width - x < 1) {
		assert_int_equal(out.n, 0);
		return;
	}
	assert_in_range(out.n, 1, NEED);
	for (int i = 0; i < out.n; i++) {
		const struct column_need *c = &need[out.at[i].index];

		assert_int_equal(out.at[i].x, end + 1);
		end = out.at[i].x + out.at[i].width;
		assert_true(out.at[i].index > index);
		index = out.at[i].index;
		assert_in_range(out.at[i].width, i ? c->least : 1, c->width);
		assert_true(index < pinned || index >= pinned + scroll || c->stays);
		missing += c->width - out.at[i].width;
	}
	/* the mark for omitted columns has its own cell */
	assert_true(end <= width - (out.after && width - x > 1));
	/* no cells are spare beside a truncated column */
	assert_true(!missing || end == width - (out.after && width - x > 1));
}

TEST(test_place)
{
	for (int width = 0; width <= WIDTH; width++)
		for (int pinned = 0; pinned <= 2; pinned++)
			for (int scroll = 0; scroll < NEED - pinned; scroll++)
				columns_check(columns_of_a_view, pinned, scroll, 2, width);
}

/* The sort column is shown at every scroll, in every line that can hold it. */
TEST(test_stays)
{
	struct column_need need[NEED];
	struct column_layout out;

	for (int stays = 0; stays < NEED; stays++) {
		for (int i = 0; i < NEED; i++) {
			need[i] = columns_of_a_view[i];
			need[i].stays = i == stays;
		}
		for (int width = 0; width <= WIDTH; width++) {
			for (int scroll = 0; scroll < NEED - 2; scroll++) {
				bool there = false;

				columns_check(need, 2, scroll, 2, width);
				column_layout_place(need, NEED, 2, scroll, 2, width, &out);
				for (int i = 0; i < out.n; i++)
					there |= out.at[i].index == stays;
				assert_true(there || width < 2 + 2 + need[stays].share + 2);
			}
		}
	}
}

/* Spare cells go to truncated columns, and unneeded ones stay blank. */
TEST(test_spare)
{
	static const struct column_need need[] = { { 10, 4, 4, 0, false },
						   { 5, 5, 5, 0, false },
						   { 30, 6, 6, 0, false } };
	struct column_layout out;

	column_layout_place(need, 3, 1, 0, 0, 25, &out);
	assert_int_equal(out.at[0].width, 8);
	assert_int_equal(out.at[1].width, 5);
	assert_int_equal(out.at[2].width, 10);
	column_layout_place(need, 3, 1, 0, 0, 40, &out);
	assert_int_equal(out.at[0].width, 10);
	assert_int_equal(out.at[2].width, 23);
	column_layout_place(need, 3, 1, 0, 0, 100, &out);
	assert_int_equal(out.at[2].x, 17);
	assert_int_equal(out.at[2].width, 30);
	/* 4 + 5 fit, 6 more do not: they are omitted, and the last cell is for the mark */
	column_layout_place(need, 3, 1, 0, 0, 16, &out);
	assert_int_equal(out.n, 2);
	assert_int_equal(out.after, 1);
	assert_int_equal(out.at[0].width, 9);
}

/* A column exceeds its need only by cells that all others leave. */
TEST(test_extra)
{
	static const struct column_need need[] = {
		{ .width = 10, .share = 4, .least = 4 },
		{ .width = 5, .share = 5, .least = 5, .extra = 6 },
		{ .width = 30, .share = 6, .least = 6 },
	};
	struct column_layout out;

	column_layout_place(need, 3, 1, 0, 0, 47, &out);
	assert_int_equal(out.at[2].width, 30);
	assert_int_equal(out.at[1].width, 5);
	column_layout_place(need, 3, 1, 0, 0, 50, &out);
	assert_int_equal(out.at[1].width, 8);
	assert_int_equal(out.at[2].x, 20);
	column_layout_place(need, 3, 1, 0, 0, 100, &out);
	assert_int_equal(out.at[1].width, 11);
}

/* Numbers may take the room of a text that does not fit; nothing takes that of a number. */
TEST(test_left_out)
{
	static const struct column_need need[] = {
		{ .width = 10, .share = 10, .least = 10 },
		{ .width = 30, .share = 30, .least = 20 },
		{ .width = 6, .share = 6, .least = 6 },
		{ .width = 9, .share = 9, .least = 9 },
		{ .width = 3, .share = 3, .least = 3 },
	};
	struct column_layout out;

	column_layout_place(need, 5, 1, 0, 0, 25, &out);
	assert_int_equal(out.n, 2);
	assert_int_equal(out.after, 3);
	assert_int_equal(out.at[1].index, 2);
	column_layout_place(need, 5, 1, 0, 0, 32, &out);
	assert_int_equal(out.n, 2);
	assert_int_equal(out.at[1].index, 1);
}

TEST(test_scroll)
{
	for (int width = 3; width <= WIDTH; width++) {
		const struct column_need *need = columns_of_a_view;
		struct column_layout out;
		int most = column_layout_scroll(need, NEED, 2, 2, width);

		column_layout_place(need, NEED, 2, most, 2, width, &out);
		assert_in_range(most, 0, NEED - 3);
		assert_int_equal(out.before, most);
		if (width >= 2 + 1 + 1 + 12 + 1 + 20)
			assert_int_equal(out.after, 0);
		if (!most)
			continue;
		column_layout_place(need, NEED, 2, most - 1, 2, width, &out);
		assert_int_not_equal(out.after, 0);
	}
}

TEST(test_need)
{
	static const struct column name = { .width = 10, .share = 4 };
	static const struct column result = { .width = 4, .share = 6, .stays = true };
	static const struct column rate = { .width = 7, .number = true },
				   age = { .width = 6, .number = true };
	static const struct {
		const struct column *column;
		int title, content, line;
		struct column_need need;
	} cases[] = {
		/*
		 * a short name takes its width, a long one a quarter of the line before all are
		 * placed
		 */
		{ &name, 6, 15, 80, { 15, 15, 10, 0, false } },
		{ &name, 6, 60, 80, { 60, 20, 10, 0, false } },
		{ &name, 6, 2, 80, { 6, 6, 6, 0, false } },
		/* a narrow line gives it less */
		{ &name, 6, 15, 59, { 15, 14, 8, 0, false } },
		{ &result, 6, 60, 80, { 60, 30, 4, 0, true } },
		/* numbers are never truncated, and their column has the maximum width of numbers */
		{ &rate, 7, 1, 80, { 7, 7, 7, 0, false } },
		{ &rate, 7, 12, 40, { 12, 12, 12, 0, false } },
		{ &age, 4, 2, 80, { 5, 5, 5, 0, false } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct column_need need = column_need(cases[i].column, cases[i].title,
						      cases[i].content, cases[i].line);

		assert_int_equal(need.width, cases[i].need.width);
		assert_int_equal(need.share, cases[i].need.share);
		assert_int_equal(need.least, cases[i].need.least);
		assert_int_equal(need.stays, cases[i].need.stays);
	}
}
