// SPDX-License-Identifier: GPL-2.0-or-later
/* Rare events, newest first: what happened once and has a text of its own. */
#include <stdio.h>
#include "../src/format.h"
#include "grid.h"
#include "pane.h"

enum { AT_TIME, AT_CPU, AT_TRACEPOINT, AT_DEVICE, AT_PROGRAM, AT_PROCESS, AT_TEXT, AT_COUNT };

static const struct grid_column columns_of_events[AT_COUNT] = {
	[AT_TIME] = { "TIME", { 8, 0 }, false },
	[AT_CPU] = { "CPU", { 3, 0 }, true },
	[AT_TRACEPOINT] = { "TRACEPOINT", { 14, 2 }, false },
	[AT_DEVICE] = { "DEVICE", { 10, 0 }, false },
	[AT_PROGRAM] = { "PROGRAM", { 8, 1 }, false },
	[AT_PROCESS] = { "PROCESS", { 10, 1 }, false },
	[AT_TEXT] = { "TEXT", { 20, 4 }, false },
};

/* A paused screen shows none that came later. */
static uint64_t taken(const struct screen *s)
{
	return s->feed.paused ? s->events_paused : s->events.taken;
}

static int count(const struct screen *s)
{
	return event_log_count(&s->events, taken(s));
}

/*
 * The selection is a place while it is the newest event, and an event once the user moved: its
 * serial number keeps it when newer ones push it down.
 */
static void selection_follow(struct screen *s)
{
	int rows = count(s);

	if (!s->event_picked)
		s->event_list.cursor = 0;
	else if (taken(s) > s->event_picked)
		s->event_list.cursor = (int)(taken(s) - s->event_picked);
	if (s->event_list.cursor >= rows)
		s->event_list.cursor = rows > 0 ? rows - 1 : 0;
}

static enum key_context events_context(const struct screen *s)
{
	return KEYS_EVENTS;
}

static enum style events_cell(const struct screen *s, int row, int column, char *buf, size_t size)
{
	const struct event *e = event_log_get(&s->events, taken(s), row);

	switch (column) {
	case AT_TIME:
		format_clock(buf, size, &e->time);
		break;
	case AT_CPU:
		if (e->cpu < 0)
			snprintf(buf, size, "-");
		else
			snprintf(buf, size, "%d", e->cpu);
		break;
	case AT_TRACEPOINT:
		snprintf(buf, size, "%s", tracepoint_label(s, e->tracepoint));
		break;
	case AT_DEVICE:
		snprintf(buf, size, "%s", e->ifname[0] ? e->ifname : "-");
		break;
	case AT_PROGRAM:
		snprintf(buf, size, "%s", e->prog_name[0] ? e->prog_name : "-");
		break;
	case AT_PROCESS:
		if (e->pid)
			snprintf(buf, size, "%s %u", e->comm, e->pid);
		else
			snprintf(buf, size, "-");
		break;
	default:
		snprintf(buf, size, "%s", e->text[0] ? e->text : "(no message)");
	}
	return tracepoints[e->tracepoint].failure && column == AT_TEXT ? STYLE_DROPS : STYLE_PLAIN;
}

static const struct grid grid = {
	.column = columns_of_events,
	.n = AT_COUNT,
	.pinned = 1,
	.cell = events_cell,
};

static void events_draw(struct screen *s)
{
	int rows = count(s);

	selection_follow(s);
	grid_draw(s, &grid, &s->event_list, rows, s->layout.head_y, s->layout.body_lines);
	if (!rows)
		terminal_put(s->terminal, s->layout.body_y, LAYOUT_GUTTER,
			     s->layout.width - LAYOUT_GUTTER, STYLE_PLAIN, false,
			     "No rare event so far (failed attach, memory of queues).");
}

static void events_fill(struct screen *s)
{
	const struct event *e;
	char when[40], where[80];

	if (!count(s))
		return;
	selection_follow(s);
	e = event_log_get(&s->events, taken(s), s->event_list.cursor);
	format_time(when, sizeof(when), &e->time);
	text_add(&s->text, STYLE_SORT, 0, "", "%s", tracepoint_label(s, e->tracepoint));
	text_add(&s->text, STYLE_PLAIN, 12, "time", "%s", when);
	if (e->cpu >= 0)
		text_add(&s->text, STYLE_PLAIN, 12, "CPU", "%d", e->cpu);
	if (e->ifname[0])
		text_add(&s->text, STYLE_PLAIN, 12, "device", "%s", e->ifname);
	if (netns_text(e->netns, s->netns, where, sizeof(where)) > 0)
		text_add(&s->text, STYLE_PLAIN, 12, "netns", "%s", where);
	if (e->prog_name[0])
		text_add(&s->text, STYLE_PLAIN, 12, "program", "%s %u", e->prog_name, e->prog_id);
	if (e->pid)
		text_add(&s->text, STYLE_PLAIN, 12, "process", "%s %u", e->comm, e->pid);
	text_add(&s->text, STYLE_PLAIN, 12, "text", "%s", e->text[0] ? e->text : "(no message)");
	text_add(&s->text, STYLE_DIM, 12, "means", "%s", tracepoints[e->tracepoint].what);
}

static bool events_act(struct screen *s, enum action action, int code)
{
	int rows = count(s);

	if (list_act(&s->event_list, action, rows, s->layout.body_lines)) {
		/* Serial numbers from 1: the newest has `taken`. */
		s->event_picked = s->event_list.cursor && rows
					  ? taken(s) - (uint64_t)s->event_list.cursor
					  : 0;
		return true;
	}
	if (action == ACTION_ENTER || action == ACTION_EXPLAIN) {
		if (rows)
			text_open(s, "The selected event", events_fill);
		else
			screen_say(s, false, "no event is selected");
		return true;
	}
	return false;
}

static void events_place(const struct screen *s, char *buf, size_t size)
{
	const struct snapshot *now = feed_newest(&s->feed);

	snprintf(buf, size, "%d/%d", count(s) ? s->event_list.cursor + 1 : 0, count(s));
	if (now && now->events_lost)
		snprintf(buf, size, "%d/%d (%llu lost)", s->event_list.cursor + 1, count(s),
			 (unsigned long long)now->events_lost);
}

static void events_status(const struct screen *s, char *buf, size_t size)
{
	if (count(s) > s->event_list.cursor)
		events_cell(s, s->event_list.cursor, AT_TEXT, buf, size);
}

const struct pane pane_events = {
	.context = events_context,
	.draw = events_draw,
	.act = events_act,
	.place = events_place,
	.status = events_status,
};
