// SPDX-License-Identifier: GPL-2.0-or-later
/* Cells: their values and their texts. */
#include <stdio.h>
#include "base/clock.h"
#include "table/row_kind.h"
#include "table/table_internal.h"

void cell_set_real(struct cell *cell, enum cell_type type, double real)
{
	cell->state = CELL_VALUE;
	cell->type = type;
	cell->real = real;
}

void cell_set_count(struct cell *cell, uint64_t count)
{
	cell->state = CELL_VALUE;
	cell->type = CELL_COUNT;
	cell->count = count;
}

void cell_set_age(const struct table *t, const struct timespec *since, struct cell *cell)
{
	int64_t age_ns = timespec_to_ns(&t->rates->to->wall) - timespec_to_ns(since);

	cell_set_real(cell, CELL_AGE, age_ns > 0 ? ns_to_seconds(age_ns) : 0);
}

void cell_set_text(struct cell *cell, const char *text)
{
	cell->state = CELL_VALUE;
	cell->type = CELL_TEXT;
	cell->id = (struct id_span){ 0 };
	snprintf(cell->text, sizeof(cell->text), "%s", text);
}

void cell_of_series(const struct table *t, const struct row *row, struct cell *cell)
{
	if (cell->column->cell)
		cell->column->cell(t, row, cell);
}

void table_cell(const struct table *t, size_t index, enum column_id column, struct cell *cell)
{
	const struct row *row = &t->row[index];
	const struct row_kind *rows = t->options.view->rows;
	/* the series of a full table has no device and no program */
	bool own = !row->n_series || !t->rates->to->series[t->series_idx[row->series_idx]].overflow;

	cell->column = &columns[column];
	cell->state = CELL_NONE;
	cell->tone = TONE_PLAIN;
	cell->type = columns[column].number ? CELL_COUNT : CELL_TEXT;
	cell->count = 0;
	cell->text[0] = '\0';
	cell->id = (struct id_span){ 0 };
	if (own && rows->cell && rows->cell[column])
		rows->cell[column](t, row, cell);
	else if (!rows->list)
		cell_of_series(t, row, cell);
}

int cell_text(const struct cell *cell, char *buf, size_t size, enum number_style style, bool ascii)
{
	switch (cell->state) {
	case CELL_NOT_YET:
		return snprintf(buf, size, "%s", ascii ? "." : "·");
	case CELL_OFF:
		return snprintf(buf, size, "off");
	case CELL_MISSING:
		return snprintf(buf, size, "n/a");
	case CELL_NONE:
		return snprintf(buf, size, "-");
	case CELL_VALUE:
		break;
	}
	switch (cell->type) {
	case CELL_COUNT:
		return format_count(buf, size, cell->count, style);
	case CELL_RATE:
		return format_rate(buf, size, cell->real, style);
	case CELL_PERCENT:
		return format_percent(buf, size, cell->real);
	case CELL_AVERAGE:
		return format_average(buf, size, cell->real, style);
	case CELL_AGE:
		return format_age(buf, size, cell->real);
	case CELL_TEXT:
		break;
	}
	return snprintf(buf, size, "%s", cell->text);
}
