/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns as shown: a view's own until the user chose others, their order and their widths,
 * and two that only the screen has, because only it remembers.
 */
#ifndef XDPTOP_UI_COLUMN_CHOICE_H
#define XDPTOP_UI_COLUMN_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include "table/view.h"

/* Columns of the screen, numbered on from those of the table. */
enum {
	SCREEN_COL_TREND = COLUMN_COUNT, /* the last minute */
	SCREEN_COL_PEAK,
	SCREEN_COLUMN_COUNT,
};

/* Cells of a trend, and seconds in one of them. */
#define TREND_CELLS   10
#define TREND_SECONDS 6

/* No more at once than there are, CPU columns included. */
#define COLUMNS_MAX (SCREEN_COLUMN_COUNT + 8)

/* What was chosen for a view. */
struct column_choice {
	bool custom; /* the user's, not the view's */
	int n;
	uint8_t id[SCREEN_COLUMN_COUNT];
	uint8_t width[SCREEN_COLUMN_COUNT]; /* by column; 0 = the column's own */
};

/* The declaration of a column of table or screen. */
const struct column *screen_column(int id);
/* By name, as column_find() does. */
int screen_column_find(const char *name);
/* The view's own columns. */
void column_choice_reset(struct column_choice *choice, enum view_id view);

#endif
