// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of the keys that belong to no single pane. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "follow.h"
#include "pane.h"

/* Delay of the early sample that shows the new state after a toggle. */
#define TOGGLE_SHOWN_NS (150 * NSEC_PER_MSEC)

void action_quit(struct screen *s)
{
	s->done = true;
}

void action_help(struct screen *s)
{
	if (screen_context(s) == KEYS_HELP)
		screen_pop(s);
	else
		help_open(s);
}

void action_redraw(struct screen *s)
{
	terminal_redraw(s->terminal);
}

/* Moves the cursor of the top pane, clamped to its rows. */
static void cursor_by(struct screen *s, long by)
{
	const struct pane *pane = screen_pane(s);
	struct cursor c = pane->cursor(s);
	long row;

	if (!c.list)
		return;
	row = c.list->cursor + by;
	if (row >= c.rows)
		row = c.rows - 1;
	c.list->cursor = row < 0 ? 0 : (int)row;
	if (pane->moved)
		pane->moved(s);
}

void cursor_move(struct screen *s)
{
	cursor_by(s, s->step);
}

/* The step is in half pages; a page keeps one line in sight. */
void cursor_page(struct screen *s)
{
	int lines = screen_pane(s)->cursor(s).lines, page = lines > 1 ? lines - 1 : 1;

	cursor_by(s, (page * s->step + (s->step > 0 ? 1 : -1)) / 2);
}

/* To the view, and to the details if they were open, in which `c`, `g` or `m` was pressed. */
static void came_from_return(struct screen *s)
{
	struct came_from from = s->came_from;

	view_show(s, from.view);
	s->before_list = from.before_list;
	if (from.details.fill) {
		s->details = from.details;
		screen_push(s, &pane_details);
	}
}

static void filter_clear(struct screen *s)
{
	screen_say(s, false, "no filter any more; it was: %s", filter_text(s->filter));
	filter_free(s->filter);
	s->filter = NULL;
	screen_rebuild(s);
}

void action_back(struct screen *s)
{
	if (s->depth) {
		screen_pop(s);
		if (!s->depth && s->came_from.graph)
			came_from_return(s);
	} else if (s->filter && !s->drill) {
		filter_clear(s);
	} else if (s->came_from.set) {
		came_from_return(s);
	} else if (views[s->view].rows->list) {
		view_show(s, s->before_list);
	} else {
		key_say_nothing(s);
	}
}

void action_view(struct screen *s)
{
	int n = follow_views(s);

	view_show(s, (enum view_id)(((int)s->view + n + s->step) % n));
}

void view_choose(struct screen *s, int view)
{
	view_show(s, (enum view_id)view);
}

void action_view_menu(struct screen *s)
{
	struct menu *m = &s->menu;

	*m = (struct menu){ .title = "View", .choose = view_choose };
	for (m->n = 0; m->n < follow_views(s) && m->n < MENU_ROWS; m->n++) {
		snprintf(m->row[m->n].label, sizeof(m->row[0].label), "%-10s %s", views[m->n].name,
			 views[m->n].help);
		m->row[m->n].value = m->n;
	}
	m->list.cursor = (int)s->view;
	screen_push(s, &pane_menu);
}

void action_view_digit(struct screen *s)
{
	int view = s->key == '0' ? 9 : s->key - '1';

	if (view < follow_views(s))
		view_show(s, (enum view_id)view);
}

/* Toggles: a second x returns to the view before. */
void action_findings(struct screen *s)
{
	view_show(s, s->view == VIEW_FINDINGS ? s->before_list : VIEW_FINDINGS);
}

void action_tracepoints(struct screen *s)
{
	screen_push(s, &pane_tracepoints);
}

void tracepoint_toggle(struct screen *s, unsigned int id)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);
	const char *name = tracepoint_label(s, id);
	const struct tp_count *tp;
	int on;

	if (!now)
		return;
	tp = &now->tp[id];
	/* The budget shed it; the user wants it on again. */
	on = s->source->ops->toggle(s->source, id, tp->state == TP_SHED ? 1 : -1);
	if (on == -EOPNOTSUPP) {
		screen_say(s, true, "%s: a recording cannot be switched; it was %s then", name,
			   tp_state_name(tp->state));
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
		screen_say(s, false,
			   "%s on: it fires for every packet; its cost stands in the pane t", name);
	}
	if (on >= 0)
		s->sample_at_ns = clock_ns() + TOGGLE_SHOWN_NS;
}

