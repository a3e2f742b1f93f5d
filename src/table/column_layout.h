/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Positions of a table's columns in a line, in cells from 0. */
#pragma once

#include <stdbool.h>

/* No view has more columns. Further ones are not placed. */
#define COLUMN_LAYOUT_MAX 64

struct column;

/* What a column needs. Each is at least 1. */
struct column_need {
	int width;  /* of the widest content */
	int share;  /* width it gets before later columns are placed; it grows beyond that only if
		       cells are left over */
	int least;  /* minimum to be placed at all */
	int extra;  /* further cells, if no other column needs them */
	bool stays; /* always placed, whatever the scroll and width: the sort column */
};

struct column_place {
	int index; /* into need[] */
	int x, width;
};

struct column_layout {
	int n;
	struct column_place at[COLUMN_LAYOUT_MAX];
	int before, after; /* number of columns scrolled away to the left, and without room to the
			      right */
};

/*
 * The need of a declared column. `title` and `content` are the cells of its title and of its widest
 * text, `line` the cells of all columns.
 */
struct column_need column_need(const struct column *column, int title, int content, int line);
/*
 * Place columns from x to the right edge, one blank apart: first the `pinned`, then as many as fit
 * from pinned + scroll on, and columns that stay. A column gets at most its width and extra, and
 * less than its width only if no cells are spare. If columns are left out on the right, the last
 * cell is kept for a mark. At least one column is placed if width - x >= 1 and n >= 1.
 */
void column_layout_place(const struct column_need *need, int n, int pinned, int scroll, int x,
			 int width, struct column_layout *out);
/* The smallest scroll that shows the last column. */
int column_layout_scroll(const struct column_need *need, int n, int pinned, int x, int width);
