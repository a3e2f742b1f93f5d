// SPDX-License-Identifier: GPL-2.0-or-later
/* What a key does where no pane gives it a meaning of its own. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "pane.h"

/* After a switch was asked for, the new state is shown this soon. */
#define TOGGLE_SHOWN_NS 150000000u

static void quit(struct screen *s, int code)
{
	s->done = true;
}

static void help(struct screen *s, int code)
{
	text_open(s, "Help", help_fill);
}

static void suspend(struct screen *s, int code)
{
	screen_suspend(s);
}

static void redraw(struct screen *s, int code)
{
	terminal_redraw(s->terminal);
}

static void view_next(struct screen *s, int code)
{
	view_show(s, (s->view + 1) % VIEW_COUNT);
}

static void view_previous(struct screen *s, int code)
{
	view_show(s, (s->view + VIEW_COUNT - 1) % VIEW_COUNT);
}

static void view_choose(struct screen *s, int view)
{
	view_show(s, (enum view_id)view);
}

static void view_menu(struct screen *s, int code)
{
	struct menu *m = &s->menu;

	*m = (struct menu){ .title = "View", .choose = view_choose };
	for (m->n = 0; m->n < VIEW_COUNT && m->n < MENU_ROWS; m->n++) {
		snprintf(m->row[m->n].label, sizeof(m->row[0].label), "%-10s %s", views[m->n].name,
			 views[m->n].help);
		m->row[m->n].value = m->n;
	}
	m->list.cursor = (int)s->view;
	screen_push(s, &pane_menu);
}

/* A second x goes back to where the first one came from. */
static void findings(struct screen *s, int code)
{
	view_show(s, s->view == VIEW_FINDINGS ? s->before_list : VIEW_FINDINGS);
}

static void tracepoint_pane(struct screen *s, int code)
{
	screen_push(s, &pane_tracepoints);
}

void command_toggle(struct screen *s, unsigned int id)
{
	const struct snapshot *now = feed_newest(&s->feed);
	const char *name = tracepoint_label(s, id);
	const struct tp_count *tp;
	int on;

	if (!now)
		return;
	tp = &now->tp[id];
	/* shed: it was switched off by the budget, and is wanted again */
	on = s->source->ops->toggle(s->source, id, tp->state == TP_SHED ? 1 : -1);
	if (on == -EOPNOTSUPP) {
		screen_say(s, true, "%s: a recording cannot be switched; it was %s then", name,
			   tp_state_name(tp->state));
	} else if (on == -ENOENT) {
		screen_say(s, true, "%s is %s: %s", name, tp_state_name(tp->state),
			   tp->reason[0] ? tp->reason : "not in this kernel");
	} else if (on < 0) {
		screen_say(s, true, "%s cannot be switched: %s", name, strerror(-on));
	} else {
		if (on && tracepoints[id].per_packet && tp->ns_per_event >= 0)
			screen_say(s, false, "%s on: it cost %.0f ns per event here so far", name,
				   tp->ns_per_event);
		else if (on && tracepoints[id].per_packet)
			screen_say(
				s, false,
				"%s on: it fires for every packet; its cost stands in the pane t",
				name);
		else
			screen_say(s, false, "%s %s", name,
				   on ? "on" : "off: it costs nothing now");
		s->sample_at_ns = monotonic_ns() + TOGGLE_SHOWN_NS;
	}
}

static void toggle_digit(struct screen *s, int code)
{
	for (unsigned int i = 0; i < TP_COUNT; i++)
		if (tracepoints[i].key == code)
			command_toggle(s, i);
}

static void filter(struct screen *s, int code)
{
	prompt_open(s, &prompt_filter, s->filter ? filter_text(s->filter) : "");
}

static void column_pane(struct screen *s, int code)
{
	s->columns = (struct list){ 0 };
	screen_push(s, &pane_columns);
}

static void graph(struct screen *s, int code)
{
	int ids[HISTORY_VALUES];

	if (!table_pick(s))
		return;
	if (!shown_rates(s->view, ids)) {
		screen_say(s, false, "this view has no rate to graph");
		return;
	}
	s->graph_value = tracker_value(s->view, s->look[s->view].rate);
	screen_push(s, &pane_graph);
}

static void all(struct screen *s, int code)
{
	s->all = !s->all;
	screen_rebuild(s);
	if (s->drill)
		screen_say(s, false, s->all ? "all CPUs, also idle ones" : "idle CPUs are folded");
	else
		screen_say(s, false,
			   s->all ? "all rows, also those without activity"
				  : "only rows with activity");
}

static void cpus(struct screen *s, int code)
{
	if (view_is_list(s->view)) {
		follow_selected(s);
		return;
	}
	s->per_cpu = !s->per_cpu;
	screen_rebuild(s);
	screen_say(s, false, s->per_cpu ? "the CPUs of all rows" : "all CPUs together");
}

