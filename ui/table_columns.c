// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns of the table on the screen: choice, order, widths, titles. */
#include <string.h>
#include "pane.h"
#include "screen_table.h"

/* A narrower first column (KEY) does not name the row, so the second one is pinned as well. */
#define NAME_WIDTH 4
/* Narrower screens reorder columns in favour of numbers. */
#define NARROW 60

/* Wide enough for the mode in full, and for the last minute beside the numbers. */
#define WIDE       100
#define TREND_LINE 72

#define BAR_EXTRA 6

/* Moves the column `id`, at `first` or after, to a place; false = it is not there. */
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

static bool is_shown(const struct screen *s, const struct table_part *p, int id)
{
	/* the title names the tracepoint */
	if (id == COL_TRACEPOINT && s->follow.on &&
	    !(s->follow.choice.tracepoints & (s->follow.choice.tracepoints - 1)) &&
	    !s->view_state[VIEW_FOLLOW].columns.custom)
		return false;
	return id >= COLUMN_COUNT || table_shows(p->table, (enum column_id)id);
}

static int cpus_columns(const struct screen *s, const struct table_part *p,
			const struct column_choice *choice, int *out)
{
	int n = 0;

	for (int i = 0; i < CPU_COLUMNS; i++)
		out[n++] = cpu_columns[i];
	/* The title names the row; CPUs differ only in numbers. */
	for (int i = 0; i < choice->n; i++)
		if (choice->id[i] < COLUMN_COUNT && columns[choice->id[i]].number &&
		    choice->id[i] != COL_LAST_SEEN && is_shown(s, p, choice->id[i]))
			out[n++] = choice->id[i];
	return n;
}

struct table_part table_whole(struct screen *s)
{
	return (struct table_part){ &s->table, s->view, *table_state(s), s->content[0] };
}

int table_columns(const struct screen *s, const struct table_part *p, int out[COLUMNS_MAX],
		  int *pinned)
{
	const struct column_choice *choice = &s->view_state[p->view].columns;
	bool per_cpu = s->per_cpu && !views[p->view].rows->list, sorted = false;
	int n = 0, sort = p->state.sort;

	*pinned = 1;
	if (s->drill) {
		n = cpus_columns(s, p, choice, out);
		if (s->layout.width < NARROW)
			narrow_order(out, n, CPU_COLUMNS, s->view_state[p->view].rate);
		return n;
	}
	if (choice->n > 1 &&
	    (choice->id[0] == COL_KEY || screen_column(choice->id[0])->width < NAME_WIDTH))
		*pinned = 2;
	for (int i = 0; i < choice->n; i++) {
		if (is_shown(s, p, choice->id[i]))
			out[n++] = choice->id[i];
		for (int k = 0; i + 1 == *pinned && per_cpu && k < CPU_COLUMNS; k++)
			out[n++] = cpu_columns[k];
	}
	if (per_cpu)
		++*pinned;
	for (int i = 0; i < n; i++)
		sorted |= out[i] == sort;
	/* -s accepts a column that is not shown */
	if (sort >= 0 && !sorted)
		out[n++] = sort;
	if (s->layout.width < NARROW && !choice->custom)
		narrow_order(out, n, *pinned, sort);
	return n;
}

/* The title, followed by the sort mark if this column is sorted by. */
static void title_text(const struct screen *s, const struct table_part *p, int id, char *buf,
		       size_t size)
{
	const struct view_state *state = &p->state;
	bool utf8 = s->terminal->utf8;
	const char *mark = state->descending ? (utf8 ? "▼" : "v") : (utf8 ? "▲" : "^");

	snprintf(buf, size, "%s%s", screen_column(id)->title, id == state->sort ? mark : "");
}

/* Columns widen at once, but narrow only when the user changes the view, so they do not jump. */
static void content_measure(const struct screen *s, struct table_part *p, const int *ids, int n,
			    int first, int lines)
{
	for (int row = first; row < first + lines && row < (int)p->table->n_rows; row++) {
		for (int i = 0; i < n; i++) {
			char text[SNAPSHOT_TEXT_LEN];
			int width;

			table_cell_text(s, p, (size_t)row, ids[i], INT_MAX, text, sizeof(text));
			width = format_width(text);
			if (width > p->content[ids[i]])
				p->content[ids[i]] = (uint16_t)width;
		}
	}
}

