// SPDX-License-Identifier: GPL-2.0-or-later
/* All tracepoints: state, reason, cost, purpose. */
#include <stdio.h>
#include "base/format.h"
#include "pane.h"

/* Fills in the ids of named tracepoints, one per row; returns the count. */
static int rows_set(const struct screen *s, unsigned int id[TP_COUNT])
{
	int n = 0;

	for (unsigned int i = 0; i < TP_COUNT; i++)
		if (*tracepoint_label(s, i))
			id[n++] = i;
	return n;
}

struct tp_cell {
	const struct screen *s;
	unsigned int id;
	const struct tp_count *tp; /* newest, also during a pause: toggles take effect then, too */
	char *buf;
	size_t size;
};

static void key_print(const struct tp_cell *c)
{
	snprintf(c->buf, c->size, "%c", tracepoints[c->id].key ? tracepoints[c->id].key : '-');
}

static void name_print(const struct tp_cell *c)
{
	snprintf(c->buf, c->size, "%s", tracepoint_label(c->s, c->id));
}

static void state_print(const struct tp_cell *c)
{
	snprintf(c->buf, c->size, "%s%s", tp_state_name(c->tp->state), c->tp->pending ? ".." : "");
}

static void start_print(const struct tp_cell *c)
{
	snprintf(c->buf, c->size, "%s", tracepoints[c->id].on ? "on" : "off");
}

static void events_print(const struct tp_cell *c)
{
	const struct rates *r = snapshots_rates(&c->s->snapshots);

	if (c->tp->state == TP_MISSING)
		snprintf(c->buf, c->size, "n/a");
	else if (c->tp->state != TP_ON)
		snprintf(c->buf, c->size, "off");
	else if (!r->from || !(r->tp_seconds[c->id] > 0))
		snprintf(c->buf, c->size, "%s", terminal_utf8(c->s->terminal) ? "·" : ".");
	else
		format_rate(c->buf, c->size,
			    per_second((double)r->tp_events[c->id], r->tp_seconds[c->id]),
			    NUMBER_SI);
}

/* Last measured cost, also if the tracepoint is off now. */
static void ns_print(const struct tp_cell *c)
{
	double ns = c->tp->ns_per_event;

	if (ns < 0)
		snprintf(c->buf, c->size, "-");
	else
		snprintf(c->buf, c->size, "%.*f", ns < 99.95 ? 1 : 0, ns);
}

static void percent_print(const struct tp_cell *c)
{
	if (c->tp->cpu_percent < 0)
		snprintf(c->buf, c->size, "-");
	else
		format_percent(c->buf, c->size, c->tp->cpu_percent);
}

static void what_print(const struct tp_cell *c)
{
	snprintf(c->buf, c->size, "%s", c->tp->reason[0] ? c->tp->reason : tracepoints[c->id].what);
}

static enum style state_style(enum tp_state state)
{
	switch (state) {
	case TP_ON:
		return STYLE_GOOD;
	case TP_SHED:
	case TP_FAILED:
		return STYLE_WARN;
	default:
		return STYLE_DIM;
	}
}

#define PINNED 2

static const struct {
	const char *title;
	struct column_need need;
	bool number;
	void (*print)(const struct tp_cell *c);
} tp_columns[] = {
	{ "K", { 1, 0 }, false, key_print },
	{ "TRACEPOINT", { 20, 0 }, false, name_print },
	{ "STATE", { 8, 0 }, false, state_print },
	{ "START", { 5, 0 }, false, start_print },
	{ "EVENTS/S", { 8, 0 }, true, events_print },
	{ "NS/EVENT", { 8, 0 }, true, ns_print },
	{ "%CPU", { 6, 0 }, true, percent_print },
	{ "REASON, OR WHAT IT IS FOR", { 20, 1 }, false, what_print },
};
#define N_COLUMNS (int)(sizeof(tp_columns) / sizeof(tp_columns[0]))

static void row_draw(struct screen *s, unsigned int id, int y, bool selected,
		     const struct column_place *at, int n)
{
	char buf[SNAPSHOT_TEXT_LEN + 64];
	struct tp_cell c = { s, id, &snapshots_newest(&s->snapshots)->tp[id], buf, sizeof(buf) };

	terminal_put(s->terminal, y, 0, s->layout.width, STYLE_PLAIN, selected,
		     selected ? ">" : "");
	for (int i = 0; i < n; i++) {
		int column = at[i].index;
		enum style style = tp_columns[column].print == state_print
					   ? state_style(c.tp->state)
					   : STYLE_PLAIN;

		tp_columns[column].print(&c);
		terminal_field(s->terminal, y, at[i].x, at[i].width, tp_columns[column].number,
			       style, selected, buf);
	}
}

static void tracepoints_draw(struct screen *s)
{
	int lines = s->layout.body_lines, y = s->layout.column_header_y, rows, n;
	struct column_place at[COLUMN_LAYOUT_MAX];
	struct column_need need[N_COLUMNS];
	struct list *l = &s->tracepoints;
	unsigned int id[TP_COUNT];

	if (!snapshots_newest(&s->snapshots))
		return;
	rows = rows_set(s, id);
	for (int i = 0; i < N_COLUMNS; i++)
		need[i] = tp_columns[i].need;
	n = column_layout_place(need, N_COLUMNS, PINNED, 0, LAYOUT_GUTTER, s->layout.width, at);
	terminal_put(s->terminal, y, 0, s->layout.width, STYLE_COLUMN_HEADER, false, "");
	for (int i = 0; i < n; i++)
		terminal_field(s->terminal, y, at[i].x, at[i].width, tp_columns[at[i].index].number,
			       STYLE_COLUMN_HEADER, false, tp_columns[at[i].index].title);
	if (l->cursor >= rows)
		l->cursor = rows > 0 ? rows - 1 : 0;
	l->top = layout_scroll(l->top, l->cursor, rows, lines);
	for (int i = l->top; i < rows && i - l->top < lines; i++)
		row_draw(s, id[i], ++y, i == l->cursor, at, n);
}

static void tracepoints_status(const struct screen *s, char *buf, size_t size)
{
	unsigned int id[TP_COUNT];
	int rows = rows_set(s, id);

	if (s->tracepoints.cursor < rows)
		tracepoint_status(s, id[s->tracepoints.cursor], buf, size);
}

static struct cursor tracepoints_cursor(struct screen *s)
{
	unsigned int id[TP_COUNT];

	return (struct cursor){ &s->tracepoints, rows_set(s, id), s->layout.body_lines };
}

void tracepoints_toggle(struct screen *s)
{
	unsigned int id[TP_COUNT];
	int rows = rows_set(s, id);

	if (s->tracepoints.cursor < rows)
		tracepoint_toggle(s, id[s->tracepoints.cursor]);
}

const struct pane pane_tracepoints = {
	.context = KEYS_TRACEPOINTS,
	.draw = tracepoints_draw,
	.status = tracepoints_status,
	.cursor = tracepoints_cursor,
};
