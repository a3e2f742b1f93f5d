// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of the current view: rows, order, selection. */
#include <inttypes.h>
#include <string.h>
#include "follow.h"
#include "pane.h"
#include "screen_table.h"

struct view_state *table_state(struct screen *s)
{
	return s->drill ? &s->drill_state : &s->view_state[s->view];
}

long table_selected(const struct screen *s)
{
	const struct view_state *state = s->drill ? &s->drill_state : &s->view_state[s->view];

	return state->list.cursor < (int)s->table.n_rows ? state->list.cursor : -1;
}

void row_name(const struct table *t, size_t row, char *buf, size_t size)
{
	const struct row *r = &t->row[row];
	const struct view *v = table_of(t, &r)->options.view;
	struct cell cell;
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; i < v->n_columns; i++) {
		enum column_id id = v->column[i];

		if (columns[id].number || (id == COL_KEY && v->always) || id == COL_MEANING ||
		    id == COL_REASON || id == COL_STATE || id == COL_VERDICTS)
			continue;
		table_cell(t, row, id, &cell);
		if (cell.state == CELL_VALUE && cell.type == CELL_TEXT && *cell.text &&
		    len + strlen(cell.text) + 2 <= size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? " " : "",
						cell.text);
	}
	if (len)
		return;
	table_cell(t, row, COL_CPU, &cell);
	if (cell.state == CELL_VALUE)
		snprintf(buf, size, "CPU %" PRIu64, cell.count);
}

void table_row_name(const struct screen *s, char *buf, size_t size)
{
	long row = table_selected(s);

	buf[0] = '\0';
	if (s->drill)
		snprintf(buf, size, "%s", s->drill_name);
	else if (row >= 0)
		row_name(&s->table, (size_t)row, buf, size);
}

void table_select(struct screen *s, long row)
{
	struct view_state *state = table_state(s);

	state->list.cursor = (int)row;
	state->picked = true;
	state->wanted = state->selected = s->table.row[row].id;
}

bool table_pick(struct screen *s)
{
	long row = table_selected(s);

	if (row < 0)
		screen_say(s, false, "no row is selected");
	else
		table_select(s, row);
	return row >= 0;
}

void table_moved(struct screen *s)
{
	if (s->table.n_rows)
		table_select(s, table_state(s)->list.cursor);
	else
		table_state(s)->picked = false;
}

/*
 * A cursor that was not moved is on the first row. As long as it can be seen there without
 * scrolling, it follows the row that was drawn, so that Enter opens what was read.
 */
static void cursor_restore(struct screen *s, struct view_state *state)
{
	long at = state->selected ? table_find(&s->table, state->selected) : -1;
	const struct row *row = s->table.row;

	/* the user reads a finding that appears above the rows first */
	if (at >= 0 && row->block && row->block != row[at].block)
		at = 0;
	state->list.cursor = at >= 0 && at < s->stack[0]->cursor(s).lines ? (int)at : 0;
	state->selected =
		s->table.rates->from && s->table.n_rows ? s->table.row[state->list.cursor].id : 0;
}

/*
 * The selection follows its row. If that is gone or filtered out, the cursor stays in place, but
 * nothing is selected while the details of the row are open: they do not change to another row.
 */
static void selection_restore(struct screen *s)
{
	struct view_state *state = table_state(s);
	long at;

	if (!state->picked) {
		cursor_restore(s, state);
		return;
	}
	at = table_find(&s->table, state->wanted);
	if (at < 0)
		at = table_find(&s->table, state->selected);
	if (at >= 0) {
		state->list.cursor = (int)at;
		return;
	}
	if (s->depth) {
		state->list.cursor = (int)s->table.n_rows;
		return;
	}
	if (state->list.cursor >= (int)s->table.n_rows)
		state->list.cursor = s->table.n_rows ? (int)s->table.n_rows - 1 : 0;
	if (s->table.n_rows)
		state->selected = s->table.row[state->list.cursor].id;
}

struct history_key screen_history_key(enum view_id view, const struct view_state *state,
				      uint64_t row)
{
	return (struct history_key){ .view = (int)view,
				     .column = view_state_rate(state, view),
				     .row = row };
}

static double sort_value(const void *ctx, const struct row *row)
{
	const struct screen *s = ctx;
	const struct view_state *state = &s->view_state[s->view];

	return row_history_sort_value(&s->row_history, screen_history_key(s->view, state, row->id),
				      state->sort,
				      ns_to_seconds(snapshots_rates(&s->snapshots)->to->mono_ns));
}

#define BLOCK_LINES 3

/*
 * Half of the lines, not counting the summary, another column header, and the line on tracepoints.
 */
static size_t block_rows(const struct screen *s)
{
	int lines = (s->layout.body_lines - 3) / 2;

	return lines > BLOCK_LINES ? (size_t)lines : BLOCK_LINES;
}

/* Rows are sorted again after this time, or when the user changes the view. */
#define ORDER_NS (3 * NSEC_PER_SEC)

