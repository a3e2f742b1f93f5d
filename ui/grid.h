/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list in columns with a selected row, for panes whose rows are not those of a table. */
#ifndef XDPTOP_UI_GRID_H
#define XDPTOP_UI_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include "table/column_layout.h"
#include "terminal.h"

struct list;
struct screen;

struct grid_column {
	const char *title;
	struct column_need need;
	bool number;
};

struct grid {
	const struct grid_column *column;
	int n, pinned;
	/* The text of a cell, and its style. */
	enum style (*cell)(const struct screen *s, int row, int column, char *buf, size_t size);
};

/* Head in line y, then at most `lines` of `rows` rows around the list's cursor. */
void grid_draw(struct screen *s, const struct grid *g, struct list *l, int rows, int y, int lines);

#endif
