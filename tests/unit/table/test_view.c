// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of columns and views are complete and consistent for help, -s, -f and the screen. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/suggest.h"
#include "table/view.h"
#include "unit/test.h"

/*
 * Maximum lengths of an SI number, a rate, a percentage and an age (tests/unit/base/test_format.c).
 */
#define NUMBER_WIDTH  5
#define PERCENT_WIDTH 4
#define AGE_WIDTH     6

TEST(test_columns)
{
	for (int i = 0; i < COLUMN_COUNT; i++) {
		const struct column *c = &columns[i];

		assert_non_null(c->name);
		assert_non_null(c->title);
		assert_non_null(c->unit);
		assert_non_null(c->help);
		assert_true(strlen(c->help) >= 10);
		assert_null(strchr(c->help, '\n'));
		assert_true(strlen(c->title) > 0);
		assert_true(strlen(c->title) <= c->width);
		for (const char *p = c->name; *p; p++)
			assert_true(islower((unsigned char)*p) || *p == '_' ||
				    (p > c->name && isdigit((unsigned char)*p)));
		if (c->number)
			assert_true(c->width >= (i == COL_LAST_SEEN      ? AGE_WIDTH
						 : !strcmp(c->unit, "%") ? PERCENT_WIDTH
						 : i == COL_CPU          ? 4
									 : NUMBER_WIDTH));
		if (c->rate) {
			assert_true(c->number);
			assert_string_equal(c->title + strlen(c->title) - 2, "/S");
			assert_string_equal(c->unit + strlen(c->unit) - 2, "/s");
		}
		for (int j = 0; j < i; j++) {
			assert_string_not_equal(c->name, columns[j].name);
		}
	}
}

/* Titles in the same header differ. A title finds the view's own column. */
TEST(test_titles)
{
	for (int i = 0; i < VIEW_COUNT; i++) {
		const struct view *v = &views[i];

		for (int k = 0; k < v->n_columns; k++) {
			const char *title = columns[v->column[k]].title;

			for (int j = 0; j < k; j++)
				assert_true(strcasecmp(title, columns[v->column[j]].title));
			assert_int_equal(view_sort(v, column_find(title)), v->column[k]);
		}
	}
	assert_int_equal(view_sort(&views[VIEW_FLOWS], COL_MTU), COL_MTU);
}

TEST(test_column_find)
{
	char buf[128];

	for (int i = 0; i < COLUMN_COUNT; i++) {
		assert_int_equal(column_find(columns[i].name), i);
		assert_string_equal(columns[column_find(columns[i].title)].title, columns[i].title);
	}
	assert_int_equal(column_find("device"), COL_DEVICE);
	assert_int_equal(column_find("ifname"), COL_DEVICE);
	assert_int_equal(column_find("drops"), COL_DROPS);
	assert_int_equal(column_find("Drops/s"), COL_DROPS_RATE);
	assert_int_equal(column_find("nothing"), -1);
	assert_int_equal(column_find(""), -1);
	column_suggest("drops_per_sec", buf, sizeof(buf));
	assert_int_equal(strncmp(buf, "drops_per_s", 11), 0);
}

static bool shows(const struct view *v, int column)
{
	for (int i = 0; i < v->n_columns; i++)
		if ((int)v->column[i] == column)
			return true;
	return false;
}

TEST(test_views)
{
	for (int i = 0; i < VIEW_COUNT; i++) {
		const struct view *v = &views[i];

		assert_non_null(v->name);
		assert_non_null(v->title);
		assert_non_null(v->help);
		assert_true(strlen(v->help) >= 10);
		assert_true(view_tracepoints(v) != 0 && view_tracepoints(v) < 1u << TP_COUNT);
		/* lists are not grouped */
		assert_true((v->group != 0) == !v->rows->list);
		assert_true(v->n_columns > 0 && v->n_columns <= COLUMN_COUNT);
		for (int j = 0; j < v->n_columns; j++) {
			assert_true((int)v->column[j] >= 0 && v->column[j] < COLUMN_COUNT);
			for (int k = 0; k < j; k++)
				assert_int_not_equal(v->column[j], v->column[k]);
			/* these precede the columns of any view with rows of CPUs */
			for (int k = 0; k < CPU_COLUMNS && !v->rows->list; k++)
				assert_int_not_equal(v->column[j], cpu_columns[k]);
		}
		/* sorted by a visible column */
		if (v->sort != -1)
			assert_true(shows(v, v->sort));
		/* columns that distinguish rows are visible */
		assert_true(!(v->group & GROUP_TRACEPOINT) || shows(v, COL_TRACEPOINT));
		assert_true(!(v->group & (GROUP_DEVICE | GROUP_LOCATION)) ||
			    (shows(v, COL_DEVICE) && shows(v, COL_NETNS)));
		assert_true(!(v->group & GROUP_TARGET) || shows(v, COL_TARGET));
		assert_true(!(v->group & GROUP_PROG) || shows(v, COL_PROG_ID));
		assert_true(!(v->group & GROUP_CODE) || shows(v, COL_ERROR));
		assert_int_equal(view_find(v->name), i);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(v->name, views[j].name);
	}
	assert_int_equal(view_find("nothing"), -1);
	assert_int_equal(view_find(""), -1);
}

/* At 80 columns the first column and the sort column are complete. */
TEST(test_views_fit)
{
	for (int i = 0; i < VIEW_COUNT; i++) {
		const struct view *v = &views[i];
		int width = -1, fit = 0;
		bool sorted = v->sort == -1;

		for (fit = 0; fit < v->n_columns; fit++) {
			width += columns[v->column[fit]].width + 1;
			if (width > 80)
				break;
			sorted |= (int)v->column[fit] == v->sort;
		}
		assert_true(fit >= 7);
		assert_true(sorted);
	}
}

TEST(test_suggest)
{
	char buf[64];

	suggest("flow", view_name, VIEW_COUNT, buf, sizeof(buf));
	assert_string_equal(buf, "flows, follow");
	suggest("erors", view_name, VIEW_COUNT, buf, sizeof(buf));
	assert_string_equal(buf, "errors");
}
