// SPDX-License-Identifier: GPL-2.0-or-later
/* All tracepoints of this kernel: state, reason, cost, what they are for. */
#include <stdio.h>
#include "base/format.h"
#include "grid.h"
#include "pane.h"

enum { AT_KEY, AT_NAME, AT_STATE, AT_DEFAULT, AT_EVENTS, AT_NS, AT_PERCENT, AT_WHAT, AT_COUNT };

static const struct grid_column columns_of_tracepoints[AT_COUNT] = {
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

static enum style state_style(enum tp_state state)
{
	switch (state) {
	case TP_ON:
		return STYLE_GOOD;
	case TP_OFF:
	case TP_MISSING:
		return STYLE_DIM;
	default:
		return STYLE_WARN;
	}
}

static enum style tracepoints_cell(const struct screen *s, int row, int cell, char *buf,
				   size_t size)
{
	const struct rates *r = snapshots_rates(&s->snapshots);
	int ids[TP_COUNT], id;
	const struct tp_count *tp;

	rows_set(s, ids);
	id = ids[row];
	tp = &snapshots_newest(&s->snapshots)->tp[id];
	switch (cell) {
	case AT_KEY:
		snprintf(buf, size, "%c", tracepoints[id].key ? tracepoints[id].key : '-');
		break;
	case AT_NAME:
		snprintf(buf, size, "%s", tracepoint_label(s, (unsigned int)id));
		break;
	case AT_STATE:
		snprintf(buf, size, "%s%s", tp_state_name(tp->state), tp->pending ? ".." : "");
		return state_style(tp->state);
	case AT_DEFAULT:
		snprintf(buf, size, "%s", tracepoints[id].on ? "on" : "off");
		break;
	case AT_EVENTS:
		if (tp->state == TP_MISSING)
			snprintf(buf, size, "n/a");
		else if (tp->state != TP_ON)
			snprintf(buf, size, "off");
		else if (!r->from || !(r->tp_seconds[id] > 0))
			snprintf(buf, size, "%s", terminal_utf8(s->terminal) ? "·" : ".");
		else
			format_rate(buf, size, per_second(r->tp_events[id], r->tp_seconds[id]),
				    NUMBER_SI);
		break;
	case AT_NS:
		cost_text(buf, size, tp->ns_per_event, false);
		break;
	case AT_PERCENT:
		cost_text(buf, size, tp->cpu_percent, true);
		break;
	default:
		snprintf(buf, size, "%s", tp->reason[0] ? tp->reason : tracepoints[id].what);
	}
	return STYLE_PLAIN;
}

static const struct grid grid = {
	.column = columns_of_tracepoints,
	.n = AT_COUNT,
	.pinned = 2,
	.cell = tracepoints_cell,
};

static void tracepoints_draw(struct screen *s)
{
	int id[TP_COUNT];

	if (snapshots_newest(&s->snapshots))
		grid_draw(s, &grid, &s->tracepoints, rows_set(s, id), s->layout.column_header_y,
			  s->layout.body_lines);
}

static void tracepoints_status(const struct screen *s, char *buf, size_t size)
{
	int id[TP_COUNT], rows = rows_set(s, id);

	if (s->tracepoints.cursor < rows)
		tracepoint_status(s, (unsigned int)id[s->tracepoints.cursor], buf, size);
}

static struct cursor tracepoints_cursor(struct screen *s)
{
	int id[TP_COUNT];

	return (struct cursor){ &s->tracepoints, rows_set(s, id), s->layout.body_lines };
}

void tracepoints_toggle(struct screen *s)
{
	int id[TP_COUNT], rows = rows_set(s, id);

	if (s->tracepoints.cursor < rows)
		tracepoint_toggle(s, (unsigned int)id[s->tracepoints.cursor]);
}

const struct pane pane_tracepoints = {
	.context = tracepoints_context,
	.draw = tracepoints_draw,
	.status = tracepoints_status,
	.cursor = tracepoints_cursor,
};
