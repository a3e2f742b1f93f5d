// SPDX-License-Identifier: GPL-2.0-or-later
/* Clicks: on what was drawn as a spot, else on a row of the top pane. */
#include "pane.h"

void spot_add(struct screen *s, int y, int x, int width, void (*act)(struct screen *s, int value),
	      int value)
{
	if (s->n_spots < SPOTS_MAX)
		s->spot[s->n_spots++] = (struct spot){ y, x, width, act, value };
}

/* The first click selects, the next opens. */
static void row_click(struct screen *s, int y)
{
	const struct pane *pane = screen_pane(s);
	struct cursor c = pane->cursor(s);
	int row = -1;

	if (pane->row_at)
		row = pane->row_at(s, y);
	else if (c.y && y >= c.y && y < c.y + c.lines)
		row = c.list->top + y - c.y;
	if (row < 0 || row >= c.rows)
		return;
	if (row == c.list->cursor) {
		screen_key(s, KEYCODE_ENTER);
		return;
	}
	c.list->cursor = row;
	if (pane->moved)
		pane->moved(s);
}

void mouse_click(struct screen *s)
{
	int x = s->terminal->keyboard.x, y = s->terminal->keyboard.y;

	for (int i = 0; i < s->n_spots; i++) {
		const struct spot *spot = &s->spot[i];

		if (y == spot->y && x >= spot->x && x < spot->x + spot->width) {
			spot->act(s, spot->value);
			return;
		}
	}
	row_click(s, y);
}
