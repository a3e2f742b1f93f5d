// SPDX-License-Identifier: GPL-2.0-or-later
/* Key c: the CPUs of a row, or of the row that a finding or event is about. */
#include "diagnose/finding_code.h"
#include "actions.h"
#include "goto_row.h"
#include "screen_table.h"

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
 * Whether a series is at the location `want`. Unset fields match all. So do the device and the
 * program if the tracepoint has none, because a finding infers them from other tracepoints.
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
	/* A view of tracepoints has a row for each even without series. */
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

/* A finding without a tracepoint is about a CPU. The view of tracepoints comes last. */
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
