/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Renders values as lines of text, in braille or ASCII. No curses, no history. */
#ifndef XDPTOP_UI_GRAPH_H
#define XDPTOP_UI_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#define GRAPH_WIDTH 300
/* One line of text: 3 bytes a cell, and the NUL. */
#define GRAPH_LINE (3 * GRAPH_WIDTH + 1)

/* Number of values that fit into `width` cells: braille has two per cell, ASCII one. */
int graph_values(int width, bool braille);
/* Smallest 1, 2 or 5 times a power of ten >= most; 1 for 0 and NAN. */
double graph_scale(double most);
/*
 * Line `line` (0 = top) of `height` lines: value[0 .. graph_values() - 1], NAN = blank, 0 = the
 * lowest dot, `scale` = full height. width is at most GRAPH_WIDTH.
 */
void graph_line(const float *value, int width, int height, int line, double scale, bool braille,
		char out[GRAPH_LINE]);
/*
 * A bar: `percent` of `width` cells (at most GRAPH_WIDTH), in eighths of a cell, padded with
 * blanks. Only 100 is full.
 */
void graph_bar(double percent, int width, char out[GRAPH_LINE]);

#endif
