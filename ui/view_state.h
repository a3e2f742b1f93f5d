/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user chose for a view, kept while another one is shown: sorting, selection, columns. */
#ifndef XDPTOP_UI_VIEW_STATE_H
#define XDPTOP_UI_VIEW_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "table/view.h"
#include "column_choice.h"
#include "layout.h"

struct view_state {
	/* In the settings: */
	int sort; /* as screen_column() numbers them, -1 = table order */
	bool descending;
	struct column_choice columns;
	/* Of this run: */
	int rate;          /* the rate column sorted by last: what trend, peak and graph show */
	bool picked;       /* the user moved: the selection follows a row */
	uint64_t wanted;   /* row.id of the one the user moved to, in sight or not */
	uint64_t selected; /* row.id of the one selected in its stead */
	struct list list;
	int scroll; /* columns scrolled out on the left */
};

/* The view's own columns and sorting, nothing selected. */
void view_state_init(struct view_state *state, enum view_id view);
/* Sort by a column, -1 = table order. */
void view_state_sort(struct view_state *state, int column, bool descending);

#endif
