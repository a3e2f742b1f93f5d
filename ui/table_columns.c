// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns of the table on the screen: choice, order, widths, titles, cells, sorting. */
#include <string.h>
#include "actions.h"
#include "graph.h"
#include "pane.h"
#include "screen_table.h"

static enum style cell_style(const struct cell *c)
{
	static const enum style styles[] = {
		[TONE_PLAIN] = STYLE_PLAIN, [TONE_LOST] = STYLE_DROPS, [TONE_WARN] = STYLE_WARN,
		[TONE_GOOD] = STYLE_GOOD,   [TONE_DIM] = STYLE_DIM,
	};

	return c->state == CELL_VALUE ? styles[c->tone] : STYLE_DIM;
}

/* A screen column's cell, from the history of the row. */
static enum style screen_cell(const struct screen *s, const struct table_part *p, size_t row,
			      int id, char *buf, size_t size)
{
	const struct row *r = &p->table->row[row];
	struct history_key key = screen_history_key(p->view, &p->state, r->id);
	double at = ns_to_seconds(p->table->rates->to->mono_ns);
	bool utf8 = s->terminal->utf8;
	float peak;

	if (r->parent) {
		snprintf(buf, size, "-");
		return STYLE_DIM;
	}
	if (id == SCREEN_COL_TREND) {
		bool lost = columns[key.column].lost;

		if (row_history_trend(&s->row_history, key, at, s->terminal->blocks, buf, size))
			return lost ? STYLE_DROPS : STYLE_GRAPH;
		/* nothing was lost, so show what came in */
		key.column = COL_PATH_IN;
		if (lost && p->view == VIEW_OVERVIEW)
			row_history_trend(&s->row_history, key, at, s->terminal->blocks, buf, size);
		return STYLE_GRAPH;
	}
	peak = history_peak(&s->row_history.history, key);
	if (isnan(peak)) {
		snprintf(buf, size, "%s", utf8 ? "·" : ".");
		return STYLE_DIM;
	}
	format_rate(buf, size, peak, NUMBER_SI);
	return STYLE_PLAIN;
}

/* Cells of the widest percentage. */
#define PERCENT_WIDTH 4

/* Puts a bar and a blank before a percentage, in cells that the number leaves free. */
static void bar_add(double percent, int width, char *buf, size_t size)
{
	char number[32], bar[GRAPH_LINE];

	if (width < PERCENT_WIDTH + 2)
		return;
	graph_bar(percent, width - PERCENT_WIDTH - 1, bar);
	snprintf(number, sizeof(number), "%s", buf);
	snprintf(buf, size, "%s%*s", bar, PERCENT_WIDTH + 1, number);
}

enum style table_cell_text(const struct screen *s, const struct table_part *p, size_t row, int id,
			   int width, char *buf, size_t size)
{
	bool ascii = !s->terminal->utf8;
	struct cell cell;

	if (id >= COLUMN_COUNT)
		return screen_cell(s, p, row, id, buf, size);
	table_cell(p->table, row, (enum column_id)id, &cell);
	cell_text(&cell, buf, size, NUMBER_SI, ascii);
	if (id == COL_MODE && width == 1 && *buf)
		snprintf(buf, size, "%c",
			 cell.state == CELL_MISSING ? '?'
			 : !strcmp(buf, "none")     ? '-'
						    : *buf);
	/* A cut number would be wrong, so use the short form. */
	if (columns[id].number && format_width(buf) > width)
		cell_text(&cell, buf, size, NUMBER_SI, ascii);
	if (columns[id].bar && cell.state == CELL_VALUE && s->terminal->blocks &&
	    width < GRAPH_WIDTH)
		bar_add(cell.real, width, buf, size);
	return cell_style(&cell);
}

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

/*
 * Fills in the ids of the shown columns in order, CPU columns included, and returns how many. The
 * first *pinned never scroll out.
 */
static int table_columns(const struct screen *s, const struct table_part *p, int out[COLUMNS_MAX],
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
	/* a wide overview has the namespace anyway; narrow findings have no room for it */
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
