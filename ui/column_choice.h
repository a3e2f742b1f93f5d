/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns as shown: a view's own until the user chose others, their order and their widths,
 * and two that only the screen has, because only it remembers.
 */
#ifndef XDPTOP_UI_COLUMN_CHOICE_H
#define XDPTOP_UI_COLUMN_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include "table/column.h"
#include "layout.h"

struct screen;

/* Columns of the screen, numbered on from those of the table. */
enum {
	SHOWN_TREND = COLUMN_COUNT, /* the last minute */
	SHOWN_PEAK,
	SHOWN_COUNT,
};

/* Cells of a trend, and seconds in one of them. */
#define TREND_CELLS   10
#define TREND_SECONDS 6

/* No more at once than there are, CPU columns included. */
#define SHOWN_MAX (SHOWN_COUNT + 8)

/* What was chosen for a view. */
struct shown {
	bool own; /* the user's, not the view's */
	int n;
	uint8_t id[SHOWN_COUNT];
	uint8_t width[SHOWN_COUNT]; /* by column; 0 = the column's own */
};

/* The declaration of a column of table or screen. */
const struct column *shown_column(int id);
/* By name, as column_find() does. */
int shown_find(const char *name);
/* The view's own columns. */
void shown_reset(struct shown *shown, unsigned int view);

/*
 * What stands on the screen now, in order: CPU columns of a drilled row included. Returns how many;
 * the first *pinned never scroll out.
 */
int shown_columns(const struct screen *s, int out[SHOWN_MAX], int *pinned);
/* What those need. */
void shown_needs(const struct screen *s, const int *ids, int n, struct layout_need *need);

/* The rate columns of a view that are remembered, HISTORY_VALUES at most; returns how many. */
int shown_rates(unsigned int view, int out[]);

#endif
