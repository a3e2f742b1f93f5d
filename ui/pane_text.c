// SPDX-License-Identifier: GPL-2.0-or-later
/* Text pane for help and explanations; filled at each draw to follow the width. */
#include <stdio.h>
#include <string.h>
#include "base/format.h"
#include "pane.h"

static struct document *shown(struct screen *s)
{
	return screen_context(s) == KEYS_HELP ? &s->help : &s->details;
}

void help_open(struct screen *s)
{
	s->help = (struct document){ .fill = help_fill, .title = "Help" };
	screen_push(s, &pane_help);
}

void table_explain(struct screen *s)
{
	if (!table_pick(s))
		return;
	s->details = (struct document){ .fill = details_fill, .title = "The selected row" };
	screen_push(s, &pane_details);
}

static int lines_most(const struct screen *s)
{
	int most = (int)s->text.n - s->layout.body_lines;

	return most < 0 ? 0 : most;
}

void text_draw(struct screen *s, const struct text *t, int first, int y, int x, int lines)
{
	for (int i = 0; i < lines && first + i < (int)t->n; i++)
		terminal_put(s->terminal, y + i, x, s->layout.width - x,
			     (enum style)t->line[first + i].style, t->line[first + i].text);
}

static void pane_draw(struct screen *s)
{
	struct text *t = &s->text;
	struct document *d = shown(s);
	struct list *list = &d->top;
	int lines = s->layout.body_lines, end;
	char head[sizeof(d->title) + 64], where[48];
	int room;

	text_clear(t, s->layout.width - 2);
	d->fill(s);
	if (list->cursor > lines_most(s))
		list->cursor = lines_most(s);
	end = list->cursor + lines < (int)t->n ? list->cursor + lines : (int)t->n;
	snprintf(where, sizeof(where), "  (lines %d-%d of %zu)", list->cursor + 1, end, t->n);
	room = s->layout.width - 1 - format_width(where);
	head[0] = ' ';
	if (room > format_width(d->title))
		room = format_width(d->title);
	format_fit(head + 1, sizeof(head) - sizeof(where) - 1, d->title, room, false);
	strncat(head, where, sizeof(head) - strlen(head) - 1);
	title_draw(s, STYLE_COLUMN_HEADER, head);
	text_draw(s, t, list->cursor, s->layout.body_y, 1, lines);
}

static struct cursor text_cursor(struct screen *s)
{
	return (struct cursor){ &shown(s)->top, lines_most(s) + 1, s->layout.body_lines };
}

const struct pane pane_help = {
	.context = KEYS_HELP,
	.draw = pane_draw,
	.cursor = text_cursor,
};

const struct pane pane_details = {
	.context = KEYS_DETAILS,
	.draw = pane_draw,
	.cursor = text_cursor,
};