void action_toggle_digit(struct screen *s)
{
	for (unsigned int i = 0; i < TP_COUNT; i++)
		if (tracepoints[i].key == s->key)
			tracepoint_toggle(s, i);
}

void action_verdicts(struct screen *s)
{
	if (!snapshots_newest(&s->snapshots) || *tracepoint_label(s, TP_VERDICTS))
		tracepoint_toggle(s, TP_VERDICTS);
	else if (s->source->live)
		screen_say(
			s, true,
			"start with --verdicts: it counts what programs drop, pass and redirect");
	else
		screen_say(s, true,
			   "no verdicts in this recording: it was made without --verdicts");
}

/*
 * While the user types, what is not finished keeps the previous filter, so that rows do not jump:
 * what is no filter yet, and a word that no row has, but that may become a FIELD.
 */
static void filter_changed(struct screen *s)
{
	struct prompt *p = &s->prompt;
	struct filter *before = s->filter, *f = NULL;

	if (filter_parse(p->text, &f, p->why, sizeof(p->why)))
		return;
	s->filter = f;
	screen_rebuild(s);
	if (s->table.hidden && !s->table.n_rows && filter_is_field(p->text)) {
		s->filter = before;
		before = f;
		screen_rebuild(s);
	}
	filter_free(before);
}

static void filter_set(struct screen *s)
{
	struct prompt *p = &s->prompt;
	struct filter *f = NULL;

	if (filter_parse(p->text, &f, p->why, sizeof(p->why)))
		return;
	filter_free(s->filter);
	s->filter = f;
	screen_rebuild(s);
}

static bool filter_accept(struct screen *s)
{
	filter_set(s);
	return !s->prompt.why[0];
}

static void filter_cancel(struct screen *s)
{
	snprintf(s->prompt.text, sizeof(s->prompt.text), "%s", s->prompt.before);
	filter_set(s);
}

static const struct prompt_kind prompt_filter = {
	.label = "Filter (word, !word, a|b, FIELD=x ~x >1): ",
	.brief = "Filter: ",
	.changed = filter_changed,
	.accept = filter_accept,
	.cancel = filter_cancel,
};

void action_filter(struct screen *s)
{
	prompt_open(&s->prompt, &prompt_filter, s->filter ? filter_text(s->filter) : "");
}

void action_columns(struct screen *s)
{
	s->columns = (struct list){ 0 };
	screen_push(s, &pane_columns);
}

void action_graph(struct screen *s)
{
	if (!table_pick(s))
		return;
	table_home(s);
	s->graph_column = table_state(s)->rate;
	if (!s->graph_column)
		s->graph_column = view_state_rate(&s->view_state[s->view], s->view);
	if (s->graph_column)
		screen_push(s, &pane_graph);
	else
		screen_say(s, false, "this view has no rate to graph");
}

void action_all(struct screen *s)
{
	s->all = !s->all;
	screen_rebuild(s);
	screen_say(s, false, "%s",
		   s->drill ? (s->all ? "all CPUs, also idle ones" : "idle CPUs are folded")
		   : s->all ? "all rows, also those without activity"
			    : "only rows with activity");
}

void action_per_cpu(struct screen *s)
{
	s->per_cpu = !s->per_cpu;
	screen_rebuild(s);
	screen_say(s, false, s->per_cpu ? "the CPUs of all rows" : "all CPUs together");
}

/* Keeps the serial numbers: the selection identifies events by them. */
static int events_copy(struct event_log *to, const struct event_log *from)
{
	event_log_free(to);
	if (!from->event)
		return 0;
	to->event = malloc(EVENT_LOG_MAX * sizeof(*to->event));
	if (!to->event)
		return -ENOMEM;
	memcpy(to->event, from->event, EVENT_LOG_MAX * sizeof(*to->event));
	to->first = from->first;
	to->taken = from->taken;
	return 0;
}

