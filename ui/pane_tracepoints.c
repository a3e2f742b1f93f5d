// SPDX-License-Identifier: GPL-2.0-or-later
/* All tracepoints: state, reason, cost, purpose. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/format.h"
#include "actions.h"
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

enum {
	COLUMN_KEY,
	COLUMN_NAME,
	COLUMN_STATE,
	COLUMN_START,
	COLUMN_EVENTS,
	COLUMN_NS,
	COLUMN_PERCENT,
	COLUMN_WHAT,
	N_COLUMNS,
};

#define PINNED 2

static const struct {
	const char *title;
	struct column_need need;
	unsigned int align; /* STYLE_RIGHT or 0 */
} tp_columns[] = {
	[COLUMN_KEY] = { "K", { .width = 1, .share = 1, .least = 1 }, 0 },
	[COLUMN_NAME] = { "TRACEPOINT", { .width = 26, .share = 20, .least = 20 }, 0 },
	[COLUMN_STATE] = { "STATE", { .width = 8, .share = 8, .least = 8 }, 0 },
	[COLUMN_START] = { "START", { .width = 5, .share = 5, .least = 5 }, 0 },
	[COLUMN_EVENTS] = { "EVENTS/S", { .width = 8, .share = 8, .least = 8 }, STYLE_RIGHT },
	[COLUMN_NS] = { "NS", { .width = 8, .share = 8, .least = 8 }, STYLE_RIGHT },
	[COLUMN_PERCENT] = { "CPU%", { .width = 6, .share = 6, .least = 6 }, STYLE_RIGHT },
	[COLUMN_WHAT] = { "REASON OR PURPOSE", { .width = INT16_MAX, .share = 20, .least = 8 }, 0 },
};

/* `tp` is the newest even during a pause, because toggles take effect then. */
static void cell_print(const struct screen *s, unsigned int id, int column,
		       const struct tp_count *tp, char *buf, size_t size)
{
	const struct rates *r = snapshots_rates(&s->snapshots);
	const struct tracepoint *t = &tracepoints[id];
	double ns = tp->ns_per_event; /* the last one measured, even if it is off now */

	switch (column) {
	case COLUMN_KEY:
		snprintf(buf, size, "%c", t->key ? t->key : '-');
		break;
	case COLUMN_NAME:
		snprintf(buf, size, "%s", tracepoint_label(s, id));
		break;
	case COLUMN_STATE:
		snprintf(buf, size, "%s%s", tp_state_name(tp->state), tp->pending ? ".." : "");
		break;
	case COLUMN_START:
		snprintf(buf, size, "%s", t->on ? "on" : "off");
		break;
	case COLUMN_EVENTS:
		if (tp->state != TP_ON)
			snprintf(buf, size, "%s", tp->state == TP_MISSING ? "n/a" : "off");
		else if (!r->from || !(r->tp_seconds[id] > 0))
			snprintf(buf, size, "%s", s->terminal->utf8 ? "·" : ".");
		else
			format_rate(buf, size,
				    per_second((double)r->tp_events[id], r->tp_seconds[id]),
				    NUMBER_SI);
		break;
	case COLUMN_NS:
		if (ns < 0)
			snprintf(buf, size, "-");
		else
			snprintf(buf, size, "%.*f", ns < 99.95 ? 1 : 0, ns);
		break;
	case COLUMN_PERCENT:
		if (tp->cpu_percent < 0)
			snprintf(buf, size, "-");
		else
			format_percent(buf, size, tp->cpu_percent);
		break;
	default:
		snprintf(buf, size, "%s", tp->reason[0] ? tp->reason : t->what);
	}
}

static void row_draw(struct screen *s, unsigned int id, int y, unsigned int selected,
		     const struct column_layout *layout)
{
	static const enum style styles[] = {
		[TP_OFF] = STYLE_DIM,     [TP_ON] = STYLE_GOOD,   [TP_MISSING] = STYLE_DIM,
		[TP_FAILED] = STYLE_WARN, [TP_SHED] = STYLE_WARN,
	};
	const struct tp_count *tp = &snapshots_newest(&s->snapshots)->tp[id];
	char buf[SNAPSHOT_TEXT_LEN + 64];

	terminal_put(s->terminal, y, 0, s->layout.width, selected, selected ? ">" : "");
	for (int i = 0; i < layout->n; i++) {
		const struct column_place *at = &layout->at[i];
		int column = at->index;

		cell_print(s, id, column, tp, buf, sizeof(buf));
		terminal_put(s->terminal, y, at->x, at->width,
			     (column == COLUMN_STATE && !selected ? styles[tp->state]
								  : STYLE_PLAIN) |
				     tp_columns[column].align | selected,
			     buf);
	}
}

static void tracepoints_draw(struct screen *s)
{
	int lines = s->layout.body_lines, y = s->layout.column_header_y, rows;
	struct column_layout layout;
	struct column_need need[N_COLUMNS];
	struct list *list = &s->tracepoints;
	unsigned int id[TP_COUNT];

	if (!snapshots_newest(&s->snapshots))
		return;
	rows = rows_set(s, id);
	for (int i = 0; i < N_COLUMNS; i++)
		need[i] = tp_columns[i].need;
	column_layout_place(need, N_COLUMNS, PINNED, 0, LAYOUT_GUTTER, s->layout.width, &layout);
	title_draw(s, STYLE_COLUMN_HEADER, "");
	for (int i = 0; i < layout.n; i++)
		terminal_put(s->terminal, y, layout.at[i].x, layout.at[i].width,
			     STYLE_COLUMN_HEADER | tp_columns[layout.at[i].index].align,
			     tp_columns[layout.at[i].index].title);
	layout_scroll(list, rows, lines);
	for (int i = list->top; i < rows && i - list->top < lines; i++)
		row_draw(s, id[i], ++y, i == list->cursor ? STYLE_SELECTED : 0, &layout);
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

	return (struct cursor){ &s->tracepoints, rows_set(s, id), s->layout.body_lines,
				s->layout.body_y };
}

/* Delay of the early sample that shows the new state after a toggle. */
#define TOGGLE_SHOWN_NS (150 * NSEC_PER_MSEC)

void tracepoint_toggle(struct screen *s, unsigned int id)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);
	const char *name = tracepoint_label(s, id);
	const struct tp_count *tp;
	int on;

	if (!now)
		return;
	tp = &now->tp[id];
	/* Turn it on again if the budget shed it. */
	on = s->source->ops->toggle(s->source, id, tp->state == TP_SHED ? 1 : -1);
	if (on == -EOPNOTSUPP) {
		screen_say(s, true, "%s: cannot switch tracepoints in a recording (it was %s)",
			   name, tp_state_name(tp->state));
	} else if (on == -ENOENT) {
		screen_say(s, true, "%s is %s: %s", name, tp_state_name(tp->state),
			   tp->reason[0] ? tp->reason : "not in this kernel");
	} else if (on < 0) {
		screen_say(s, true, "%s cannot be switched: %s", name, strerror(-on));
	} else if (!on || !tracepoints[id].per_packet) {
		screen_say(s, false, "%s %s", name, on ? "on" : "off: it costs nothing now");
	} else if (tp->ns_per_event >= 0) {
		screen_say(s, false, "%s on: it cost %.0f ns per event here so far", name,
			   tp->ns_per_event);
	} else {
		screen_say(s, false, "%s on: it fires for every packet; press t for its cost",
			   name);
	}
	if (on >= 0)
		s->sample_at_ns = clock_ns() + TOGGLE_SHOWN_NS;
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
