// SPDX-License-Identifier: GPL-2.0-or-later
/* Jumps from a finding or an event to the row it refers to, and into the CPUs of that row. */
#include "diagnose/finding_code.h"
#include "pane.h"

/* What a finding or event refers to. */
struct about {
	uint32_t tracepoint;
	struct location location;
	const struct finding_code *code; /* NULL = an event */
};

static bool same_device(const struct netdev_ref *want, const struct netdev_ref *is)
{
	return !want->ifindex || (want->netns == is->netns && want->ifindex == is->ifindex);
}

/* Matches a series against a location; unset fields of `want` match all. */
static bool is_there(const struct location *want, const struct location *is)
{
	return same_device(&want->dev, &is->dev) && same_device(&want->to, &is->to) &&
	       (want->to_cpu < 0 || want->to_cpu == is->to_cpu) &&
	       (!want->prog_id || want->prog_id == is->prog_id) &&
	       (!want->map_id || want->map_id == is->map_id);
}

static bool is_about(const struct table *t, const struct row *row, const struct about *what,
		     bool same_cause)
{
	for (size_t i = 0; i < row->n_series; i++) {
		const struct series *s = row_series(t, row, i);
		const struct cause *cause = cause_find(s->tracepoint, &s->key);
		struct location location;

		if (s->tracepoint != what->tracepoint)
			continue;
		if (same_cause && (!cause || !finding_has_cause(what->code, cause)))
			continue;
		location_set(&location, s, t->rates->to);
		if (is_there(&what->location, &location))
			return true;
	}
	/* The overview has a row per tracepoint even without series. */
	return t->options.view->always && row->tracepoint == (int)what->tracepoint && !same_cause;
}

/* Prefers a row with the same cause to one with only the same location. */
static long row_find(const struct table *t, const struct about *what)
{
	for (int same_cause = what->code != NULL; same_cause >= 0; same_cause--)
		for (size_t i = 0; i < t->n_rows; i++)
			if (t->row[i].cpu < 0 && is_about(t, &t->row[i], what, same_cause))
				return (long)i;
	return -1;
}

static bool about_set(const struct screen *s, struct about *what)
{
	const struct event_log *log = s->table.options.events;
	long at = table_selected(s);
	const struct finding *f;
	const struct row *row;

	if (at < 0)
		return false;
	row = &s->table.row[at];
	*what = (struct about){ .tracepoint = TP_NONE };
	location_init(&what->location);
	views[s->view].rows->locate(&s->table, row, &what->location);
	if (s->view == VIEW_FINDINGS) {
		f = &findings_shown(s)->finding[row->item];
		what->tracepoint = f->tracepoint;
		what->code = f->code;
	} else if (s->view == VIEW_EVENTS) {
		what->tracepoint = event_log_get(log, log->taken, (int)row->item)->tracepoint;
	}
	return true;
}

static void goto_cpu(struct screen *s, int cpu)
{
	struct location location;

	if (s->view == VIEW_CPUS) {
		screen_say(s, false, "each row is a CPU: Enter has all of it");
		return;
	}
	view_show(s, VIEW_CPUS);
	for (size_t i = 0; i < s->table.n_rows; i++) {
		rows_cpus.locate(&s->table, &s->table.row[i], &location);
		if (location.to_cpu == cpu)
			table_select(s, (long)i);
	}
	screen_rebuild(s);
}

void goto_row(struct screen *s)
{
	/* Failures first, then flows; the overview has every tracepoint. */
	static const enum view_id candidate_views[] = { VIEW_ERRORS, VIEW_FLOWS, VIEW_OVERVIEW };
	struct filter *filter = s->filter;
	struct about what;
	long at = -1;

	if (!about_set(s, &what)) {
		screen_say(s, false, "no row is selected");
		return;
	}
	if (what.tracepoint == TP_NONE && what.location.to_cpu < 0) {
		screen_say(s, false, "this is of a device as a whole: no row has its CPUs");
		return;
	}
	if (what.tracepoint == TP_NONE) {
		goto_cpu(s, what.location.to_cpu);
		return;
	}
	/* The filter applies to the list, not to the row searched for. */
	s->filter = NULL;
	for (size_t i = 0; at < 0 && i < sizeof(candidate_views) / sizeof(candidate_views[0]);
	     i++) {
		view_show(s, candidate_views[i]);
		at = row_find(&s->table, &what);
	}
	if (at >= 0) {
		table_select(s, at);
		table_drill(s);
	}
	s->filter = filter;
	screen_rebuild(s);
}
