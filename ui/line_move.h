/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds lines of a screen that moved, though some of their cells changed on the way. */
#ifndef XDPTOP_UI_LINE_MOVE_H
#define XDPTOP_UI_LINE_MOVE_H

#include <wchar.h>

/* Lines `first` to `last` were `by` further down (negative: up) in the frame before. */
struct line_move {
	int first, last, by;
	int gain; /* by how many cells fewer they differ then; 0 = none moved */
};

/*
 * The best move between two frames of height x width cells that gains `least` cells (above 0) or
 * more; the lines that it leaves empty count. Of large frames the lines near each are looked at, so
 * that 500 x 200 cells take 2 ms.
 */
struct line_move line_move_find(const wchar_t *now, const wchar_t *then, int height, int width,
				int least);

#endif
