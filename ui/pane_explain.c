// SPDX-License-Identifier: GPL-2.0-or-later
/* Explains the selected row: what it counts, what its errors mean, next commands. */
#include <string.h>
#include "explain/explain.h"
#include "goto_row.h"
#include "pane.h"
#include "screen_table.h"

/* Cells for the label before a text. */
#define LABEL_WIDTH 14

static void explain_line(void *ctx, enum explain_style style, const char *label, const char *text)
{
	static const struct {
		enum style style;
		int indent;
	} as[] = {
		[EXPLAIN_HEAD] = { STYLE_SORT, 0 },  [EXPLAIN_TITLE] = { STYLE_BOLD, 2 },
		[EXPLAIN_TEXT] = { STYLE_PLAIN, 0 }, [EXPLAIN_COMMAND] = { STYLE_PLAIN, 4 },
		[EXPLAIN_SOURCE] = { STYLE_DIM, 0 },
	};

	struct screen *s = ctx;

	/* the pane's title says it */
	if (style == EXPLAIN_HEAD && !s->text.n && screen_pane_below(s)->context == KEYS_DETAILS &&
	    !strcmp(s->details.title, text))
		return;
	if (style == EXPLAIN_COMMAND)
		text_add_command(&s->text, as[style].style, as[style].indent, text);
	else
		text_add(&s->text, as[style].style, *label ? LABEL_WIDTH : as[style].indent, label,
			 "%s", text);
}

/* Names a finding by its kind, an event by its tracepoint, a row of counts by its cells. */
static void entry_name(const struct screen *s, const struct table *t, const struct row *row,
		       char *buf, size_t size)
{
	const struct view *view = t->options.view;
	struct cell cell;

	if (!view->rows->list)
		table_row_name(s, buf, size);
	if (!row || row->more || (view != &views[VIEW_FINDINGS] && !table_event(t, row)))
		return;
	table_cell(t, (size_t)(row - t->row),
		   view == &views[VIEW_FINDINGS] ? COL_FINDING : COL_TRACEPOINT, &cell);
	snprintf(buf, size, "%s", cell.text);
}

void explain_fill(struct screen *s)
{
	const struct explain_lines lines = {
		.line = explain_line,
		.ctx = s,
		.ascii = !s->terminal->utf8,
	};
	long at = table_selected(s);
	const struct row *row = at < 0 ? NULL : &s->table.row[at];
	const struct table *t = row ? table_of(&s->table, &row) : &s->table;

	/* the title names the row because the table is hidden */
	if (row && screen_pane_below(s)->context == KEYS_DETAILS)
		entry_name(s, t, row, s->details.title, sizeof(s->details.title));
	if (!row || row->more)
		text_add(&s->text, STYLE_PLAIN, 0, "", "This row no longer exists.");
	else
		row_explain(t, row, &lines);
}

/* Whether the column applies to any CPU. */
static bool is_counted(const struct table *t, enum column_id id)
{
	struct cell cell = { .state = CELL_NONE };

	for (size_t i = 0; i < t->n_rows; i++) {
		table_cell(t, i, id, &cell);
		if (cell.state != CELL_NONE && cell.state != CELL_MISSING)
			return true;
	}
	return false;
}

/* Adds a line with as many numbers as fit: the cells of a row, or the titles if row < 0. */
static void cpu_line(struct screen *s, const struct table *t, long row, enum style style)
{
	const struct view *v = t->options.view;
	char line[1024] = "";
	size_t len = 0;
	int used = 0;

	for (int i = 0; i < CPU_COLUMNS + v->n_columns; i++) {
		enum column_id id = i < CPU_COLUMNS ? cpu_columns[i] : v->column[i - CPU_COLUMNS];
		char text[SNAPSHOT_TEXT_LEN], fitted[2 * SNAPSHOT_TEXT_LEN];
		int width = columns[id].width + (i > 0 ? 2 : 0);
		struct cell cell;

		if (!columns[id].number || id == COL_LAST_SEEN || !table_shows(t, id) ||
		    !is_counted(t, id) || used + width > s->text.width)
			continue;
		if (row < 0) {
			snprintf(text, sizeof(text), "%s", columns[id].title);
		} else {
			table_cell(t, (size_t)row, id, &cell);
			cell_text(&cell, text, sizeof(text), NUMBER_SI, !s->terminal->utf8);
		}
		format_fit(fitted, sizeof(fitted), text, width, true);
		if (len + strlen(fitted) < sizeof(line))
			len += (size_t)snprintf(line + len, sizeof(line) - len, "%s", fitted);
		used += width;
	}
	text_add(&s->text, (int)style, 0, "", "%s", line);
}

static void cpus_fill(struct screen *s)
{
	struct text *t = &s->text;
	struct table cpus = { 0 };
	struct cpus_of of;
	const char *why;

	if (screen_is_alone(s) || !cpus_find(s, &of, &why) || of.view == VIEW_CPUS)
		return;
	if (!rows_build(s, of.view, of.id, &cpus) && cpus.n_rows) {
		text_add(t, STYLE_PLAIN, 0, "", " ");
		text_add(t, STYLE_SORT, 0, "", "CPUs%s%s", of.view == s->view ? "" : " of ",
			 of.view == s->view ? "" : of.name);
		cpu_line(s, &cpus, -1, STYLE_COLUMN_HEADER);
		for (size_t i = 0; i < cpus.n_rows; i++)
			cpu_line(s, &cpus, (long)i, STYLE_PLAIN);
	}
	if (cpus.folded)
		text_add(t, STYLE_DIM, 0, "",
			 "%zu %sCPUs counted none of this row's events in the "
			 "last interval.",
			 cpus.folded, cpus.n_rows ? "more " : "");
	table_free(&cpus);
}

void details_fill(struct screen *s)
{
	explain_fill(s);
	cpus_fill(s);
}
