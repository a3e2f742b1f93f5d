// SPDX-License-Identifier: GPL-2.0-or-later
/* Handles keys and clicks: a click acts on a spot, else on a row of the top pane. */
#include "actions.h"
#include "pane.h"
#include "screen_table.h"

#define KEY(function, ...) function,
static void (*const functions[])(struct screen *s) = {
#include "key_table.h"
};
#undef KEY

void screen_key(struct screen *s, int code)
{
	const struct key_row *row = key_row_find(screen_context(s), code);

	if (code & KEYCODE_PASTED) {
		if (s->prompt.kind)
			prompt_key(&s->prompt, s, code & ~KEYCODE_PASTED);
		else
			screen_say(s, false, "paste ignored; press / first to use it as a filter");
		return;
	}
	s->message[0] = '\0';
	if (!row && s->layout.too_small)
		return;
	if (!row && s->prompt.kind) {
		prompt_key(&s->prompt, s, code);
		return;
	}
	s->key = code;
	if (!row) {
		key_say_nothing(s);
		return;
	}
	s->step = row->step;
	functions[row - key_rows](s);
}

/* The first click selects a row, the second opens it. */
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

static void spot_click(struct screen *s, const struct spot *spot)
{
	if (spot->kind == SPOT_KEY)
		screen_key(s, spot->value);
	else if (spot->kind == SPOT_VIEW)
		view_show(s, (enum view_id)spot->value);
	else
		sort_click(s, spot->value);
}

void mouse_click(struct screen *s)
{
	int x = s->terminal->keyboard.x, y = s->terminal->keyboard.y;

	for (int i = 0; i < s->n_spots; i++) {
		const struct spot *spot = &s->spot[i];

		if (y == spot->y && x >= spot->x && x < spot->x + spot->width) {
			spot_click(s, spot);
			return;
		}
	}
	row_click(s, y);
}
