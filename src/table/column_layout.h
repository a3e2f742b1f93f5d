/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Positions of a table's columns in a line, in 0-based cells. */
#ifndef XDPTOP_COLUMN_LAYOUT_H
#define XDPTOP_COLUMN_LAYOUT_H

/* No view has more columns than this; more are not placed. */
#define COLUMN_LAYOUT_MAX 64

/* What a column needs. */
struct column_need {
	int width; /* least useful, at least 1 */
	int grow;  /* share of what is spare; > 0 may also be cut at the right edge */
};

struct column_place {
	int index; /* into need[] */
	int x, width;
};

/*
 * Place columns from x to the right edge, one blank apart: the first `pinned` always, then those
 * from pinned + scroll on, as many as fit. Spare cells go to those that grow. Returns how many were
 * placed into out[] (room for COLUMN_LAYOUT_MAX); at least one where width - x >= 1 and n >= 1.
 */
int column_layout_place(const struct column_need *need, int n, int pinned, int scroll, int x,
			int width, struct column_place *out);
/* The least scroll that brings the last column in sight. */
int column_layout_scroll(const struct column_need *need, int n, int pinned, int x, int width);

#endif
