/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting, columns and selection of a view; kept while another view is shown. */
#ifndef XDPTOP_UI_VIEW_STATE_H
#define XDPTOP_UI_VIEW_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "table/view.h"
#include "column_choice.h"
#include "layout.h"

struct view_state {
	/* Saved in the settings: */
	int sort; /* id as of screen_column(), -1 = table order */
	bool descending;
	struct column_choice columns;
	/* Not saved: */
	int rate;          /* last rate column sorted by, for trend, peak and graph */
	bool picked;       /* the selection follows a row, not the top */
	uint64_t wanted;   /* row.id that the user moved to, visible or not */
	uint64_t selected; /* row.id selected in its place */
	struct list list;
	int scroll; /* columns hidden on the left */
};

/* Defaults of the view, nothing selected. */
void view_state_init(struct view_state *state, enum view_id view);
/* Sorts by a column, -1 = table order. */
void view_state_sort(struct view_state *state, int column, bool descending);

#endif
