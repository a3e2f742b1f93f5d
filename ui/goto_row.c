// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a row to related rows. Key c: its CPUs, or those of the row that a finding or event is
 * about. Enter on a change: the object that changed, where it still exists. Key m: its map entry;
 * between an xskmap entry and its socket. Key l: follows it and shows its events.
 */
#include "goto_row.h"

#include <errno.h>
#include <string.h>
#include "actions.h"
#include "diagnose/finding_location.h"
#include "follow.h"
#include "model/target.h"
#include "screen_table.h"
#include "source/maps.h"
#include "source/sockets.h"

struct about {
	uint32_t tracepoint;
	struct location location;
	const struct finding_code *code; /* NULL = an event */
};

static bool same_device(const struct netdev_ref *want, const struct netdev_ref *is)
{
	return !want->ifindex || (want->netns == is->netns && want->ifindex == is->ifindex);
}

/*
 * Whether a series is at the location `want`. Unset fields match all. If the tracepoint has no
 * device and program, any match, because a finding infers them from other tracepoints.
 */
static bool is_there(const struct location *want, const struct series *s,
		     const struct snapshot *now)
{
	uint16_t has = tracepoints[s->tracepoint].has;
	struct location is;

	location_set(&is, s, now);
	return (!(has & HAS_DEVICE) || same_device(&want->dev, &is.dev)) &&
	       same_device(&want->to, &is.to) && (want->to_cpu < 0 || want->to_cpu == is.to_cpu) &&
	       (!(has & HAS_PROG) || !want->prog_id || want->prog_id == is.prog_id) &&
	       (!want->map_id || want->map_id == is.map_id);
}

static bool is_about(const struct table *t, const struct row *row, const struct about *what,
		     bool same_cause)
{
	for (size_t i = 0; i < row->n_series; i++) {
		const struct series *s = row_series(t, row, i);
		const struct cause *cause =
			cause_find(t->rates->to->kernel, s->tracepoint, &s->key);

		if (s->tracepoint != what->tracepoint)
			continue;
		if (same_cause && (!cause || !finding_has_cause(what->code, cause)))
			continue;
		if (is_there(&what->location, s, t->rates->to))
			return true;
	}
	/* A view of tracepoints has a row for each tracepoint, even without series. */
	return t->options.view->always && row->tracepoint == (int)what->tracepoint && !same_cause;
}

/* Prefers a row with the same cause to a row with only the same location. */
static long row_find(const struct table *t, const struct about *what)
{
	for (int same_cause = what->code != NULL; same_cause >= 0; same_cause--)
		for (size_t i = 0; i < t->n_rows; i++)
			if (t->row[i].cpu < 0 && is_about(t, &t->row[i], what, same_cause))
				return (long)i;
	return -1;
}

static void about_set(const struct table *t, const struct row *row, struct about *what)
{
	const struct event *e = table_event(t, row);
	const struct finding *f;

	*what = (struct about){ .tracepoint = TP_NONE };
	row_locate(t, row, &what->location);
	if (t->options.view == &views[VIEW_FINDINGS]) {
		f = &t->options.findings->finding[row->item];
		what->tracepoint = f->tracepoint;
		what->code = f->code;
	} else if (e) {
		what->tracepoint = e->tracepoint;
	}
}

static long cpu_find(const struct table *t, int cpu)
{
	struct location location;

	for (size_t i = 0; i < t->n_rows; i++) {
		row_locate(t, &t->row[i], &location);
		if (location.to_cpu == cpu)
			return (long)i;
	}
	return -1;
}

int rows_build(const struct screen *s, enum view_id view, uint64_t drill, struct table *t)
{
	struct table_options options = s->table.options;

	options.view = &views[view];
	options.filter = NULL;
	options.sort = -1;
	options.descending = options.per_cpu = false;
	options.keep_order = false;
	options.block_rows = 0;
	options.all = !drill || s->all;
	options.drill = drill;
	return table_build(t, s->table.rates, &options);
}

/* A finding without a tracepoint is about a CPU. The tracepoints view comes last. */
static bool about_find(const struct screen *s, const struct about *what, struct cpus_of *of)
{
	static const enum view_id failed[] = { VIEW_ERRORS, VIEW_FLOWS, VIEW_TRACEPOINTS };
	static const enum view_id cpus[] = { VIEW_CPUS };
	bool is_cpu = what->tracepoint == TP_NONE;
	size_t n = is_cpu ? 1 : sizeof(failed) / sizeof(failed[0]);
	struct table t = { 0 };
	long at = -1;

	for (size_t i = 0; at < 0 && i < n; i++) {
		of->view = is_cpu ? cpus[i] : failed[i];
		if (rows_build(s, of->view, 0, &t))
			break;
		at = is_cpu ? cpu_find(&t, what->location.to_cpu) : row_find(&t, what);
	}
	if (at >= 0) {
		of->id = t.row[at].id;
		row_name(&t, (size_t)at, of->name, sizeof(of->name));
	}
	table_free(&t);
	return at >= 0;
}

