// SPDX-License-Identifier: GPL-2.0-or-later
/* Key l: follows the selected row and shows its events. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "actions.h"
#include "follow.h"
#include "goto_row.h"
#include "screen_table.h"
#include "table/row_follow.h"

/* Follows the row that the finding is about. */
static int finding_follow(const struct screen *s, struct follow_filter *f)
{
	struct table t = { 0 };
	struct cpus_of of;
	const char *why;
	long at = -1;
	int err = -ENOENT;

	snprintf(f->text, sizeof(f->text), "no row counts only the events of this finding");
	if (!cpus_find(s, &of, &why) || views[of.view].group == GROUP_TRACEPOINT)
		return err;
	if (!rows_build(s, of.view, 0, &t))
		at = table_find(&t, of.id);
	if (at >= 0)
		err = row_follow(&t, &t.row[at], f);
	table_free(&t);
	return err;
}

static int selected_follow(const struct screen *s, struct follow_filter *f)
{
	long at = table_selected(s);
	const struct row *row = at < 0 ? NULL : &s->table.row[at];
	const struct table *t;

	snprintf(f->text, sizeof(f->text), "no row is selected");
	if (!row)
		return -ENOENT;
	t = table_of(&s->table, &row);
	if (t->options.view == &views[VIEW_FINDINGS] && !row->more)
		return finding_follow(s, f);
	return row_follow(t, row, f);
}

static void follow_show(struct screen *s, const struct follow_filter *f)
{
	table_pick(s);
	/* end the pause, because the list is empty and would stay so */
	if (s->snapshots.paused)
		action_pause(s);
	view_visit(s, VIEW_FOLLOW);
	s->view_state[VIEW_FOLLOW].picked = false;
	s->follow.on = true;
	follow_log_free(&s->followed);
	s->follow.one = !(f->tracepoints & (f->tracepoints - 1));
	snprintf(s->follow.what, sizeof(s->follow.what), "%s", f->text);
	event_loop_set(&s->loop, follow_interval(s));
	filter_set_aside(s);
}

void action_follow(struct screen *s)
{
	const struct source_ops *ops = s->source->ops;
	struct follow_filter f = { 0 };
	struct error error = { 0 };
	int err;

	if (!ops->follow) {
		screen_say(s, true, "a recording cannot be followed: %s",
			   s->followed.event ? "its events are in the follow view"
					     : "nothing was followed when it was made");
		return;
	}
	if (selected_follow(s, &f)) {
		screen_say(s, true, "%s", f.text);
		return;
	}
	err = ops->follow(s->source, &f, &error);
	if (!err) {
		follow_show(s, &f);
		return;
	}
	if (err != -ENOENT)
		follow_end(s);
	screen_say(s, true, "cannot follow: %s", error.text[0] ? error.text : strerror(-err));
}
