// SPDX-License-Identifier: GPL-2.0-or-later
/* Explains the selected row: what it counts, meaning of its errors, next commands. */
#include <stdio.h>
#include "explain/explain.h"
#include "pane.h"

/* Cells for the label in front of a text. */
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

	if (style == EXPLAIN_COMMAND)
		text_add_command(ctx, as[style].style, as[style].indent, text);
	else
		text_add(ctx, as[style].style, *label ? LABEL_WIDTH : as[style].indent, label, "%s",
			 text);
}

void explain_fill(struct screen *s)
{
	const struct explain_lines lines = { .line = explain_line, .ctx = &s->text };
	long at = table_selected(s);
	char name[sizeof(s->text_title)];

	/* the title names the row, as the table is hidden */
	table_row_name(s, name, sizeof(name));
	if (!views[s->view].rows->list)
		snprintf(s->text_title, sizeof(s->text_title), "%s", name);
	if (at < 0)
		text_add(&s->text, STYLE_PLAIN, 0, "", "The row is gone.");
	else
		row_explain(&s->table, &s->table.row[at], &lines);
}