bool cpus_find(const struct screen *s, struct cpus_of *of, const char **why)
{
	long at = table_selected(s);
	const struct row *row = at < 0 ? NULL : &s->table.row[at];
	const struct table *t;
	struct about what;

	*why = "no row is selected";
	if (!row || row->more)
		return false;
	t = table_of(&s->table, &row);
	if (!t->options.view->rows->list) {
		*of = (struct cpus_of){ .view = (enum view_id)(t->options.view - views),
					.id = row->parent ? row->parent : row->id };
		table_row_name(s, of->name, sizeof(of->name));
		return true;
	}
	about_set(t, row, &what);
	*why = t->options.view == &views[VIEW_QUEUES]
		       ? "no CPU of this queue is known"
		       : "this is about a whole device, so no row has its CPUs";
	if (what.tracepoint == TP_NONE && what.location.to_cpu < 0)
		return false;
	*why = "no row has its CPUs now";
	return about_find(s, &what, of);
}

void goto_cpus(struct screen *s)
{
	struct cpus_of of;
	const char *why;
	long at;

	if (!cpus_find(s, &of, &why)) {
		screen_say(s, false, "%s", why);
		return;
	}
	table_pick(s);
	view_visit(s, of.view);
	if (of.view == VIEW_CPUS) {
		filter_set_aside(s);
		at = table_find(&s->table, of.id);
		if (at >= 0)
			table_select(s, at);
		return;
	}
	s->drill = of.id;
	snprintf(s->drill_name, sizeof(s->drill_name), "%s", of.name);
	s->drill_state = (struct view_state){ .sort = COL_CPU };
	screen_rebuild(s);
}

/* For an entry that was removed, shows its map, which comes first. */
static bool is_entry(const struct table *t, const struct row *row, const struct event *e)
{
	const struct map_entry *want = map_entry_find(t->rates->to, e->key.map_id, e->key.target);
	size_t n;

	if (!want)
		want = map_find(t->rates->to, e->key.map_id);
	return want == &map_entries(t->rates->to, &n)[row->item];
}

static bool is_object(const struct table *t, const struct row *row, const struct event *e)
{
	struct location l;

	row_locate(t, row, &l);
	switch (t->options.view - views) {
	case VIEW_MAPS:
		return e->key.map_id && is_entry(t, row, e);
	case VIEW_CPUS:
		return e->cpu >= 0 && l.to_cpu == e->cpu;
	case VIEW_DEVICES:
		return e->key.ifindex && l.dev.ifindex == e->key.ifindex &&
		       l.dev.netns == e->key.netns;
	default:
		return e->key.prog_id && l.prog_id == e->key.prog_id;
	}
}

/* The id of the object's row; 0 = it has none in this view. */
static uint64_t object_find(const struct screen *s, enum view_id view, const struct event *e)
{
	struct table t = { 0 };
	uint64_t id = 0;

	if (!rows_build(s, view, 0, &t))
		for (size_t i = 0; i < t.n_rows && !id; i++)
			if (t.row[i].cpu < 0 && is_object(&t, &t.row[i], e))
				id = t.row[i].id;
	table_free(&t);
	return id;
}

bool change_goto(struct screen *s, const struct event *change)
{
	static const enum view_id of[] = { VIEW_MAPS, VIEW_CPUS, VIEW_DEVICES, VIEW_PROGRAMS };
	const struct event e = *change;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		uint64_t id = object_find(s, of[i], &e);
		long at;

		if (!id)
			continue;
		view_visit(s, of[i]);
		filter_set_aside(s);
		at = table_find(&s->table, id);
		if (at >= 0) {
			table_select(s, at);
			return true;
		}
		place_return(s);
	}
	return false;
}

/* Selects entry `item` of a list view, without the filter, which was meant for other rows. */
static void item_show(struct screen *s, enum view_id view, size_t item)
{
	table_pick(s);
	view_visit(s, view);
	s->from[s->n_from - 1].by_map = true;
	filter_set_aside(s);
	for (size_t i = 0; i < s->table.n_rows; i++) {
		if (s->table.row[i].item != item)
			continue;
		table_select(s, (long)i);
		break;
	}
}

/* Prefers a series that names its map. */
static const struct map_entry *map_of_series(const struct table *t, const struct row *row)
{
	const struct map_entry *e = NULL;
	struct location l;

	for (int with_map = 1; with_map >= 0; with_map--) {
		for (size_t i = 0; i < row->n_series && !e; i++) {
			location_set(&l, row_series(t, row, i), t->rates->to);
			if (!l.map_id == !with_map)
				e = location_map(t->rates, &l);
		}
	}
	return e;
}

