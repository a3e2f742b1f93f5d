// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of a view, or the CPUs of one of its rows. */
#include <stdio.h>
#include <string.h>
#include "../src/format.h"
#include "pane.h"

/* Room for numbers in full, when they are asked for: 2^64 has 20 digits. */
/* A first column narrower than this (KEY) does not name the row. */
#define NAME_WIDTH 4
/* Below this, heads give way to numbers. */
#define NARROW        60
#define NARROW_TEXT   8
#define RAW_WIDTH     12
#define GROUPED_WIDTH 15

struct look *table_look(struct screen *s)
{
	return s->drill ? &s->look_cpus : &s->look[s->view];
}

long table_selected(const struct screen *s)
{
	const struct look *l = s->drill ? &s->look_cpus : &s->look[s->view];

	return l->list.cursor < (int)s->table.n_rows ? l->list.cursor : -1;
}

static enum key_context table_context(const struct screen *s)
{
	return s->drill ? KEYS_CPUS : KEYS_TABLE;
}

/*
 * On a narrow screen what is sorted by stands right behind the name, so that it is in sight, and
 * the namespace last.
 */
static int narrow_order(const struct screen *s, enum column_id *ids, int n, int pinned)
{
	int sort = s->look[s->view].sort, at = pinned;

	for (int i = pinned; i < n; i++) {
		enum column_id id = ids[i];

		if ((int)id != sort)
			continue;
		memmove(&ids[pinned + 1], &ids[pinned], (size_t)(i - pinned) * sizeof(*ids));
		ids[pinned] = id;
		at = pinned + 1;
		break;
	}
	for (int i = at; i < n; i++) {
		if (ids[i] != COL_NETNS)
			continue;
		memmove(&ids[i], &ids[i + 1], (size_t)(n - i - 1) * sizeof(*ids));
		ids[n - 1] = COL_NETNS;
		break;
	}
	return n;
}

int table_columns(const struct screen *s, enum column_id out[SHOWN_COLUMNS], int *pinned)
{
	const struct view *v = &views[s->view];
	int n = 0;

	if (s->drill) {
		/* What the row is stands in the title; its CPUs differ in numbers only. */
		for (int i = 0; i < CPU_COLUMNS; i++)
			out[n++] = cpu_columns[i];
		for (int i = 0; i < v->n_columns; i++)
			if (columns[v->column[i]].number && v->column[i] != COL_LAST_SEEN)
				out[n++] = v->column[i];
		*pinned = 1;
		return n;
	}
	/* The first column that names the row never scrolls out. */
	*pinned = columns[v->column[0]].width < NAME_WIDTH ? 2 : 1;
	for (int i = 0; i < v->n_columns; i++) {
		out[n++] = v->column[i];
		if (i + 1 == *pinned && s->per_cpu)
			for (int k = 0; k < CPU_COLUMNS; k++)
				out[n++] = cpu_columns[k];
	}
	if (s->per_cpu)
		++*pinned;
	return s->layout.width < NARROW ? narrow_order(s, out, n, *pinned) : n;
}

/* Totals, which have as many digits as they have; averages and percentages stay short. */
static bool count_column(const struct column *c)
{
	return c->number && c->descending && c->width >= 6 && (!*c->unit || !strcmp(c->unit, "B"));
}

static void need_set(const struct screen *s, const enum column_id *ids, int n,
		     struct layout_need *need)
{
	for (int i = 0; i < n; i++) {
		const struct column *c = &columns[ids[i]];
		int wide = s->numbers == NUMBER_RAW       ? RAW_WIDTH
			   : s->numbers == NUMBER_GROUPED ? GROUPED_WIDTH
							  : 0;

		need[i] = (struct layout_need){ .width = c->width, .grow = c->grow };
		if (s->layout.width < NARROW && ids[i] == COL_KEY)
			need[i].width = 1;
		else if (s->layout.width < NARROW && !c->number && ids[i] != COL_TRACEPOINT &&
			 c->width > NARROW_TEXT)
			need[i].width = NARROW_TEXT;
		if (wide > c->width && (c->rate || count_column(c)))
			need[i].width = wide;
	}
}

