/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Positions of a table's columns in a line, in 0-based cells. */
#ifndef XDPTOP_COLUMN_LAYOUT_H
#define XDPTOP_COLUMN_LAYOUT_H

#include <stdbool.h>

/* No view has more columns than this; more are not placed. */
#define COLUMN_LAYOUT_MAX 64

struct column;

/* What a column needs, each at least 1. */
struct column_need {
	int width;  /* of its widest content */
	int share;  /* taken before the next columns are placed; the rest comes of what is spare */
	int least;  /* not placed in less */
	int extra;  /* cells beyond that, if no column needs them */
	bool stays; /* placed at any scroll and in any width: what the rows are sorted by */
};

struct column_place {
	int index; /* into need[] */
	int x, width;
};

struct column_layout {
	int n;
	struct column_place at[COLUMN_LAYOUT_MAX];
	int before, after; /* columns left out: scrolled over, and for want of room */
};

/*
 * The need of a declared column. `content`: cells of the widest text below its title, `title`: of
 * that, `line`: of all columns.
 */
struct column_need column_need(const struct column *column, int title, int content, int line);
/*
 * Place columns from x to the right edge, one blank apart: the first `pinned`, then those from
 * pinned + scroll on, as many as fit, and those that stay. No column gets more than its width and
 * extra; one gets less than its width only when nothing is spare. The last cell is kept for a mark
 * when columns behind are left out. At least one is placed where width - x >= 1 and n >= 1.
 */
void column_layout_place(const struct column_need *need, int n, int pinned, int scroll, int x,
			 int width, struct column_layout *out);
/* The least scroll that brings the last column in sight. */
int column_layout_scroll(const struct column_need *need, int n, int pinned, int x, int width);

#endif
