// SPDX-License-Identifier: GPL-2.0-or-later
/* Key l: follows the selected row and shows its events. */
#include <errno.h>
#include <string.h>
#include "actions.h"
#include "follow.h"
#include "goto_row.h"
#include "screen_table.h"

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
