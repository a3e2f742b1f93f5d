// SPDX-License-Identifier: GPL-2.0-or-later
/* Cells of the table as shown: text and style. */
#include <string.h>
#include "graph.h"
#include "pane.h"
#include "screen_table.h"

static enum style cell_style(const struct cell *c)
{
	static const enum style styles[] = {
		[TONE_PLAIN] = STYLE_PLAIN, [TONE_LOST] = STYLE_DROPS, [TONE_WARN] = STYLE_WARN,
		[TONE_GOOD] = STYLE_GOOD,   [TONE_DIM] = STYLE_DIM,
	};

	return c->state == CELL_VALUE ? styles[c->tone] : STYLE_DIM;
}

/* A screen column's cell, from the history of the row. */
static enum style screen_cell(const struct screen *s, const struct table_part *p, size_t row,
			      int id, char *buf, size_t size)
{
	const struct row *r = &p->table->row[row];
	struct history_key key = screen_history_key(p->view, &p->state, r->id);
	double at = ns_to_seconds(p->table->rates->to->mono_ns);
	bool utf8 = s->terminal->utf8;
	float peak;

	if (r->parent) {
		snprintf(buf, size, "-");
		return STYLE_DIM;
	}
	if (id == SCREEN_COL_TREND) {
		bool lost = columns[key.column].lost;

		if (row_history_trend(&s->row_history, key, at, s->terminal->blocks, buf, size))
			return lost ? STYLE_DROPS : STYLE_GRAPH;
		/* nothing was lost, so show what came in */
		key.column = COL_PATH_IN;
		if (lost && p->view == VIEW_OVERVIEW)
			row_history_trend(&s->row_history, key, at, s->terminal->blocks, buf, size);
		return STYLE_GRAPH;
	}
	peak = history_peak(&s->row_history.history, key);
	if (isnan(peak)) {
		snprintf(buf, size, "%s", utf8 ? "·" : ".");
		return STYLE_DIM;
	}
	format_rate(buf, size, peak, NUMBER_SI);
	return STYLE_PLAIN;
}

/* Cells of the widest percentage. */
#define PERCENT_WIDTH 4

/* Puts a bar and a blank before a percentage, in cells that the number leaves free. */
static void bar_add(double percent, int width, char *buf, size_t size)
{
	char number[32], bar[GRAPH_LINE];

	if (width < PERCENT_WIDTH + 2)
		return;
	graph_bar(percent, width - PERCENT_WIDTH - 1, bar);
	snprintf(number, sizeof(number), "%s", buf);
	snprintf(buf, size, "%s%*s", bar, PERCENT_WIDTH + 1, number);
}

enum style table_cell_text(const struct screen *s, const struct table_part *p, size_t row, int id,
			   int width, char *buf, size_t size)
{
	bool ascii = !s->terminal->utf8;
	struct cell cell;

	if (id >= COLUMN_COUNT)
		return screen_cell(s, p, row, id, buf, size);
	table_cell(p->table, row, (enum column_id)id, &cell);
	cell_text(&cell, buf, size, NUMBER_SI, ascii);
	if (id == COL_MODE && width == 1 && *buf)
		snprintf(buf, size, "%c",
			 cell.state == CELL_MISSING ? '?'
			 : !strcmp(buf, "none")     ? '-'
						    : *buf);
	/* A cut number would be wrong, so use the short form. */
	if (columns[id].number && format_width(buf) > width)
		cell_text(&cell, buf, size, NUMBER_SI, ascii);
	if (columns[id].bar && cell.state == CELL_VALUE && s->terminal->blocks &&
	    width < GRAPH_WIDTH)
		bar_add(cell.real, width, buf, size);
	return cell_style(&cell);
}
