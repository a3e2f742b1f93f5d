// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses columns of the view, their order and width. */
#include <string.h>
#include "actions.h"
#include "pane.h"

static struct column_choice *choice_of(struct screen *s)
{
	return &s->view_state[s->view].columns;
}

/* The shown columns in order, then the others. CPU columns cannot be chosen. */
static int rows_set(const struct column_choice *choice, uint8_t id[SCREEN_COLUMN_COUNT])
{
	bool in[SCREEN_COLUMN_COUNT] = { false };
	int n = 0;

	for (int i = 0; i < CPU_COLUMNS; i++)
		in[cpu_columns[i]] = true;
	for (int i = 0; i < choice->n; i++) {
		id[n++] = choice->id[i];
		in[choice->id[i]] = true;
	}
	for (int i = 0; i < SCREEN_COLUMN_COUNT; i++)
		if (!in[i])
			id[n++] = (uint8_t)i;
	return n;
}

static void columns_draw(struct screen *s)
{
	const struct column_choice *choice = choice_of(s);
	struct list *list = &s->columns;
	struct terminal *t = s->terminal;
	uint8_t id[SCREEN_COLUMN_COUNT];
	int rows = rows_set(choice, id), lines = s->layout.body_lines;
	char line[256];

	snprintf(line, sizeof(line), "  Columns of %s%s", views[s->view].name,
		 choice->custom ? "" : " (its own)");
	title_draw(s, STYLE_COLUMN_HEADER, line);
	layout_scroll(list, rows, lines);
	for (int i = 0; i < lines && list->top + i < rows; i++) {
		int row = list->top + i;
		const struct column *c = screen_column(id[row]);
		int width = choice->width[id[row]];

		snprintf(line, sizeof(line), "%s[%c] %-10s %-14s %3d%s  %s",
			 row == list->cursor ? "> " : "  ", row < choice->n ? 'x' : ' ', c->title,
			 c->name, width ? width : c->width,
			 width      ? "="
			 : c->share ? "+"
				    : " ",
			 c->help);
		terminal_put(t, s->layout.body_y + i, 0, s->layout.width,
			     (row < choice->n ? STYLE_PLAIN : STYLE_DIM) |
				     (row == list->cursor ? STYLE_SELECTED : 0),
			     line);
	}
}

static uint8_t selected_column(struct screen *s)
{
	uint8_t id[SCREEN_COLUMN_COUNT];

	rows_set(choice_of(s), id);
	return id[s->columns.cursor];
}

void columns_toggle(struct screen *s)
{
	struct column_choice *choice = choice_of(s);
	int row = s->columns.cursor;

	if (row >= choice->n) {
		choice->id[choice->n++] = selected_column(s);
		s->columns.cursor = choice->n - 1;
	} else if (choice->n == 1) {
		screen_say(s, false, "the last column cannot be hidden");
		return;
	} else {
		memmove(&choice->id[row], &choice->id[row + 1], (size_t)(choice->n - row - 1));
		choice->n--;
	}
	choice->custom = true;
}

void columns_move(struct screen *s)
{
	struct column_choice *choice = choice_of(s);
	int row = s->columns.cursor, with = row + s->step;
	uint8_t id;

	if (row >= choice->n) {
		screen_say(s, false, "this column is not shown; Space shows it");
		return;
	}
	if (with < 0 || with >= choice->n)
		return;
	id = choice->id[row];
	choice->id[row] = choice->id[with];
	choice->id[with] = id;
	choice->custom = true;
	s->columns.cursor = with;
}

void columns_widen(struct screen *s)
{
	struct column_choice *choice = choice_of(s);
	uint8_t id = selected_column(s);
	const struct column *c = screen_column(id);
	int width = (choice->width[id] ? choice->width[id] : c->width) + s->step;
	int least = screen_column_least(id);

	if (width < least || width > SCREEN_COLUMN_MOST) {
		screen_say(s, false, "%s: from %d to %d", c->name, least, SCREEN_COLUMN_MOST);
		return;
	}
	choice->width[id] = (uint8_t)width;
	choice->custom = true;
}

static struct cursor columns_cursor(struct screen *s)
{
	uint8_t id[SCREEN_COLUMN_COUNT];

	return (struct cursor){ &s->columns, rows_set(choice_of(s), id), s->layout.body_lines,
				s->layout.body_y };
}

void columns_reset(struct screen *s)
{
	column_choice_reset(choice_of(s), s->view);
}

const struct pane pane_columns = {
	.context = KEYS_COLUMNS,
	.draw = columns_draw,
	.cursor = columns_cursor,
};
