/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry of a screen of any size, without curses and data. Positions are 0-based cells, and every
 * rectangle is within the screen.
 */
#pragma once

#include <stdbool.h>

/* Smaller screens show only a message. */
#define LAYOUT_MIN_WIDTH  40
#define LAYOUT_MIN_HEIGHT 10
/* Cells left of each row: `>` selection, `!` drops, `*` skew. */
#define LAYOUT_GUTTER 2

/* Lines of the screen, top down; y = -1 or lines = 0 if omitted. */
struct layout {
	int width, height;
	bool too_small;
	int header_y, header_lines; /* 2 or 3 */
	int column_header_y;        /* or the title of a pane */
	int body_y, body_lines;     /* at least 1 unless too_small */
	int status_y;               /* -1: messages replace the footer */
	int footer_y;
};

void layout_set(struct layout *layout, int width, int height);

/* A list: first visible row and selected row. */
struct list {
	int top, cursor;
};

/*
 * Clamps the cursor to the rows, and scrolls as little as possible to show it in `lines` lines;
 * never past the end.
 */
void layout_scroll(struct list *list, int rows, int lines);

/* A piece of a header or footer line. */
struct layout_segment {
	int width;  /* wanted; the last remaining segment is cut to fit */
	int weight; /* the lightest is dropped first, of equal ones the last */
	bool right; /* placed from the right edge */
	int x;      /* out; -1 = dropped */
};

/*
 * Places segments `gap` blanks apart in `width` cells. Drops segments of width 0 or without room.
 */
void layout_segments(struct layout_segment *segment, int n, int gap, int width);