/* Without an interval there are no rates to sort by, so the next sample sorts again. */
static bool order_stays(struct screen *s, const struct rates *rates)
{
	uint64_t now_ns = rates->to->mono_ns;

	if (s->ordered_ns && now_ns - s->ordered_ns < ORDER_NS)
		return true;
	s->ordered_ns = rates->from ? now_ns : 0;
	return false;
}

void screen_refresh(struct screen *s)
{
	const struct rates *rates = snapshots_rates(&s->snapshots);
	struct view_state *state = table_state(s);
	struct table_options options = {
		.view = &views[s->view],
		.filter = s->drill ? NULL : s->filter,
		.sort = state->sort,
		.descending = state->descending,
		.sort_value = sort_value,
		.sort_ctx = s,
		.block_rows = block_rows(s),
		.all = s->all,
		.per_cpu = s->per_cpu && !s->drill && !views[s->view].rows->list,
		.drill = s->drill,
		.fold = true,
		.keys = true,
		.switch_by = s->source->live ? SWITCH_KEY : SWITCH_NOT,
		.netns = s->netns,
		.findings = findings_shown(s),
		.events = s->snapshots.paused ? &s->events_still : &s->events,
		.followed = s->snapshots.paused ? &s->followed_still : &s->followed,
		.timeline = s->incidents.timeline,
	};
	int err;

	if (!rates)
		return;
	options.keep_order = order_stays(s, rates);
	err = table_build(&s->table, rates, &options);
	options.filter = s->filter; /* the CPUs of a row are not filtered */
	err = err ?: table_build_findings(&s->found, rates, &options);
	if (err)
		s->done = true; /* -ECANCELED */
	else
		selection_restore(s);
}

void screen_rebuild(struct screen *s)
{
	s->ordered_ns = 0;
	if (!table_state(s)->picked)
		table_state(s)->selected = 0;
	memset(s->content, 0, sizeof(s->content));
	screen_refresh(s);
}

static void view_switch(struct screen *s, enum view_id view)
{
	if (view != VIEW_FOLLOW)
		follow_end(s);
	if (!views[s->view].rows->list)
		s->before_list = s->view;
	s->view = view;
	s->drill = 0;
	s->depth = 0;
	/* the loop reads it */
	s->incidents.again |= view == VIEW_TIMELINE;
}

/* Restores the filter that was set aside, unless another one was typed. */
static void filter_restore(struct screen *s, struct place *from)
{
	if (s->filter)
		filter_free(from->filter);
	else
		s->filter = from->filter;
	from->filter = NULL;
}

void places_forget(struct screen *s)
{
	while (s->n_from)
		filter_restore(s, &s->from[--s->n_from]);
}

void view_show(struct screen *s, enum view_id view)
{
	places_forget(s);
	view_switch(s, view);
	screen_rebuild(s);
}

static void place_add(struct screen *s)
{
	struct place *to = &s->from[s->n_from];

	if (s->n_from == PLACES) {
		filter_free(s->from[0].filter);
		memmove(s->from, s->from + 1, (PLACES - 1) * sizeof(*to));
		to--;
	} else {
		s->n_from++;
	}
	*to = (struct place){
		.view = s->view,
		.before_list = s->before_list,
		.drill = s->drill,
		.drill_state = s->drill_state,
		.depth = s->depth,
		.help = s->help,
		.details = s->details,
		.help_context = s->help_context,
		.graph_column = s->graph_column,
	};
	memcpy(to->drill_name, s->drill_name, sizeof(to->drill_name));
	memcpy(to->stack, s->stack, sizeof(to->stack));
}

void view_visit(struct screen *s, enum view_id view)
{
	const bool map = s->n_from && s->from[s->n_from - 1].by_map;

	/* A menu is not returned to, and events are no longer followed after the view is left. */
	while (s->depth && screen_pane(s)->over)
		screen_pop(s);
	if (!s->follow.on && !(map && (view == VIEW_MAPS || view == VIEW_SOCKETS)))
		place_add(s);
	view_switch(s, view);
	screen_rebuild(s);
}

bool place_return(struct screen *s)
{
	struct place *from;

	if (!s->n_from)
		return false;
	from = &s->from[--s->n_from];
	filter_restore(s, from);
	view_switch(s, from->view);
	s->before_list = from->before_list;
	s->drill = from->drill;
	s->drill_state = from->drill_state;
	s->depth = from->depth;
	s->help = from->help;
	s->details = from->details;
	s->help_context = from->help_context;
	s->graph_column = from->graph_column;
	memcpy(s->drill_name, from->drill_name, sizeof(s->drill_name));
	memcpy(s->stack, from->stack, sizeof(s->stack));
	screen_rebuild(s);
	return true;
}

void filter_set_aside(struct screen *s)
{
	struct place *from = &s->from[s->n_from - 1];

	if (s->filter) {
		filter_free(from->filter);
		from->filter = s->filter;
		s->filter = NULL;
	}
	screen_rebuild(s);
}
