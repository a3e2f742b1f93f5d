// SPDX-License-Identifier: GPL-2.0-or-later
/* Key functions that belong to no single pane. The filter is applied while the user types. */
#include "actions.h"

#include <errno.h>
#include <string.h>
#include "explain/explain.h"
#include "follow.h"
#include "goto_row.h"
#include "pane.h"
#include "screen_table.h"

void action_quit(struct screen *s)
{
	s->done = true;
}

/* SIGTSTP is blocked. The loop reads it from a signalfd and suspends. */
void action_suspend(struct screen *s)
{
	raise(SIGTSTP);
}

void action_help(struct screen *s)
{
	if (screen_context(s) == KEYS_HELP) {
		screen_pop(s);
		return;
	}
	s->help_context = screen_context(s);
	s->help = (struct document){ .fill = help_fill, .title = "Help" };
	screen_push(s, &pane_help);
}

void action_redraw(struct screen *s)
{
	terminal_redraw(s->terminal);
}

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

/* s->step is in half pages. A full page keeps one line in sight. */
void cursor_page(struct screen *s)
{
	int lines = screen_pane(s)->cursor(s).lines, page = lines > 1 ? lines - 1 : 1;

	cursor_by(s, (page * s->step + (s->step > 0 ? 1 : -1)) / 2);
}

void action_back(struct screen *s)
{
	if (incidents_stop(s))
		return;
	if (s->depth) {
		screen_pop(s);
		if (!s->depth && s->n_from && s->from[s->n_from - 1].by_row)
			place_return(s);
	} else if (s->filter && !s->drill) {
		screen_say(s, false, "filter cleared; it was: %s", filter_text(s->filter));
		filter_free(s->filter);
		s->filter = NULL;
		screen_rebuild(s);
	} else if (place_return(s)) {
		return;
	} else if (views[s->view].rows->list) {
		view_show(s, s->before_list);
	} else {
		key_say_nothing(s);
	}
}

void action_close(struct screen *s)
{
	if (!place_return(s))
		action_quit(s);
}

void action_view(struct screen *s)
{
	int n = follow_views(s), view = (int)s->view;

	do
		view = (view + n + s->step) % n;
	while (view == VIEW_TIMELINE && s->source->live);
	view_show(s, (enum view_id)view);
}

static void view_choose(struct screen *s, int view)
{
	view_show(s, (enum view_id)view);
}

void action_view_menu(struct screen *s)
{
	struct menu *m = &s->menu;

	*m = (struct menu){ .title = "View", .choose = view_choose };
	for (int view = 0; view < follow_views(s) && m->n < MENU_ROWS; view++) {
		if (view == VIEW_TIMELINE && s->source->live)
			continue;
		snprintf(m->row[m->n].label, sizeof(m->row[0].label), "%c %-11s %s",
			 view < VIEW_DIGITS ? '1' + view : ' ', views[view].name, views[view].help);
		if (view == (int)s->view)
			m->list.cursor = m->n;
		m->row[m->n++].value = view;
	}
	screen_push(s, &pane_menu);
}

void action_view_digit(struct screen *s)
{
	if (s->view == VIEW_TIMELINE && !s->depth)
		incident_open(s);
	else
		view_show(s, (enum view_id)(s->key - '1'));
}

/* Shows a view. If it is shown already, closes its panes or returns to the previous view. */
static void view_toggle(struct screen *s, enum view_id view)
{
	if (s->view != view || s->drill) {
		view_visit(s, view);
	} else if (s->depth) {
		s->depth = 0;
		s->from[s->n_from ? s->n_from - 1 : 0].by_row = false;
	} else if (!place_return(s)) {
		view_show(s, views[view].rows->list ? s->before_list : VIEW_OVERVIEW);
	}
}

/* Selects the finding about the row that was selected. */
void action_findings(struct screen *s)
{
	long at = s->view == VIEW_FINDINGS ? -1 : table_selected(s);
	const struct row *row = at < 0 ? NULL : &s->table.row[at];
	const struct table *t = row ? table_of(&s->table, &row) : NULL;
	const struct finding *finding = row && !row->more ? row_finding(t, row) : NULL;
	uint64_t id = finding ? finding->id : 0;
	bool one = row && !row->more;
	char name[128];

	table_row_name(s, name, sizeof(name));
	view_toggle(s, VIEW_FINDINGS); /* frees the rows of the other view */
	at = id ? table_find(&s->table, id) : -1;
	if (at >= 0)
		table_select(s, at);
	else if (one && s->table.n_rows)
		screen_say(s, false, "no finding is about %s", name);
}

void action_tracepoints(struct screen *s)
{
	view_toggle(s, VIEW_TRACEPOINTS);
}

void action_changes(struct screen *s)
{
	view_toggle(s, VIEW_CHANGES);
}

void action_columns(struct screen *s)
{
	s->columns = (struct list){ 0 };
	screen_push(s, &pane_columns);
}

void action_all(struct screen *s)
{
	s->all = !s->all;
	screen_rebuild(s);
	screen_say(s, false, "%s",
		   s->drill ? (s->all ? "all CPUs, including idle ones" : "idle CPUs are folded")
		   : s->all ? "all rows, including rows without activity"
			    : "only rows with activity");
}

