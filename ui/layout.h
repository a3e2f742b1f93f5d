/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where things stand on a screen of any size: pure geometry, no curses, no data. All positions are
 * 0-based cells; every rectangle it returns lies within the screen.
 */
#ifndef XDPTOP_UI_LAYOUT_H
#define XDPTOP_UI_LAYOUT_H

#include <stdbool.h>

/* Below this the screen only says that it is too small. */
#define LAYOUT_MIN_WIDTH  40
#define LAYOUT_MIN_HEIGHT 10
/* Left of each row: `>` the selection, `!` drops. */
#define LAYOUT_GUTTER 2

/* The lines of the screen, from top to bottom; y = -1 and lines = 0 where one is left out. */
struct layout {
	int width, height;
	bool too_small;
	int header_y, header_lines; /* 2 or 3 */
	int column_header_y;        /* heads of the columns, or title of a pane */
	int body_y, body_lines;     /* at least 1 unless too_small */
	int status_y;               /* about the selected row; messages go to the footer without */
	int footer_y;
};

void layout_set(struct layout *l, int width, int height);

/*
 * The first row of a window of `lines` rows over `rows`, such that `cursor` is in it, starting
 * from where it was (`top`): it moves as little as possible and never past the end.
 */
int layout_scroll(int top, int cursor, int rows, int lines);

/* A list with a selected row in a window of layout_scroll(). */
struct list {
	int top, cursor;
};

/* A piece of a header or footer line. */
struct layout_segment {
	int width;  /* wanted; cut in the last one that stays when even that does not fit */
	int weight; /* the lightest are left out first, later ones before earlier ones */
	bool right; /* placed from the right edge */
	int x;      /* out; -1 = left out */
};

/* Place segments `gap` blanks apart into width cells; a segment of width 0 is left out. */
void layout_segments(struct layout_segment *s, int n, int gap, int width);

#endif