/* The arrow stands left of the head, in the blank between the columns where there is no other. */
static void heads_draw(struct screen *s, const enum column_id *ids, const struct layout_column *at,
		       int n, int y)
{
	const struct look *look = table_look(s);
	bool utf8 = terminal_utf8(s->terminal);
	const char *arrow = look->descending ? (utf8 ? "▼" : "v") : (utf8 ? "▲" : "^");

	terminal_put(s->terminal, y, 0, s->layout.width, STYLE_HEAD, false, "");
	for (int i = 0; i < n; i++) {
		enum column_id id = ids[at[i].index];
		bool sorted = (int)id == look->sort;
		int x = at[i].x - 1;
		char title[32];

		column_title(id, s->unit, title, sizeof(title));
		if (at[i].width < (int)strlen(title))
			title[at[i].width] = 0;
		terminal_field(s->terminal, y, at[i].x, at[i].width, columns[id].number,
			       sorted ? STYLE_SORT : STYLE_HEAD, false, title);
		if (columns[id].number && at[i].width > format_width(title))
			x += at[i].width - format_width(title);
		if (sorted)
			terminal_put(s->terminal, y, x, 1, STYLE_SORT, false, arrow);
	}
}

/* A value above zero. */
static bool cell_lost(const struct cell *c)
{
	if (c->state != CELL_VALUE)
		return false;
	return c->type == CELL_COUNT ? c->count > 0 : c->type != CELL_TEXT && c->real > 0;
}

static enum style cell_style(const struct screen *s, size_t row, enum column_id id,
			     const struct cell *c)
{
	int tp = s->table.row[row].tracepoint;

	if (c->state != CELL_VALUE)
		return STYLE_DIM;
	switch (id) {
	case COL_DROPS_RATE:
	case COL_DROP_PERCENT:
	case COL_FAILED_RATE:
	case COL_ERRORS_RATE:
		return cell_lost(c) ? STYLE_DROPS : STYLE_PLAIN;
	case COL_STATE:
		if (tp < 0)
			return STYLE_PLAIN;
		switch (s->table.rates->to->tp[tp].state) {
		case TP_ON:
			return STYLE_GOOD;
		case TP_SHED:
		case TP_FAILED:
			return STYLE_WARN;
		default:
			return STYLE_DIM;
		}
	default:
		return STYLE_PLAIN;
	}
}

/* Packets were lost here in the last interval, whether or not the column is in sight. */
static bool row_lost(const struct screen *s, size_t row)
{
	static const enum column_id lost[] = { COL_DROPS_RATE, COL_FAILED_RATE, COL_ERRORS_RATE };
	struct cell cell;

	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		table_cell(&s->table, row, lost[i], &cell);
		if (cell_lost(&cell))
			return true;
	}
	return false;
}

static void row_draw(struct screen *s, size_t row, int y, bool selected, const enum column_id *ids,
		     const struct layout_column *at, int n)
{
	struct terminal *t = s->terminal;
	bool ascii = !terminal_utf8(t);
	struct cell cell;

	if (selected)
		terminal_put(t, y, 0, s->layout.width, STYLE_PLAIN, true, "");
	terminal_put(t, y, 0, 1, STYLE_PLAIN, selected, selected ? ">" : " ");
	if (row_lost(s, row))
		terminal_put(t, y, 1, 1, STYLE_DROPS, selected, "!");
	for (int i = 0; i < n; i++) {
		enum column_id id = ids[at[i].index];
		char text[SNAPSHOT_TEXT_LEN];

		table_cell(&s->table, row, id, &cell);
		cell_text(&cell, text, sizeof(text), s->numbers, ascii);
		/* A number is never cut: its digits would lie. */
		if (columns[id].number && format_width(text) > at[i].width)
			cell_text(&cell, text, sizeof(text), NUMBER_SI, ascii);
		terminal_field(t, y, at[i].x, at[i].width, columns[id].number,
			       cell_style(s, row, id, &cell), selected, text);
	}
}

/* What would count if it were on. */
static void off_text(struct screen *s, struct text *t, uint32_t mask)
{
	const struct snapshot *now = feed_rates(&s->feed)->to;
	char list[256] = "";
	size_t len = 0;

	for (unsigned int i = 0; i < TP_COUNT; i++) {
		enum tp_state state = now->tp[i].state;

		if (!(mask >> i & 1) || !tracepoints[i].key || len > sizeof(list) - 64 ||
		    (state != TP_OFF && state != TP_SHED))
			continue;
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s is %s (press %c)",
					len ? ", " : "", tracepoint_label(s, i),
					tp_state_name(state), tracepoints[i].key);
	}
	if (len)
		text_add(t, STYLE_PLAIN, 0, "", "%s.", list);
}

