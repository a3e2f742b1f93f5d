// SPDX-License-Identifier: GPL-2.0-or-later
/* Menu over the pane below: views, or columns to sort by. */
#include "actions.h"
#include "pane.h"

static void menu_draw(struct screen *s)
{
	struct menu *menu = &s->menu;
	struct terminal *t = s->terminal;
	int width = format_width(menu->title), lines = s->layout.body_lines;

	for (int i = 0; i < menu->n; i++)
		if (format_width(menu->row[i].label) > width)
			width = format_width(menu->row[i].label);
	width += 4;
	if (width > s->layout.width)
		width = s->layout.width;
	terminal_put(t, s->layout.column_header_y, 0, width, STYLE_SORT, menu->title);
	layout_scroll(&menu->list, menu->n, lines);
	for (int i = 0; i < lines && menu->list.top + i < menu->n; i++) {
		int row = menu->list.top + i, y = s->layout.body_y + i;
		unsigned int style = row == menu->list.cursor ? STYLE_SELECTED : STYLE_PLAIN;

		terminal_put(t, y, 0, width, style, style ? "> " : "");
		terminal_put(t, y, 2, width - 3, style, menu->row[row].label);
		terminal_put(t, y, width - 1, 1, style, "");
	}
	if (menu->n < lines)
		terminal_put(t, s->layout.body_y + menu->n, 0, width, STYLE_PLAIN, "");
}

static struct cursor menu_cursor(struct screen *s)
{
	return (struct cursor){ &s->menu.list, s->menu.n, s->layout.body_lines, s->layout.body_y };
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
