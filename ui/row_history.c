// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include "base/clock.h"
#include "row_history.h"

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

static void view_take(struct row_history *h, const struct rates *rates,
		      const struct findings *findings, enum view_id view,
		      const struct view_state *state)
{
	struct table_options options = { .view = &views[view], .sort = -1, .findings = findings };
	bool wanted[COLUMN_COUNT] = { false };
	uint8_t ids[COLUMN_COUNT];
	int n = view_state_rates(state, view, ids);

	if (!n || table_build(&h->table, rates, &options))
		return;
	for (int i = 0; i < n; i++)
		wanted[ids[i]] = wanted[columns[ids[i]].beside] = true;
	for (size_t i = 0; i < h->table.n_rows; i++) {
		struct history_key key = { .view = (int)view, .row = h->table.row[i].id };

		if (rates_cancelled(rates))
			return;
		for (key.column = 0; key.column < COLUMN_COUNT; key.column++) {
			struct cell cell;

			if (!wanted[key.column] || !columns[key.column].rate)
				continue;
			table_cell(&h->table, i, (enum column_id)key.column, &cell);
			history_add(&h->history, key,
				    cell.state == CELL_VALUE ? (float)cell.real : NAN);
		}
	}
}

void row_history_add(struct row_history *h, const struct rates *rates,
		     const struct findings *findings, const struct view_state state[VIEW_COUNT],
		     bool replay)
{
	double to = ns_to_seconds(rates->to->mono_ns);

	if (!rates->from || rates->seconds <= 0)
		return;
	history_step(&h->history, to - rates->seconds, to, marks(rates));
	/* nothing is known about the time in a gap of a recording */
	for (enum view_id view = 0; view < VIEW_COUNT && !(rates->to->gap && replay); view++)
		view_take(h, rates, findings, view, &state[view]);
}

double row_history_sort_value(const struct row_history *h, struct history_key key, int column,
			      double at)
{
	float second[TREND_CELLS * TREND_SECONDS];
	double sum = 0;
	int n = 0;

	if (column == SCREEN_COL_PEAK)
		return history_peak(&h->history, key);
	history_get(&h->history, key, at, 1, TREND_CELLS * TREND_SECONDS, second);
	for (int i = 0; i < TREND_CELLS * TREND_SECONDS; i++) {
		if (isnan(second[i]))
			continue;
		sum += second[i];
		n++;
	}
	return n ? sum / n : NAN;
}

bool row_history_trend(const struct row_history *h, struct history_key key, double at,
		       bool as_blocks, char *buf, size_t size)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const digits[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };
	const float levels = as_blocks ? 8 : 10;
	float cell[TREND_CELLS], most = 0;
	size_t len = 0;

	buf[0] = '\0';
	if (!history_get(&h->history, key, at, TREND_SECONDS, TREND_CELLS, cell))
		return false;
	for (int i = 0; i < TREND_CELLS; i++)
		most = fmaxf(most, cell[i]);
	for (int i = 0; i < TREND_CELLS && len < size; i++) {
		int level = cell[i] > 0 ? 1 + (int)(cell[i] / most * (levels - 1.001f)) : 0;

		len += (size_t)snprintf(buf + len, size - len, "%s",
					isnan(cell[i]) ? " "
					: as_blocks    ? blocks[level]
						       : digits[level]);
	}
	return most > 0;
}
