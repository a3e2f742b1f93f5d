// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "row_history.h"
#include "view_state.h"

int row_history_columns(enum view_id view, int out[HISTORY_VALUES])
{
	int n = 0;

	for (int i = 0; i < views[view].n_columns && n < HISTORY_VALUES; i++)
		if (columns[views[view].column[i]].rate)
			out[n++] = views[view].column[i];
	return n;
}

void row_history_free(struct row_history *h)
{
	history_free(&h->history);
	table_free(&h->table);
}

static unsigned int marks(const struct rates *r)
{
	unsigned int marks = r->to->gap ? HISTORY_GAP : 0;

	for (int i = 0; i < TP_COUNT; i++)
		if (r->from->tp[i].state != r->to->tp[i].state)
			marks |= HISTORY_TOGGLE;
	return marks;
}

static void view_take(struct row_history *h, const struct rates *rates, enum view_id view)
{
	struct table_options options = { .view = &views[view], .sort = -1 };
	int ids[HISTORY_VALUES], n = row_history_columns(view, ids);

	if (!n || table_build(&h->table, rates, &options))
		return;
	for (size_t i = 0; i < h->table.n_rows; i++) {
		float value[HISTORY_VALUES];

		for (int k = 0; k < n; k++) {
			struct cell cell;

			table_cell(&h->table, i, (enum column_id)ids[k], &cell);
			value[k] = cell.state == CELL_VALUE ? (float)cell.real : NAN;
		}
		history_add(&h->history, view, h->table.row[i].id, value, n);
	}
}

void row_history_add(struct row_history *h, const struct rates *rates)
{
	double to = ns_to_seconds(rates->to->mono_ns);

	if (!rates->from || rates->seconds <= 0)
		return;
	history_step(&h->history, to - rates->seconds, to, marks(rates));
	for (enum view_id view = 0; view < VIEW_COUNT; view++)
		view_take(h, rates, view);
}

int row_history_value(enum view_id view, int column)
{
	int ids[HISTORY_VALUES], n = row_history_columns(view, ids);

	for (int i = 0; i < n; i++)
		if (ids[i] == column)
			return i;
	return 0;
}

double row_history_sort_value(const struct row_history *h, enum view_id view, uint64_t row,
			      int column, int which, double at)
{
	float second[TREND_CELLS * TREND_SECONDS];
	double sum = 0;
	int n = 0;

	if (column == SCREEN_COL_PEAK)
		return history_peak(&h->history, view, row, which);
	if (!history_get(&h->history, view, row, which, at, TREND_CELLS * TREND_SECONDS, second))
		return NAN;
	for (int i = 0; i < TREND_CELLS * TREND_SECONDS; i++) {
		if (isnan(second[i]))
			continue;
		sum += second[i];
		n++;
	}
	return n ? sum / n : NAN;
}

static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const letters[] = { "_", ".", ":", "-", "=", "+", "*", "#" };
#define LEVELS 8

void row_history_trend(const struct row_history *h, enum view_id view, uint64_t row, int which,
		       double at, bool as_blocks, char *buf, size_t size)
{
	float second[TREND_CELLS * TREND_SECONDS], cell[TREND_CELLS], most = 0;
	double end;
	size_t len = 0;

	buf[0] = '\0';
	/* Aligned to whole cells: the line changes only when a cell begins. */
	end = at > 0 ? at : h->history.to;
	end = (floor(end / TREND_SECONDS) + 1) * TREND_SECONDS - 1;
	if (!history_get(&h->history, view, row, which, end, TREND_CELLS * TREND_SECONDS, second))
		return;
	for (int i = 0; i < TREND_CELLS; i++) {
		cell[i] = NAN;
		for (int k = 0; k < TREND_SECONDS; k++)
			cell[i] = fmaxf(cell[i], second[i * TREND_SECONDS + k]);
		most = fmaxf(most, cell[i]);
	}
	for (int i = 0; i < TREND_CELLS && len < size; i++) {
		int level = isnan(cell[i]) ? -1
			    : cell[i] <= 0 || most <= 0
				    ? 0
				    : 1 + (int)(cell[i] / most * (LEVELS - 1.001f));

		len += (size_t)snprintf(buf + len, size - len, "%s",
					level < 0   ? " "
					: as_blocks ? blocks[level]
						    : letters[level]);
	}
}
