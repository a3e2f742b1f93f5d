// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include "table/table_internal.h"

enum cell_state cell_of_series(const struct table *t, const struct row *row, struct cell *cell)
{
	return cell->column->cell ? cell->column->cell(t, row, cell) : CELL_NONE;
}

void table_cell(const struct table *t, size_t index, enum column_id column, struct cell *cell)
{
	const struct row *row = &t->row[index];
	cell_fn *fill;

	t = table_of(t, &row);
	fill = t->options.view->rows->cell;
	/* the series of a full table has neither device nor program */
	if (!fill || columns[column].of_pods || (row->n_series && row_series(t, row, 0)->overflow))
		fill = cell_of_series;
	cell->column = &columns[column];
	cell->tone = TONE_PLAIN;
	cell->type = columns[column].number ? CELL_COUNT : CELL_TEXT;
	cell->count = 0;
	cell->age = 0;
	cell->text[0] = '\0';
	cell->id = (struct id_span){ 0 };
	cell->netns = 0;
	cell->state = row->more ? CELL_NONE : fill(t, row, cell);
}

static int value_text(const struct cell *cell, char *buf, size_t size, enum number_style style)
{
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
	case CELL_GAP:
		return format_gap(buf, size, cell->real);
	case CELL_TEXT:
		break;
	}
	if (cell->column->letter)
		return snprintf(buf, size, "%c",
				cell->tone == TONE_DIM ? '-' : toupper(cell->text[0]));
	return snprintf(buf, size, "%s", cell->text);
}

int cell_text(const struct cell *cell, char *buf, size_t size, enum number_style style, bool ascii)
{
	static const char *const states[] = {
		[CELL_NOT_YET] = "·", [CELL_OFF] = "off", [CELL_MISSING] = "n/a", [CELL_NONE] = "-"
	};

	int len;

	if (cell->state != CELL_VALUE)
		return snprintf(buf, size, "%s",
				ascii && cell->state == CELL_NOT_YET ? "." : states[cell->state]);
	len = value_text(cell, buf, size, style);
	if (cell->age > 0 && len > 0 && (size_t)len < size - 1)
		len += snprintf(buf + len, size - (size_t)len, OLD_NUMBER);
	return len;
}
