// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include "view_state.h"

void view_state_init(struct view_state *state, enum view_id view)
{
	int sort = views[view].sort;

	memset(state, 0, sizeof(*state));
	column_choice_reset(&state->columns, view);
	view_state_sort(state, sort, sort >= 0 && columns[sort].descending);
}

void view_state_sort(struct view_state *state, int column, bool descending)
{
	state->sort = column;
	state->descending = descending;
	if (column >= 0 && column < COLUMN_COUNT && columns[column].rate)
		state->rate = column;
}
