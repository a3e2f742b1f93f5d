// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns of the table on the screen: choice, widths, headers, sorting. */
#include <stdio.h>
#include <string.h>
#include "base/format.h"
#include "pane.h"

/* Widths of numbers in full. */
#define RAW_WIDTH     12
#define GROUPED_WIDTH 15
/* A narrower first column (KEY) does not name the row. */
#define NAME_WIDTH 4
/* Narrower screens shorten names in favour of numbers. */
#define NARROW      60
#define NARROW_TEXT 8

/* Moves a column at `first` or behind it to a place; false = it is not there. */
static bool move(int *ids, int n, int first, int id, int to)
{
	for (int i = first; i < n; i++) {
		if (ids[i] != id)
			continue;
		if (i > to)
			memmove(&ids[to + 1], &ids[to], (size_t)(i - to) * sizeof(*ids));
		else
			memmove(&ids[i], &ids[i + 1], (size_t)(to - i) * sizeof(*ids));
		ids[to] = id;
		return true;
	}
	return false;
}

/* On a narrow screen the sort column moves next to the name, and the namespace to the end. */
static void narrow_order(int *ids, int n, int pinned, int sort)
{
	pinned += move(ids, n, pinned, sort, pinned);
	move(ids, n, pinned, COL_NETNS, n - 1);
}

static int cpus_columns(const struct column_choice *choice, int *out)
{
	int n = 0;

	for (int i = 0; i < CPU_COLUMNS; i++)
		out[n++] = cpu_columns[i];
	/* The title names the row; CPUs differ only in numbers. */
	for (int i = 0; i < choice->n; i++)
		if (choice->id[i] < COLUMN_COUNT && columns[choice->id[i]].number &&
		    choice->id[i] != COL_LAST_SEEN)
			out[n++] = choice->id[i];
	return n;
}

int table_columns(const struct screen *s, int out[COLUMNS_MAX], int *pinned)
{
	const struct column_choice *choice = &s->view_state[s->view].columns;
	bool per_cpu = s->per_cpu && !views[s->view].rows->list;
	int n = 0;

	*pinned = 1;
	if (s->drill) {
		n = cpus_columns(choice, out);
		if (s->layout.width < NARROW)
			narrow_order(out, n, CPU_COLUMNS, s->view_state[s->view].rate);
		return n;
	}
	/* The column that names the row never scrolls out. */
	if (choice->n > 1 && screen_column(choice->id[0])->width < NAME_WIDTH)
		*pinned = 2;
	for (int i = 0; i < choice->n; i++) {
		out[n++] = choice->id[i];
		for (int k = 0; i + 1 == *pinned && per_cpu && k < CPU_COLUMNS; k++)
			out[n++] = cpu_columns[k];
	}
	if (per_cpu)
		++*pinned;
	if (s->layout.width < NARROW && !choice->custom)
		narrow_order(out, n, *pinned, s->view_state[s->view].sort);
	return n;
}

/* Totals can have many digits; averages and percentages cannot. */
static bool count_column(const struct column *c)
{
	return c->number && c->descending && c->width >= 6 && (!*c->unit || !strcmp(c->unit, "B"));
}

/* Digits of the largest program id: a cut id is useless. */
static int prog_id_width(const struct snapshot *s)
{
	uint32_t most = 0;

	for (size_t i = 0; i < s->n_series; i++)
		if (s->series[i].key.prog_id > most)
			most = s->series[i].key.prog_id;
	for (size_t i = 0; i < snapshot_n_netdevs(s); i++)
		if (snapshot_netdevs(s)[i].prog_id > most)
			most = snapshot_netdevs(s)[i].prog_id;
	return snprintf(NULL, 0, "%u", most);
}

