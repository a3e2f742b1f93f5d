/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which columns a view shows, in which order and width. Adds two columns to those of the table:
 * they need the screen's history.
 */
#ifndef XDPTOP_UI_COLUMN_CHOICE_H
#define XDPTOP_UI_COLUMN_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include "table/view.h"

/* Columns of the screen; ids continue those of the table. */
enum {
	SCREEN_COL_TREND = COLUMN_COUNT, /* the last minute */
	SCREEN_COL_PEAK,
	SCREEN_COLUMN_COUNT,
};

/* Cells of a trend, and seconds per cell. */
#define TREND_CELLS   10
#define TREND_SECONDS 6

/* Upper bound of columns in one view, with CPU columns. */
#define COLUMNS_MAX (SCREEN_COLUMN_COUNT + 8)

struct column_choice {
	bool custom; /* changed by the user */
	int n;
	uint8_t id[SCREEN_COLUMN_COUNT];
	uint8_t width[SCREEN_COLUMN_COUNT]; /* by column id; 0 = the column's default */
};

/* Declaration of a table or screen column. */
const struct column *screen_column(int id);
/* Id by name, -1 when unknown; also takes the names of column_find(). */
int screen_column_find(const char *name);
/* Back to the columns that the view declares. */
void column_choice_reset(struct column_choice *choice, enum view_id view);

#endif
