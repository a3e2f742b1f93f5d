// SPDX-License-Identifier: GPL-2.0-or-later
/* Text pane for help and explanations; filled at each draw to follow the width. */
#include <stdio.h>
#include <string.h>
#include "base/format.h"
#include "pane.h"

void text_open(struct screen *s, const char *title, void (*fill)(struct screen *s))
{
	snprintf(s->text_title, sizeof(s->text_title), "%s", title);
	s->text_fill = fill;
	s->text_top = (struct list){ 0 };
	screen_push(s, &pane_text);
}

static int lines_most(const struct screen *s)
{
	int most = (int)s->text.n - s->layout.body_lines;

	return most < 0 ? 0 : most;
}

static void text_draw(struct screen *s)
{
	struct text *t = &s->text;
	struct list *l = &s->text_top; /* its cursor is the first visible line */
	int lines = s->layout.body_lines, end;
	char head[sizeof(s->text_title) + 64], where[48];
	int room;

	text_clear(t, s->layout.width - 2);
	s->text_fill(s);
	if (l->cursor > lines_most(s))
		l->cursor = lines_most(s);
	end = l->cursor + lines < (int)t->n ? l->cursor + lines : (int)t->n;
	snprintf(where, sizeof(where), "  (lines %d-%d of %zu)", l->cursor + 1, end, t->n);
	room = s->layout.width - 1 - format_width(where);
	head[0] = ' ';
	if (room > format_width(s->text_title))
		room = format_width(s->text_title);
	format_fit(head + 1, sizeof(head) - sizeof(where) - 1, s->text_title, room, false);
	strncat(head, where, sizeof(head) - strlen(head) - 1);
	terminal_put(s->terminal, s->layout.column_header_y, 0, s->layout.width,
		     STYLE_COLUMN_HEADER, false, head);
	for (int i = l->cursor; i < end; i++)
		terminal_put(s->terminal, s->layout.body_y + i - l->cursor, 1, s->layout.width - 1,
			     (enum style)t->line[i].style, false, t->line[i].text);
}

static struct cursor text_cursor(struct screen *s)
{
	return (struct cursor){ &s->text_top, lines_most(s) + 1, s->layout.body_lines };
}

const struct pane pane_text = {
	.context = KEYS_TEXT,
	.draw = text_draw,
	.cursor = text_cursor,
};
