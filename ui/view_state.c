// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include "view_state.h"

static const struct column screen_columns[SCREEN_COLUMN_COUNT - COLUMN_COUNT] = {
	[SCREEN_COL_TREND - COLUMN_COUNT] = {
		.name = "trend", .title = "LAST MIN", .width = TREND_CELLS, .unit = "",
		.descending = true,
		.help = "the rate by which the rows were last sorted, or else the view's first "
			"rate, over the last minute, with 5 seconds per character. Each row has "
			"its own scale. Rows are sorted by the mean. Only the screen has this "
			"column",
	},
	[SCREEN_COL_PEAK - COLUMN_COUNT] = {
		.name = "peak", .title = "PEAK/S", .width = 6, .number = true, .unit = "1/s",
		.descending = true,
		.help = "the highest value since the start or the baseline of the rate by which "
			"the rows were last sorted, or else of the view's first rate. Only the "
			"screen has this column",
	},
};

const struct column *screen_column(int id)
{
	return id < COLUMN_COUNT ? &columns[id] : &screen_columns[id - COLUMN_COUNT];
}

int screen_column_find(const char *name)
{
	for (int i = COLUMN_COUNT; i < SCREEN_COLUMN_COUNT; i++)
		if (!strcmp(screen_column(i)->name, name))
			return i;
	return column_find(name);
}

int screen_column_least(int id)
{
	return screen_column(id)->number ? screen_column(id)->width : 1;
}

void column_choice_reset(struct column_choice *choice, enum view_id view)
{
	const struct view *v = &views[view];

	memset(choice, 0, sizeof(*choice));
	for (int i = 0; i < v->n_columns; i++) {
		if (v->trend && v->column[i] == v->trend)
			choice->id[choice->n++] = SCREEN_COL_TREND;
		choice->id[choice->n++] = (uint8_t)v->column[i];
	}
}

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
	if (column < 0 || column >= COLUMN_COUNT)
		return;
	if (columns[column].rate)
		state->rate = column;
	else if (columns[column].beside)
		state->rate = columns[column].beside;
}

static void rate_add(uint8_t *out, int *n, int column)
{
	if (column < COLUMN_COUNT && columns[column].rate && !memchr(out, column, (size_t)*n))
		out[(*n)++] = (uint8_t)column;
}

int view_state_rates(const struct view_state *state, enum view_id view, uint8_t out[COLUMN_COUNT])
{
	int n = 0;

	for (int i = 0; i < state->columns.n; i++)
		rate_add(out, &n, state->columns.id[i]);
	for (int i = 0; i < views[view].n_columns; i++)
		rate_add(out, &n, views[view].column[i]);
	rate_add(out, &n, state->rate);
	return n;
}

int view_state_rate(const struct view_state *state, enum view_id view)
{
	uint8_t ids[COLUMN_COUNT];

	if (state->rate)
		return state->rate;
	return view_state_rates(state, view, ids) ? ids[0] : COL_KEY;
}