/* Why there is nothing to see, in words; shown below the rows while nothing has fired. */
static void silence_text(struct screen *s, struct text *t)
{
	const struct rates *r = feed_rates(&s->feed);
	uint32_t mask = views[s->view].tracepoints;
	uint64_t events = 0;
	char age[24];

	if (!r)
		return;
	for (int i = 0; i < TP_COUNT; i++)
		if (mask >> i & 1)
			events += r->to->tp[i].events - (r->base ? r->base->tp[i].events : 0);
	if (s->table.hidden && !s->table.n_rows) {
		text_add(t, STYLE_WARN, 0, "", "The filter leaves out all %zu rows: / changes it.",
			 s->table.hidden);
		return;
	}
	if (s->drill && !s->table.n_rows) {
		text_add(t, STYLE_PLAIN, 0, "",
			 s->source->live
				 ? "No CPU has seen an event of this row. Esc goes back."
				 : "The recording has no counts per CPU for this row (it was made "
				   "without -C). Esc goes back.");
		return;
	}
	if (events) {
		if (!s->table.n_rows)
			text_add(t, STYLE_PLAIN, 0, "", "No row had activity: a shows all rows.");
		return;
	}
	if (r->from) {
		const struct timespec *from = r->base ? &r->base->wall : &s->source->host.start;

		format_age(age, sizeof(age), (double)(r->to->wall.tv_sec - from->tv_sec));
		text_add(t, STYLE_PLAIN, 0, "",
			 "No event since the %s %s ago: all counts are zero.",
			 r->base ? "baseline" : "start", age);
	} else {
		text_add(t, STYLE_PLAIN, 0, "", "The first interval is not over yet.");
	}
	off_text(s, t, mask);
	text_add(
		t, STYLE_PLAIN, 0, "",
		"Events come only from XDP programs that redirect, transmit or fail: `bpftool net` "
		"shows what is attached where.");
}

static void silence_draw(struct screen *s, int y, int lines)
{
	struct text t = { 0 };

	text_clear(&t, s->layout.width - LAYOUT_GUTTER);
	silence_text(s, &t);
	for (int i = 0; i < (int)t.n && i < lines; i++)
		terminal_put(s->terminal, y + i, LAYOUT_GUTTER, t.width, t.line[i].style, false,
			     t.line[i].text);
	text_free(&t);
}

static void table_draw(struct screen *s)
{
	struct look *look = table_look(s);
	enum column_id ids[SHOWN_COLUMNS];
	struct layout_need need[SHOWN_COLUMNS];
	struct layout_column at[LAYOUT_COLUMNS];
	int y = s->layout.body_y, lines = s->layout.body_lines, rows = (int)s->table.n_rows;
	int n, pinned, most;

	n = table_columns(s, ids, &pinned);
	need_set(s, ids, n, need);
	most = layout_columns_scroll(need, n, pinned, LAYOUT_GUTTER, s->layout.width);
	if (look->scroll > most)
		look->scroll = most;
	n = layout_columns(need, n, pinned, look->scroll, LAYOUT_GUTTER, s->layout.width, at);
	if (s->drill) {
		char title[192];

		snprintf(title, sizeof(title), "  CPUs of %s", s->drill_name);
		terminal_put(s->terminal, s->layout.head_y, 0, s->layout.width, STYLE_BOLD, false,
			     title);
		lines--;
	}
	heads_draw(s, ids, at, n, s->drill ? y++ : s->layout.head_y);
	look->list.top = layout_scroll(look->list.top, look->list.cursor, rows, lines);
	for (int i = 0; i < lines && look->list.top + i < rows; i++)
		row_draw(s, (size_t)(look->list.top + i), y + i,
			 look->list.top + i == look->list.cursor, ids, at, n);
	if (rows < lines)
		silence_draw(s, y + rows + (rows && rows + 1 < lines ? 1 : 0),
			     lines - rows - (rows ? 1 : 0));
}

/* Into the CPUs of the selected row; of a CPU row, of the row it belongs to. */
static void drill_into(struct screen *s)
{
	long row = table_selected(s);
	enum column_id ids[SHOWN_COLUMNS];
	int n, pinned;
	size_t len = 0;

	if (row < 0) {
		screen_say(s, false, "no row is selected");
		return;
	}
	n = table_columns(s, ids, &pinned);
	s->drill_name[0] = '\0';
	for (int i = 0; i < n; i++) {
		struct cell cell;

		if (columns[ids[i]].number || ids[i] == COL_KEY || ids[i] == COL_MEANING ||
		    ids[i] == COL_REASON || ids[i] == COL_STATE || ids[i] == COL_LAST_SEEN)
			continue;
		table_cell(&s->table, (size_t)row, ids[i], &cell);
		if (cell.state != CELL_VALUE || cell.type != CELL_TEXT || !*cell.text ||
		    len + strlen(cell.text) + 2 > sizeof(s->drill_name))
			continue;
		len += (size_t)snprintf(s->drill_name + len, sizeof(s->drill_name) - len, "%s%s",
					len ? " " : "", cell.text);
	}
	s->drill = s->table.row[row].parent ? s->table.row[row].parent : s->table.row[row].id;
	s->look_cpus = (struct look){ .sort = COL_SHARE, .descending = true };
	screen_rebuild(s);
}