static const struct map_entry *map_of(const struct table *t, const struct row *row)
{
	const struct view *view = t->options.view;
	const struct event *e = table_event(t, row);
	struct series event;
	struct location l;

	if (!row_locate(t, row, &l))
		return map_of_series(t, row);
	if (e) {
		event = event_series(e);
		location_set(&l, &event, t->rates->to);
	} else if (view->group & GROUP_LOCATION) {
		/* for a device, find the entry that redirects to it */
		l.to = l.dev;
		l.prog_id = 0;
	}
	return location_map(t->rates, &l);
}

static void goto_socket(struct screen *s, const struct map_entry *e)
{
	size_t n;
	const struct xdp_socket *first = xdp_sockets(s->table.rates->to, &n), *socket;

	socket = e->socket_inode ? xdp_socket_find(s->table.rates->to, e->socket_inode) : NULL;
	if (socket)
		item_show(s, VIEW_SOCKETS, (size_t)(socket - first));
	else
		screen_say(s, false, "%s",
			   e->socket_inode ? "nothing is known about this socket"
					   : "this row has no AF_XDP socket; only an entry of an "
					     "xskmap has one");
}

void goto_map(struct screen *s)
{
	long at = table_selected(s);
	const struct row *row = at < 0 ? NULL : &s->table.row[at];
	char why[SNAPSHOT_REASON_LEN];
	const struct map_entry *first, *e;
	const struct table *t;
	size_t n;

	if (!row || row->more) {
		screen_say(s, false, "no row is selected");
		return;
	}
	first = map_entries(s->table.rates->to, &n);
	t = table_of(&s->table, &row);
	if (s->view == VIEW_MAPS) {
		if (row->item < n)
			goto_socket(s, &first[row->item]);
		else
			screen_say(s, false, "this map has no sockets");
		return;
	}
	e = map_of(t, row);
	refusal_text(s->source->host.refused, ITER_MAP_CONTENTS, s->source->host.kernel, why,
		     sizeof(why));
	if (e)
		item_show(s, VIEW_MAPS, (size_t)(e - first));
	else if (!n)
		screen_say(s, false, "no map is known%s%s", *why ? ": " : "", why);
	else if (s->view == VIEW_SOCKETS)
		screen_say(s, false, "this socket is not in a map, so no redirect reaches it");
	else
		screen_say(s, false, "no known map has an entry for this target");
}

/* Follows the row that the finding is about. */
static int finding_follow(const struct screen *s, struct follow_choice *c)
{
	struct table t = { 0 };
	struct cpus_of of;
	const char *why;
	long at = -1;
	int err = -ENOENT;

	snprintf(c->text, sizeof(c->text), "no row counts only the events of this finding");
	if (!cpus_find(s, &of, &why) || views[of.view].group == GROUP_TRACEPOINT)
		return err;
	if (!rows_build(s, of.view, 0, &t))
		at = table_find(&t, of.id);
	if (at >= 0)
		err = follow_choice_row(c, &t, &t.row[at]);
	table_free(&t);
	return err;
}

static int selected_follow(const struct screen *s, struct follow_choice *c)
{
	long at = table_selected(s);
	const struct row *row = at < 0 ? NULL : &s->table.row[at];
	const struct table *t;

	snprintf(c->text, sizeof(c->text), "no row is selected");
	if (!row)
		return -ENOENT;
	t = table_of(&s->table, &row);
	if (t->options.view == &views[VIEW_FINDINGS] && !row->more)
		return finding_follow(s, c);
	return follow_choice_row(c, t, row);
}

static void follow_show(struct screen *s, const struct follow_choice *c)
{
	table_pick(s);
	/* end the pause, because the list is empty and would stay so */
	if (s->snapshots.paused)
		action_pause(s);
	view_visit(s, VIEW_FOLLOW);
	s->view_state[VIEW_FOLLOW].picked = false;
	s->follow.on = true;
	follow_log_free(&s->followed);
	follow_choice_free(&s->follow.choice);
	s->follow.choice = *c;
	event_loop_set(&s->loop, follow_interval(s));
	filter_set_aside(s);
}

void action_follow(struct screen *s)
{
	const struct source_ops *ops = s->source->ops;
	struct follow_choice c = { 0 };
	struct follow_filter filter;
	struct error error = { 0 };
	int err;

	if (!ops->follow) {
		screen_say(s, true, "a recording cannot be followed: %s",
			   s->followed.event ? "its events are in the follow view"
					     : "nothing was followed when it was made");
		return;
	}
	if (selected_follow(s, &c)) {
		screen_say(s, true, "%s", c.text);
		return;
	}
	filter = follow_choice_series(&c, snapshots_newest(&s->snapshots), s->netns);
	err = ops->follow(s->source, &filter, &error);
	if (!err) {
		follow_show(s, &c);
		return;
	}
	follow_choice_free(&c);
	if (err != -ENOENT)
		follow_end(s);
	screen_say(s, true, "cannot follow: %s", error.text[0] ? error.text : strerror(-err));
}
