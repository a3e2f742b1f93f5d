// SPDX-License-Identifier: GPL-2.0-or-later
/* All tracepoints of this kernel: state, reason, cost, what they are for. */
#include <stdio.h>
#include "../src/format.h"
#include "pane.h"

enum { AT_KEY, AT_NAME, AT_STATE, AT_DEFAULT, AT_EVENTS, AT_NS, AT_PERCENT, AT_WHAT, AT_COUNT };

static const struct {
	const char *title;
	struct layout_need need;
	bool number;
} cells[AT_COUNT] = {
	[AT_KEY] = { "K", { 1, 0 }, false },
	[AT_NAME] = { "TRACEPOINT", { 20, 0 }, false },
	[AT_STATE] = { "STATE", { 8, 0 }, false },
	[AT_DEFAULT] = { "START", { 5, 0 }, false },
	[AT_EVENTS] = { "EVENTS/S", { 8, 0 }, true },
	[AT_NS] = { "NS/EVENT", { 8, 0 }, true },
	[AT_PERCENT] = { "%CPU", { 6, 0 }, true },
	[AT_WHAT] = { "REASON, OR WHAT IT IS FOR", { 20, 1 }, false },
};

/* Rows are the tracepoints that have a name; returns how many. */
static int rows_set(const struct screen *s, int id[TP_COUNT])
{
	int n = 0;

	for (int i = 0; i < TP_COUNT; i++)
		if (*tracepoint_label(s, (unsigned int)i))
			id[n++] = i;
	return n;
}

static enum key_context tracepoints_context(const struct screen *s)
{
	return KEYS_TRACEPOINTS;
}

static void cost_text(char *buf, size_t size, double cost, bool percent)
{
	if (cost < 0)
		snprintf(buf, size, "-");
	else if (percent)
		format_percent(buf, size, cost);
	else
		snprintf(buf, size, "%.*f", cost < 99.95 ? 1 : 0, cost);
}

static void cell_set(const struct screen *s, int id, int cell, char *buf, size_t size)
{
	const struct rates *r = feed_rates(&s->feed);
	const struct tp_count *tp = &feed_newest(&s->feed)->tp[id];

	buf[0] = '\0';
	switch (cell) {
	case AT_KEY:
		snprintf(buf, size, "%c", tracepoints[id].key ? tracepoints[id].key : '-');
		return;
	case AT_NAME:
		snprintf(buf, size, "%s", tracepoint_label(s, (unsigned int)id));
		return;
	case AT_STATE:
		snprintf(buf, size, "%s%s", tp_state_name(tp->state), tp->pending ? ".." : "");
		return;
	case AT_DEFAULT:
		snprintf(buf, size, "%s", tracepoints[id].on ? "on" : "off");
		return;
	case AT_EVENTS:
		if (tp->state == TP_MISSING)
			snprintf(buf, size, "n/a");
		else if (tp->state != TP_ON)
			snprintf(buf, size, "off");
		else if (!r->from || !(r->tp_seconds[id] > 0))
			snprintf(buf, size, "%s", terminal_utf8(s->terminal) ? "·" : ".");
		else
			format_rate(buf, size, (double)r->tp_events[id] / r->tp_seconds[id],
				    NUMBER_SI);
		return;
	case AT_NS:
		cost_text(buf, size, tp->ns_per_event, false);
		return;
	case AT_PERCENT:
		cost_text(buf, size, tp->cpu_percent, true);
		return;
	default:
		snprintf(buf, size, "%s", tp->reason[0] ? tp->reason : tracepoints[id].what);
	}
}

static void tracepoints_draw(struct screen *s)
{
	struct terminal *t = s->terminal;
	struct list *l = &s->tracepoints;
	struct layout_need need[AT_COUNT];
	struct layout_column at[AT_COUNT];
	int id[TP_COUNT], rows = rows_set(s, id), lines = s->layout.body_lines, n;

	for (int i = 0; i < AT_COUNT; i++)
		need[i] = cells[i].need;
	n = layout_columns(need, AT_COUNT, 2, 0, LAYOUT_GUTTER, s->layout.width, at);
	terminal_put(t, s->layout.head_y, 0, s->layout.width, STYLE_HEAD, false, "");
	for (int i = 0; i < n; i++)
		terminal_field(t, s->layout.head_y, at[i].x, at[i].width, cells[at[i].index].number,
			       STYLE_HEAD, false, cells[at[i].index].title);
	if (!feed_newest(&s->feed))
		return;
	l->top = layout_scroll(l->top, l->cursor, rows, lines);
	for (int row = l->top; row < rows && row - l->top < lines; row++) {
		int y = s->layout.body_y + row - l->top;
		bool selected = row == l->cursor;
		enum tp_state state = feed_newest(&s->feed)->tp[id[row]].state;

		terminal_put(t, y, 0, s->layout.width, STYLE_PLAIN, selected, selected ? ">" : "");
		for (int i = 0; i < n; i++) {
			char buf[SNAPSHOT_REASON_LEN + 256];
			enum style style = at[i].index != AT_STATE                  ? STYLE_PLAIN
					   : state == TP_ON                         ? STYLE_GOOD
					   : state == TP_OFF || state == TP_MISSING ? STYLE_DIM
										    : STYLE_WARN;

			cell_set(s, id[row], at[i].index, buf, sizeof(buf));
			terminal_field(t, y, at[i].x, at[i].width, cells[at[i].index].number, style,
				       selected, buf);
		}
	}
}

static void tracepoints_status(const struct screen *s, char *buf, size_t size)
{
	int id[TP_COUNT], rows = rows_set(s, id);

	if (s->tracepoints.cursor < rows)
		tracepoint_status(s, (unsigned int)id[s->tracepoints.cursor], buf, size);
}

static bool tracepoints_act(struct screen *s, enum action action, int code)
{
	struct list *l = &s->tracepoints;
	int id[TP_COUNT], rows = rows_set(s, id);

	if (list_act(l, action, rows, s->layout.body_lines))
		return true;
	if (action == ACTION_BACK) {
		screen_pop(s);
		return true;
	}
	if (action == ACTION_TOGGLE_ROW && l->cursor < rows) {
		command_toggle(s, (unsigned int)id[l->cursor]);
		return true;
	}
	return false;
}

const struct pane pane_tracepoints = {
	.context = tracepoints_context,
	.draw = tracepoints_draw,
	.status = tracepoints_status,
	.act = tracepoints_act,
};
