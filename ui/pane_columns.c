// SPDX-License-Identifier: GPL-2.0-or-later
/* Which columns a view shows, in which order and how wide. */
#include <stdio.h>
#include <string.h>
#include "pane.h"

#define WIDTH_MAX 60

static enum key_context columns_context(const struct screen *s)
{
	return KEYS_COLUMNS;
}

static struct shown *shown_of(struct screen *s)
{
	return &s->look[s->view].shown;
}

/* The shown ones in their order, then all others; CPU columns come and go by themselves. */
static int rows_set(const struct shown *shown, uint8_t id[SHOWN_COUNT])
{
	bool in[SHOWN_COUNT] = { false };
	int n = 0;

	for (int i = 0; i < CPU_COLUMNS; i++)
		in[cpu_columns[i]] = true;
	for (int i = 0; i < shown->n; i++) {
		id[n++] = shown->id[i];
		in[shown->id[i]] = true;
	}
	for (int i = 0; i < SHOWN_COUNT; i++)
		if (!in[i])
			id[n++] = (uint8_t)i;
	return n;
}

static void columns_draw(struct screen *s)
{
	const struct shown *shown = shown_of(s);
	struct list *l = &s->columns;
	struct terminal *t = s->terminal;
	uint8_t id[SHOWN_COUNT];
	int rows = rows_set(shown, id), lines = s->layout.body_lines;
	char line[256];

	snprintf(line, sizeof(line), "  Columns of %s%s", views[s->view].name,
		 shown->own ? "" : " (its own)");
	terminal_put(t, s->layout.head_y, 0, s->layout.width, STYLE_HEAD, false, line);
	if (l->cursor >= rows)
		l->cursor = rows - 1;
	l->top = layout_scroll(l->top, l->cursor, rows, lines);
	for (int i = 0; i < lines && l->top + i < rows; i++) {
		int row = l->top + i;
		const struct column *c = shown_column(id[row]);
		int width = shown->width[id[row]];

		snprintf(line, sizeof(line), "%s[%c] %-14s %3d%s  %s",
			 row == l->cursor ? "> " : "  ", row < shown->n ? 'x' : ' ', c->name,
			 width ? width : c->width,
			 width     ? "="
			 : c->grow ? "+"
				   : " ",
			 c->help);
		terminal_put(t, s->layout.body_y + i, 0, s->layout.width,
			     row < shown->n ? STYLE_PLAIN : STYLE_DIM, row == l->cursor, line);
	}
}

static uint8_t selected_column(const struct screen *s)
{
	uint8_t id[SHOWN_COUNT];

	rows_set(&s->look[s->view].shown, id);
	return id[s->columns.cursor];
}

void columns_toggle(struct screen *s)
{
	struct shown *shown = shown_of(s);
	int row = s->columns.cursor;

	if (row >= shown->n) {
		shown->id[shown->n++] = selected_column(s);
		s->columns.cursor = shown->n - 1;
	} else if (shown->n == 1) {
		screen_say(s, false, "the last column stays");
		return;
	} else {
		memmove(&shown->id[row], &shown->id[row + 1], (size_t)(shown->n - row - 1));
		shown->n--;
	}
	shown->own = true;
}

static void swap(struct screen *s, int with)
{
	struct shown *shown = shown_of(s);
	int row = s->columns.cursor;
	uint8_t id;

	if (row >= shown->n) {
		screen_say(s, false, "not shown: Space shows it");
		return;
	}
	if (with < 0 || with >= shown->n)
		return;
	id = shown->id[row];
	shown->id[row] = shown->id[with];
	shown->id[with] = id;
	shown->own = true;
	s->columns.cursor = with;
}

/* A number keeps the width in which none is cut. */
static void widen(struct screen *s, int step)
{
	struct shown *shown = shown_of(s);
	uint8_t id = selected_column(s);
	const struct column *c = shown_column(id);
	int width = (shown->width[id] ? shown->width[id] : c->width) + step;
	int least = c->number ? c->width : 1;

	if (width < least || width > WIDTH_MAX) {
		screen_say(s, false, "%s: from %d to %d", c->name, least, WIDTH_MAX);
		return;
	}
	shown->width[id] = (uint8_t)width;
	shown->own = true;
}

static struct cursor columns_cursor(struct screen *s)
{
	uint8_t id[SHOWN_COUNT];

	return (struct cursor){ &s->columns, rows_set(shown_of(s), id), s->layout.body_lines };
}

void columns_earlier(struct screen *s)
{
	swap(s, s->columns.cursor - 1);
}

void columns_later(struct screen *s)
{
	swap(s, s->columns.cursor + 1);
}

void columns_narrower(struct screen *s)
{
	widen(s, -1);
}

void columns_wider(struct screen *s)
{
	widen(s, 1);
}

void columns_reset(struct screen *s)
{
	shown_reset(shown_of(s), s->view);
}

const struct pane pane_columns = {
	.context = columns_context,
	.draw = columns_draw,
	.cursor = columns_cursor,
};
