// SPDX-License-Identifier: GPL-2.0-or-later
#include "grid.h"
#include "pane.h"

void grid_draw(struct screen *s, const struct grid *g, struct list *l, int rows, int y, int lines)
{
	struct terminal *t = s->terminal;
	struct column_need need[COLUMN_LAYOUT_MAX];
	struct column_place at[COLUMN_LAYOUT_MAX];
	int n;

	for (int i = 0; i < g->n && i < COLUMN_LAYOUT_MAX; i++)
		need[i] = g->column[i].need;
	n = column_layout_place(need, g->n, g->pinned, 0, LAYOUT_GUTTER, s->layout.width, at);
	terminal_put(t, y, 0, s->layout.width, STYLE_COLUMN_HEADER, false, "");
	for (int i = 0; i < n; i++)
		terminal_field(t, y, at[i].x, at[i].width, g->column[at[i].index].number,
			       STYLE_COLUMN_HEADER, false, g->column[at[i].index].title);
	if (l->cursor >= rows)
		l->cursor = rows > 0 ? rows - 1 : 0;
	l->top = layout_scroll(l->top, l->cursor, rows, lines);
	for (int row = l->top; row < rows && row - l->top < lines; row++) {
		bool selected = row == l->cursor;

		y++;
		terminal_put(t, y, 0, s->layout.width, STYLE_PLAIN, selected, selected ? ">" : "");
		for (int i = 0; i < n; i++) {
			char buf[SNAPSHOT_TEXT_LEN + 64] = "";
			enum style style = g->cell(s, row, at[i].index, buf, sizeof(buf));

			terminal_field(t, y, at[i].x, at[i].width, g->column[at[i].index].number,
				       style, selected, buf);
		}
	}
}
