/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorting, columns and selection of a view, kept while another view is shown. Two columns are added
 * to the table's, because they need the screen's history.
 */
#pragma once

#include "table/view.h"
#include "layout.h"

/* Columns of the screen only. Their ids continue the table's. */
enum {
	SCREEN_COL_TREND = COLUMN_COUNT, /* the last minute */
	SCREEN_COL_PEAK,
	SCREEN_COLUMN_COUNT,
};

/* Cells of a trend, and seconds per cell. */
#define TREND_CELLS   12
#define TREND_SECONDS 5

/* Upper bound of columns in one view, CPU columns included. */
#define COLUMNS_MAX (SCREEN_COLUMN_COUNT + 8)

/* Which columns a view shows, in which order and width. */
struct column_choice {
	bool custom; /* changed by the user */
	int n;
	uint8_t id[SCREEN_COLUMN_COUNT];
	uint8_t width[SCREEN_COLUMN_COUNT]; /* by column id; 0 = the column's default */
};

struct view_state {
	/* Saved in the settings: */
	int sort; /* id for screen_column(), -1 = table order */
	bool descending;
	struct column_choice columns;
	/* Not saved: */
	int rate;          /* last rate sorted by; 0 = none yet, see view_state_rate() */
	bool picked;       /* the selection follows a row, not the top */
	uint64_t wanted;   /* row.id that the user moved to, visible or not */
	uint64_t selected; /* row.id selected while that is not visible */
	struct list list;
	int scroll; /* columns hidden on the left */
};

/* Declaration of a table or screen column. */
const struct column *screen_column(int id);
/* Id by name, -1 when unknown; also takes the names of column_find(). */
int screen_column_find(const char *name);
/* Smallest width that a user may choose: a number column never gets too narrow for its numbers. */
int screen_column_least(int id);
#define SCREEN_COLUMN_MOST 60
/* Resets the choice to the columns that the view declares. */
void column_choice_reset(struct column_choice *choice, enum view_id view);
/* Sets the view's defaults, with nothing selected. */
void view_state_init(struct view_state *state, enum view_id view);
/* Sorts by a column, -1 = table order. */
void view_state_sort(struct view_state *state, int column, bool descending);
/* Fills in the rates that are shown, then the view's, then state->rate. Returns how many. */
int view_state_rates(const struct view_state *state, enum view_id view, uint8_t out[COLUMN_COUNT]);
/* The rate for trend, peak and graph: the last one sorted by, or the first; COL_KEY = none. */
int view_state_rate(const struct view_state *state, enum view_id view);