void table_columns_needs(const struct screen *s, const int *ids, int n, struct column_need *need)
{
	int wide = s->numbers == NUMBER_RAW       ? RAW_WIDTH
		   : s->numbers == NUMBER_GROUPED ? GROUPED_WIDTH
						  : 0;

	for (int i = 0; i < n; i++) {
		const struct column *c = screen_column(ids[i]);
		int chosen = s->view_state[s->view].columns.width[ids[i]];

		need[i] = (struct column_need){ .width = chosen ? chosen : c->width,
						.grow = chosen ? 0 : c->grow };
		if (chosen)
			continue;
		if (ids[i] == COL_PROG_ID && s->table.rates &&
		    prog_id_width(s->table.rates->to) > c->width)
			need[i].width = prog_id_width(s->table.rates->to);
		if (wide > c->width && (c->rate || count_column(c)))
			need[i].width = wide;
		if (s->layout.width < NARROW && ids[i] == COL_KEY)
			need[i].width = 1;
		else if (s->layout.width < NARROW && !c->number && ids[i] != COL_TRACEPOINT &&
			 c->width > NARROW_TEXT)
			need[i].width = NARROW_TEXT;
	}
}

/* The arrow is left of the title, in the gap between columns if the title has no blank. */
void table_columns_draw(struct screen *s, const int *ids, const struct column_place *at, int n,
			int y)
{
	const struct view_state *state = table_state(s);
	bool utf8 = s->terminal->utf8;
	const char *arrow = state->descending ? (utf8 ? "▼" : "v") : (utf8 ? "▲" : "^");

	terminal_put(s->terminal, y, 0, s->layout.width, STYLE_COLUMN_HEADER, "");
	for (int i = 0; i < n; i++) {
		int id = ids[at[i].index], x = at[i].x - 1;
		bool sorted = id == state->sort, right = screen_column(id)->number;
		char title[32];

		if (id < COLUMN_COUNT)
			column_title((enum column_id)id, s->unit, title, sizeof(title));
		else
			snprintf(title, sizeof(title), "%s", screen_column(id)->title);
		if (at[i].width < (int)strlen(title))
			title[at[i].width] = '\0';
		terminal_put(s->terminal, y, at[i].x, at[i].width,
			     (sorted ? STYLE_SORT : STYLE_COLUMN_HEADER) |
				     (right ? STYLE_RIGHT : 0),
			     title);
		if (right && at[i].width > format_width(title))
			x += at[i].width - format_width(title);
		if (sorted)
			terminal_put(s->terminal, y, x, 1, STYLE_SORT, arrow);
	}
}

/* Index of the sort column among the shown ones; -1 = not shown. */
static int sort_place(struct screen *s, int ids[COLUMNS_MAX], int *n)
{
	int pinned;

	*n = table_columns(s, ids, &pinned);
	for (int i = 0; i < *n; i++)
		if (ids[i] == table_state(s)->sort)
			return i;
	return -1;
}

/* Scrolls to make the sort column visible. */
static void sort_show(struct screen *s)
{
	struct view_state *state = table_state(s);
	struct column_need need[COLUMNS_MAX];
	struct column_place at[COLUMN_LAYOUT_MAX];
	int ids[COLUMNS_MAX], n, pinned, place = sort_place(s, ids, &n);

	table_columns(s, ids, &pinned);
	table_columns_needs(s, ids, n, need);
	if (place >= pinned && state->scroll > place - pinned)
		state->scroll = place - pinned;
	for (; place >= pinned && state->scroll < place - pinned; state->scroll++) {
		int placed = column_layout_place(need, n, pinned, state->scroll, LAYOUT_GUTTER,
						 s->layout.width, at);

		if (placed && at[placed - 1].index >= place)
			break;
	}
}

static void sort_choose(struct screen *s, int column)
{
	view_state_sort(table_state(s), column, column >= 0 && screen_column(column)->descending);
	screen_rebuild(s);
	sort_show(s);
}

static const char *direction_name(const struct column *c, bool descending)
{
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

/* Sorts by the next column on either side. */
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
		snprintf(m->row[m->n].label, sizeof(m->row[0].label), "%-14s %s", c->name, c->help);
		m->row[m->n++].value = ids[i];
	}
	screen_push(s, &pane_menu);
}