/* If the row summarizes others ("3 more in flows"), shows them; false = it does not. */
static bool more_show(struct screen *s)
{
	const struct row *row = &s->table.row[table_selected(s)];

	if (!row->more)
		return false;
	if (views[s->view].rows->more) {
		if (!row->item)
			action_all(s);
		return true;
	}
	view_visit(s, row->block ? views[s->view].block[row->block - 1] : VIEW_TRACEPOINTS);
	return true;
}

/*
 * If the row is in a block, shows it in the view of that block, where the row stays even when
 * others become worse.
 */
static void home_show(struct screen *s)
{
	const struct row *row = &s->table.row[table_selected(s)];
	uint64_t id = row->id;
	long at;

	if (!row->block)
		return;
	view_visit(s, views[s->view].block[row->block - 1]);
	at = table_find(&s->table, id);
	if (at < 0) {
		place_return(s);
		return;
	}
	s->from[s->n_from - 1].by_row = true;
	table_select(s, at);
}

/* If the row is a change, shows its object; false = it is not, or e was pressed. */
static bool object_show(struct screen *s)
{
	const struct row *row = &s->table.row[table_selected(s)];
	const struct table *t = table_of(&s->table, &row);
	const struct event *e = table_event(t, row);

	if (s->key == 'e' || !e || !e->change || !change_goto(s, e))
		return false;
	s->from[s->n_from - 1].by_row = true;
	return true;
}

void table_explain(struct screen *s)
{
	if (s->view == VIEW_TIMELINE) {
		incident_open(s);
		return;
	}
	if (!table_pick(s) || more_show(s))
		return;
	if (!object_show(s))
		home_show(s);
	s->details = (struct document){ .fill = details_fill, .title = "Details" };
	screen_push(s, &pane_details);
}

void action_graph(struct screen *s)
{
	if (!table_pick(s))
		return;
	home_show(s);
	s->graph_column = table_state(s)->rate;
	if (!s->graph_column)
		s->graph_column = view_state_rate(&s->view_state[s->view], s->view);
	if (s->graph_column)
		screen_push(s, &pane_graph);
	else
		screen_say(s, false, "this view has no rate to graph");
}

void action_per_cpu(struct screen *s)
{
	s->per_cpu = !s->per_cpu;
	screen_rebuild(s);
	screen_say(s, false, s->per_cpu ? "the CPUs of all rows" : "all CPUs together");
}

void action_baseline(struct screen *s)
{
	snapshots_baseline(&s->snapshots);
	screen_say(s, false, "baseline: totals and peaks count from here");
	history_forget_peaks(&s->row_history.history);
	screen_rebuild(s);
}

/*
 * Keeps the previous filter while the text is not a valid filter, or hides all rows but may become
 * a FIELD, because rows would jump otherwise.
 */
static void filter_changed(struct screen *s)
{
	struct prompt *p = &s->prompt;
	struct filter *before = s->filter, *f = NULL;

	if (filter_parse(p->text, &f, &p->error))
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

	if (filter_parse(p->text, &f, &p->error))
		return;
	filter_free(s->filter);
	s->filter = f;
	screen_rebuild(s);
}

static bool filter_accept(struct screen *s)
{
	filter_set(s);
	return !s->prompt.error.text[0];
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

/* Delay of the early sample that shows the new state after a toggle. */
#define TOGGLE_SHOWN_NS (150 * NSEC_PER_MSEC)

/* Toggles a tracepoint and shows the result in the status line. */
static void toggle(struct screen *s, unsigned int id)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);
	const char *name = tracepoint_label(s, id);
	const char digit[] = { tracepoints[id].key, '\0' }, *key = *digit ? digit : "Space";
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
		screen_say(s, true, "%s cannot be switched on or off: %s", name, strerror(-on));
	} else if (!on) {
		screen_say(s, false,
			   "%s is off (%s switches it on again), so this is not counted: "
			   "%s",
			   name, key, tracepoints[id].what);
	} else if (!tracepoints[id].per_packet) {
		screen_say(s, false, "%s is on (%s switches it off)", name, key);
	} else if (tp->ns_per_event >= 0) {
		screen_say(s, false, "%s is on (%s switches it off). It has cost %.0f ns per event",
			   name, key, tp->ns_per_event);
	} else {
		screen_say(s, false,
			   "%s is on (%s switches it off). It fires for each packet; see column NS",
			   name, key);
	}
	if (on >= 0)
		s->sample_at_ns = clock_ns() + TOGGLE_SHOWN_NS;
}

/* In a recording, where nothing can be switched, Space samples as in the other views. */
void tracepoint_toggle(struct screen *s)
{
	if (!s->source->live)
		action_sample(s);
	else if (table_pick(s))
		toggle(s, (unsigned int)s->table.row[table_selected(s)].tracepoint);
}

void tracepoint_digit(struct screen *s)
{
	for (unsigned int i = 0; i < TP_COUNT; i++)
		if (tracepoints[i].key == s->key)
			toggle(s, i);
}

void action_verdicts(struct screen *s)
{
	if (!snapshots_newest(&s->snapshots) || *tracepoint_label(s, TP_VERDICTS))
		toggle(s, TP_VERDICTS);
	else if (s->source->live)
		screen_say(s, true,
			   "start with --verdicts to count what programs drop, pass and redirect");
	else
		screen_say(s, true,
			   "this recording has no verdicts; it was made without --verdicts");
}