static void drill_out(struct screen *s)
{
	s->drill = 0;
	screen_rebuild(s);
}

/* The next column to either side, of those shown, by which rows can be told apart. */
static void sort_move(struct screen *s, int step)
{
	struct look *look = table_look(s);
	enum column_id ids[SHOWN_COLUMNS];
	int n, pinned, at = -1;

	n = table_columns(s, ids, &pinned);
	for (int i = 0; i < n; i++)
		if ((int)ids[i] == look->sort)
			at = i;
	if (at < 0)
		at = step > 0 ? 0 : n - 1;
	else
		at = (at + step + n) % n;
	look->sort = ids[at];
	look->descending = columns[ids[at]].descending;
	screen_rebuild(s);
	screen_say(s, false, "sorted by %s (%s): %s", columns[ids[at]].name,
		   look->descending ? "largest first" : "smallest first", columns[ids[at]].help);
}

static void sort_choose(struct screen *s, int column)
{
	struct look *look = table_look(s);

	look->sort = column;
	look->descending = column >= 0 && columns[column].descending;
	screen_rebuild(s);
}

static void sort_menu(struct screen *s)
{
	struct menu *m = &s->menu;
	enum column_id ids[SHOWN_COLUMNS];
	int n, pinned;

	n = table_columns(s, ids, &pinned);
	*m = (struct menu){ .title = "Sort by", .choose = sort_choose };
	snprintf(m->row[0].label, sizeof(m->row[0].label), "table order");
	m->row[0].value = -1;
	m->n = 1;
	for (int i = 0; i < n && m->n < MENU_ROWS; i++) {
		if ((int)ids[i] == table_look(s)->sort)
			m->list.cursor = m->n;
		snprintf(m->row[m->n].label, sizeof(m->row[0].label), "%-14s %s",
			 columns[ids[i]].name, columns[ids[i]].help);
		m->row[m->n++].value = ids[i];
	}
	screen_push(s, &pane_menu);
}

/* In words, what the selected row is about. */
static void table_status(const struct screen *s, char *buf, size_t size)
{
	long row = table_selected(s);

	if (row >= 0 && s->table.row[row].tracepoint >= 0)
		tracepoint_status(s, (unsigned int)s->table.row[row].tracepoint, buf, size);
}

static void table_place(const struct screen *s, char *buf, size_t size)
{
	int len;

	if (!s->table.n_rows)
		return;
	len = snprintf(buf, size, "%ld/%zu", table_selected(s) + 1, s->table.n_rows);
	if (s->table.hidden)
		snprintf(buf + len, size - (size_t)len, " (%zu filtered out)", s->table.hidden);
}

static bool table_act(struct screen *s, enum action action, int code)
{
	struct look *look = table_look(s);
	int rows = (int)s->table.n_rows;

	if (list_act(&look->list, action, rows, s->layout.body_lines - (s->drill ? 1 : 0))) {
		look->picked = rows > 0;
		if (rows)
			look->selected = s->table.row[look->list.cursor].id;
		return true;
	}
	switch (action) {
	case ACTION_LEFT:
		if (look->scroll > 0)
			look->scroll--;
		return true;
	case ACTION_RIGHT:
		look->scroll++; /* drawing clamps it */
		return true;
	case ACTION_ENTER:
		drill_into(s);
		return true;
	case ACTION_BACK:
		drill_out(s);
		return true;
	case ACTION_SORT_LEFT:
		sort_move(s, -1);
		return true;
	case ACTION_SORT_RIGHT:
		sort_move(s, 1);
		return true;
	case ACTION_SORT_MENU:
		sort_menu(s);
		return true;
	case ACTION_REVERSE:
		look->descending = !look->descending;
		screen_rebuild(s);
		return true;
	default:
		return false;
	}
}

const struct pane pane_table = {
	.context = table_context,
	.draw = table_draw,
	.status = table_status,
	.place = table_place,
	.act = table_act,
};