void action_pause(struct screen *s)
{
	/* entered by a key, not asked for with --step */
	if (s->by_step && !s->options->recording.step && !s->snapshots.paused) {
		s->by_step = false;
		screen_say(s, false, "the replay goes on");
		return;
	}
	if ((!s->snapshots.paused && (findings_copy(&s->findings_still, &s->findings) ||
				      events_copy(&s->events_still, &s->events) ||
				      follow_log_copy(&s->followed_still, &s->followed))) ||
	    snapshots_pause(&s->snapshots, !s->snapshots.paused))
		screen_say(s, true, "out of memory: cannot pause");
	else
		history_hold_peaks(&s->row_history.history, s->snapshots.paused);
	screen_rebuild(s);
}

void action_sample(struct screen *s)
{
	if (s->snapshots.paused) {
		screen_say(s, false, "paused: p goes on");
		return;
	}
	if (s->source->live)
		s->sample_at_ns = clock_ns();
	else if (!s->snapshots.ended)
		s->steps++;
}

static bool interval_accept(struct screen *s)
{
	struct prompt *p = &s->prompt;
	char text[PROMPT_SIZE], *end;
	double seconds;

	snprintf(text, sizeof(text), "%s", p->text);
	for (char *c = text; *c; c++)
		if (*c == ',')
			*c = '.';
	/* LC_NUMERIC is C, so strtod() takes a point in every locale. */
	seconds = strtod(text, &end);
	while (*end == ' ' || *end == 's')
		end++;
	if (end == text || *end ||
	    !(seconds >= SOURCE_INTERVAL_MIN && seconds <= SOURCE_INTERVAL_MAX)) {
		snprintf(p->why, sizeof(p->why),
			 "'%.40s' is not a number of seconds from " SOURCE_INTERVAL_RANGE, p->text);
		return false;
	}
	screen_set_interval(s, seconds);
	return true;
}

static const struct prompt_kind prompt_interval = {
	.label = "Interval in seconds (" SOURCE_INTERVAL_RANGE "): ",
	.brief = "Seconds: ",
	.accept = interval_accept,
};

void action_interval(struct screen *s)
{
	char buf[32];

	if (!s->source->live) {
		replay_control_seek(s);
		return;
	}
	snprintf(buf, sizeof(buf), "%g", s->interval_s);
	prompt_open(&s->prompt, &prompt_interval, buf);
}

/* The next longer or shorter interval; of a replay the speed. */
void action_pace(struct screen *s)
{
	static const double intervals[] = {
		SOURCE_INTERVAL_MIN, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600, 1800,
		SOURCE_INTERVAL_MAX
	};
	const int n = sizeof(intervals) / sizeof(intervals[0]);

	if (!s->source->live) {
		replay_control_speed(s, s->step > 0);
		return;
	}
	for (int i = s->step > 0 ? 0 : n - 1; i >= 0 && i < n; i += s->step) {
		if ((intervals[i] / s->interval_s - 1) * s->step > 0.001) {
			screen_set_interval(s, intervals[i]);
			return;
		}
	}
	screen_say(s, false, "the %s interval is %g s", s->step > 0 ? "longest" : "shortest",
		   s->step > 0 ? (double)SOURCE_INTERVAL_MAX : SOURCE_INTERVAL_MIN);
}

void action_unit(struct screen *s)
{
	static const char *const names[] = {
		[UNIT_PER_SECOND] = "rates per second",
		[UNIT_PER_INTERVAL] = "counts of the last interval",
		[UNIT_SINCE_BASELINE] = "counts since the baseline, or the start without one",
	};

	s->unit = (s->unit + 1) % 3;
	screen_rebuild(s);
	screen_say(s, false, "%s", names[s->unit]);
}

void action_numbers(struct screen *s)
{
	static const char *const names[] = {
		[NUMBER_SI] = "numbers shortened: 1.23M",
		[NUMBER_RAW] = "numbers in full: 1234567",
		[NUMBER_GROUPED] = "numbers in full, grouped: 1,234,567",
	};

	s->numbers = (s->numbers + 1) % 3;
	screen_say(s, false, "%s", names[s->numbers]);
}

void action_baseline(struct screen *s)
{
	if (snapshots_baseline(&s->snapshots))
		screen_say(s, true, "out of memory: the old baseline stays");
	else
		screen_say(s, false, "baseline: totals and peaks count from here");
	history_forget_peaks(&s->row_history.history);
	screen_rebuild(s);
}