/* With their serial numbers, by which the selection knows them. */
static int events_copy(struct event_log *to, const struct event_log *from)
{
	int n = event_log_count(from, from->taken);
	struct snapshot all;

	event_log_free(to);
	snapshot_init(&all);
	for (int i = n - 1; i >= 0; i--) {
		struct event *e = snapshot_add_event(&all);

		if (!e) {
			snapshot_free(&all);
			return -ENOMEM;
		}
		*e = *event_log_get(from, from->taken, i);
	}
	to->first = to->taken = from->taken - (uint64_t)n;
	event_log_take(to, &all);
	snapshot_free(&all);
	return 0;
}

static void freeze(struct screen *s, int code)
{
	if ((!s->feed.paused && (findings_copy(&s->findings_still, &s->findings) ||
				 events_copy(&s->events_still, &s->events))) ||
	    feed_pause(&s->feed, !s->feed.paused))
		screen_say(s, true, "out of memory: cannot pause");
	else if (s->tracker.history)
		history_hold_peaks(s->tracker.history, s->feed.paused);
	screen_rebuild(s);
}

static void sample(struct screen *s, int code)
{
	if (s->feed.paused) {
		screen_say(s, false, "paused: p goes on");
		return;
	}
	screen_sample(s);
}

static void interval(struct screen *s, int code)
{
	char buf[32];

	if (!s->source->live) {
		replay_prompt(s);
		return;
	}
	snprintf(buf, sizeof(buf), "%g", s->interval_s);
	prompt_open(s, &prompt_interval, buf);
}

static const double intervals[] = { 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600, 1800, 3600 };
#define N_INTERVALS (int)(sizeof(intervals) / sizeof(intervals[0]))

static void slower(struct screen *s, int code)
{
	if (!s->source->live) {
		replay_faster(s, true);
		return;
	}
	for (int i = 0; i < N_INTERVALS; i++) {
		if (intervals[i] > s->interval_s * 1.001) {
			screen_set_interval(s, intervals[i]);
			return;
		}
	}
	screen_say(s, false, "the longest interval is 3600 s");
}

static void faster(struct screen *s, int code)
{
	if (!s->source->live) {
		replay_faster(s, false);
		return;
	}
	for (int i = N_INTERVALS - 1; i >= 0; i--) {
		if (intervals[i] < s->interval_s * 0.999) {
			screen_set_interval(s, intervals[i]);
			return;
		}
	}
	screen_say(s, false, "the shortest interval is 0.1 s");
}

static void unit(struct screen *s, int code)
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

static void numbers(struct screen *s, int code)
{
	static const char *const names[] = {
		[NUMBER_SI] = "numbers shortened: 1.23M",
		[NUMBER_RAW] = "numbers in full: 1234567",
		[NUMBER_GROUPED] = "numbers in full, grouped: 1,234,567",
	};

	s->numbers = (s->numbers + 1) % 3;
	screen_say(s, false, "%s", names[s->numbers]);
}

static void baseline(struct screen *s, int code)
{
	if (feed_baseline(&s->feed))
		screen_say(s, true, "out of memory: the old baseline stays");
	else
		screen_say(s, false, "baseline: totals and peaks count from here");
	if (s->tracker.history)
		history_forget_peaks(s->tracker.history);
	screen_rebuild(s);
}

static void write_snapshot(struct screen *s, int code)
{
	saved_ask(s);
}

static void save(struct screen *s, int code)
{
	saved_store(s);
}

static void (*const commands[ACTION_COUNT])(struct screen *s, int code) = {
	[ACTION_QUIT] = quit,
	[ACTION_HELP] = help,
	[ACTION_SUSPEND] = suspend,
	[ACTION_REDRAW] = redraw,
	[ACTION_VIEW_NEXT] = view_next,
	[ACTION_VIEW_PREVIOUS] = view_previous,
	[ACTION_VIEW_MENU] = view_menu,
	[ACTION_FINDINGS] = findings,
	[ACTION_TRACEPOINTS] = tracepoint_pane,
	[ACTION_TOGGLE_DIGIT] = toggle_digit,
	[ACTION_FILTER] = filter,
	[ACTION_COLUMNS] = column_pane,
	[ACTION_GRAPH] = graph,
	[ACTION_ALL] = all,
	[ACTION_CPUS] = cpus,
	[ACTION_PAUSE] = freeze,
	[ACTION_SAMPLE] = sample,
	[ACTION_INTERVAL] = interval,
	[ACTION_SLOWER] = slower,
	[ACTION_FASTER] = faster,
	[ACTION_UNIT] = unit,
	[ACTION_NUMBERS] = numbers,
	[ACTION_BASELINE] = baseline,
	[ACTION_WRITE] = write_snapshot,
	[ACTION_SAVE] = save,
};

void command_run(struct screen *s, enum action action, int code)
{
	if (commands[action])
		commands[action](s, code);
}