static struct column_need need_of(const struct screen *s, const struct table_part *p, int id)
{
	int chosen = s->view_state[p->view].columns.width[id], line = s->layout.width;
	char title[40];
	struct column_need need;

	title_text(s, p, id, title, sizeof(title));
	/* the keys are single characters */
	if (id == COL_KEY && views[p->view].always && line < NARROW)
		*title = '\0';
	need = column_need(screen_column(id), format_width(title), p->content[id], line);
	if (id == COL_MODE && line < WIDE)
		need.width = need.share = need.least = 1; /* its letter */
	need.stays |= id == SCREEN_COL_TREND && line >= TREND_LINE;
	if (chosen)
		need.width = need.share = need.least = chosen;
	else if (id < COLUMN_COUNT && columns[id].bar && s->terminal->blocks)
		need.extra = BAR_EXTRA;
	need.stays |= id == p->state.sort;
	return need;
}

static bool is_equal(const struct table *t, int row, int other, enum column_id column)
{
	struct cell a, b;

	table_cell(t, (size_t)row, column, &a);
	table_cell(t, (size_t)other, column, &b);
	return a.state == CELL_VALUE && b.state == CELL_VALUE && !strcmp(a.text, b.text);
}

/* Whether two of the rows have one device name in different network namespaces. */
static bool names_repeat(const struct table *t, int first, int lines)
{
	for (int i = first; i < first + lines && i < (int)t->n_rows; i++)
		for (int k = first; k < i; k++)
			if (is_equal(t, i, k, COL_DEVICE) && !is_equal(t, i, k, COL_NETNS))
				return true;
	return false;
}

void table_columns_place(struct screen *s, struct table_part *p, int first, int lines,
			 int ids[COLUMNS_MAX], struct column_layout *layout)
{
	struct column_need need[COLUMNS_MAX];
	int pinned, n = table_columns(s, p, ids, &pinned), most;
	/* a wide overview has it anyway; narrow findings have no room for it */
	bool repeat = p->view == (s->layout.width < NARROW ? VIEW_OVERVIEW : VIEW_FINDINGS) &&
		      names_repeat(p->table, first, lines);

	content_measure(s, p, ids, n, first, lines);
	for (int i = 0; i < n; i++) {
		need[i] = need_of(s, p, ids[i]);
		need[i].stays |= repeat && ids[i] == COL_NETNS;
	}
	most = column_layout_scroll(need, n, pinned, LAYOUT_GUTTER, s->layout.width);
	if (p->state.scroll > most)
		p->state.scroll = most;
	column_layout_place(need, n, pinned, p->state.scroll, LAYOUT_GUTTER, s->layout.width,
			    layout);
}

void table_columns_draw(struct screen *s, const struct table_part *p, const int *ids,
			const struct column_layout *layout, int y)
{
	terminal_put(s->terminal, y, 0, s->layout.width, STYLE_COLUMN_HEADER, "");
	if (layout->before) {
		terminal_put(s->terminal, y, 0, 1, STYLE_SORT, "<");
		spot_add(s, y, 0, 1, SPOT_KEY, KEYCODE_LEFT);
	}
	if (layout->after) {
		terminal_put(s->terminal, y, s->layout.width - 1, 1, STYLE_SORT, ">");
		spot_add(s, y, s->layout.width - 1, 1, SPOT_KEY, KEYCODE_RIGHT);
	}
	for (int i = 0; i < layout->n; i++) {
		int id = ids[layout->at[i].index], width = layout->at[i].width;
		bool right = screen_column(id)->number;
		char title[40];

		title_text(s, p, id, title, sizeof(title));
		/* a column too narrow for its title has no sort mark */
		if (width < format_width(title))
			title[width] = '\0';
		terminal_put(s->terminal, y, layout->at[i].x, width,
			     (id == p->state.sort ? STYLE_SORT : STYLE_COLUMN_HEADER) |
				     (right ? STYLE_RIGHT : 0),
			     title);
		spot_add(s, y, layout->at[i].x, width, SPOT_COLUMN, id);
	}
}
