// SPDX-License-Identifier: GPL-2.0-or-later
/* Menu over the pane below: views, or columns to sort by. */
#include "base/format.h"
#include "pane.h"

static void menu_draw(struct screen *s)
{
	struct menu *m = &s->menu;
	struct terminal *t = s->terminal;
	int width = format_width(m->title), lines = s->layout.body_lines;

	for (int i = 0; i < m->n; i++)
		if (format_width(m->row[i].label) > width)
			width = format_width(m->row[i].label);
	width += 4;
	if (width > s->layout.width)
		width = s->layout.width;
	terminal_put(t, s->layout.column_header_y, 0, width, STYLE_SORT, m->title);
	m->list.top = layout_scroll(m->list.top, m->list.cursor, m->n, lines);
	for (int i = 0; i < lines && m->list.top + i < m->n; i++) {
		int row = m->list.top + i, y = s->layout.body_y + i;
		unsigned int style = row == m->list.cursor ? STYLE_SELECTED : STYLE_PLAIN;

		terminal_put(t, y, 0, width, style, style ? "> " : "");
		terminal_put(t, y, 2, width - 3, style, m->row[row].label);
		terminal_put(t, y, width - 1, 1, style, "");
	}
	if (m->n < lines)
		terminal_put(t, s->layout.body_y + m->n, 0, width, STYLE_PLAIN, "");
}

static struct cursor menu_cursor(struct screen *s)
{
	return (struct cursor){ &s->menu.list, s->menu.n, s->layout.body_lines };
}

void menu_choose(struct screen *s)
{
	screen_pop(s);
	s->menu.choose(s, s->menu.row[s->menu.list.cursor].value);
}

const struct pane pane_menu = {
	.context = KEYS_MENU,
	.draw = menu_draw,
	.cursor = menu_cursor,
	.over = true,
};
