/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Renders values as lines of text, in braille or ASCII. No curses, no history. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define GRAPH_WIDTH 300
/* One line of text: 3 bytes a cell, and the NUL. */
#define GRAPH_LINE (3 * GRAPH_WIDTH + 1)

/* Number of values that fit into `width` cells: braille has two per cell, ASCII one. */
int graph_values(int width, bool braille);
/* End of the axis: a number of two digits, at most a quarter above `most`; 1 for 0, NAN, infinity.
 */
double graph_scale(double most);
/*
 * Renders line `line` (0 = top) of a graph of `height` lines and `width` (at most GRAPH_WIDTH)
 * cells. value[] has graph_values() elements: NAN is blank, 0 the lowest dot, `scale` the full
 * height.
 */
void graph_line(const float *value, int width, int height, int line, double scale, bool braille,
		char out[GRAPH_LINE]);
/*
 * Renders a bar: `percent` of `width` cells (at most GRAPH_WIDTH), in eighths of a cell, padded
 * with blanks. Only 100 fills it.
 */
void graph_bar(double percent, int width, char out[GRAPH_LINE]);
