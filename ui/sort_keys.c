// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys and clicks that sort. */
#include "actions.h"
#include "pane.h"
#include "screen_table.h"

/* Index of the sort column among the shown ones; -1 = not shown. */
static int sort_place(struct screen *s, int ids[COLUMNS_MAX], int *n)
{
	int pinned;
	struct table_part whole = table_whole(s);

	*n = table_columns(s, &whole, ids, &pinned);
	for (int i = 0; i < *n; i++)
		if (ids[i] == table_state(s)->sort)
			return i;
	return -1;
}

static void sort_choose(struct screen *s, int column)
{
	view_state_sort(table_state(s), column, column >= 0 && screen_column(column)->descending);
	screen_rebuild(s);
}

static const char *direction_name(const struct column *c, bool descending)
{
	if (c == &columns[COL_SEVERITY])
		return descending ? "most severe first" : "least severe first";
	if (c->number || c->descending)
		return descending ? "largest first" : "smallest first";
	return descending ? "Z to A" : "A to Z";
}

static void sort_say(struct screen *s)
{
	const struct view_state *state = table_state(s);
	const struct column *c;

	if (state->sort < 0) {
		screen_say(s, false,
			   state->descending ? "in table order, reversed" : "in table order");
		return;
	}
	c = screen_column(state->sort);
	screen_say(s, false, "sorted by %s (%s): %s", c->name, direction_name(c, state->descending),
		   c->help);
}

void sort_click(struct screen *s, int column)
{
	if (table_state(s)->sort == column) {
		table_sort_reverse(s);
		return;
	}
	sort_choose(s, column);
	sort_say(s);
}

void table_sort_next(struct screen *s)
{
	int ids[COLUMNS_MAX], n, at = sort_place(s, ids, &n);

	sort_choose(s, ids[at < 0 ? (s->step > 0 ? 0 : n - 1) : (at + s->step + n) % n]);
	sort_say(s);
}

void table_sort_reverse(struct screen *s)
{
	struct view_state *state = table_state(s);

	state->descending = !state->descending;
	screen_rebuild(s);
	sort_say(s);
}

void table_sort_menu(struct screen *s)
{
	struct menu *m = &s->menu;
	int ids[COLUMNS_MAX], n, at = sort_place(s, ids, &n);

	*m = (struct menu){ .title = "Sort by", .choose = sort_choose };
	snprintf(m->row[0].label, sizeof(m->row[0].label), "table order");
	m->row[0].value = -1;
	m->n = 1;
	for (int i = 0; i < n && m->n < MENU_ROWS; i++) {
		const struct column *c = screen_column(ids[i]);

		if (i == at)
			m->list.cursor = m->n;
		snprintf(m->row[m->n].label, sizeof(m->row[0].label), "%-10s %-14s %s", c->title,
			 c->name, c->help);
		m->row[m->n++].value = ids[i];
	}
	screen_push(s, &pane_menu);
}
