// SPDX-License-Identifier: GPL-2.0-or-later
#include "incidents.h"

#include <errno.h>
#include <string.h>
#include "actions.h"
#include "screen_table.h"

bool incidents_reading(const struct screen *s)
{
	const struct incidents *i = &s->incidents;

	return !s->source->live && !replay_moves(s) &&
	       (i->again || (i->timeline && i->timeline->reading));
}

static void incident_goto(struct screen *s, const struct finding *f)
{
	const struct timeline *t = s->incidents.timeline;

	replay_hold(s);
	if (replay_refuses(s, replay_go(s, timespec_to_ns(&f->first))))
		return;
	if (s->view == VIEW_TIMELINE)
		view_visit(s, VIEW_OVERVIEW);
	screen_say(s, false, "%zu of %zu: %s: %s", (size_t)(f - t->incident) + 1, t->n,
		   f->code->name, f->text);
}

/*
 * The nearest incident before or after the shown snapshot, which shows the interval before it. NULL
 * = there is none or, with *unread, none in the part that has been read.
 */
static const struct finding *nearest(const struct screen *s, bool back, bool *unread)
{
	const struct timeline *t = s->incidents.timeline;
	const int64_t now_ns = replay_wall(s);
	const int64_t begin_ns = now_ns - seconds_to_ns(s->source->host.delay_s);
	const int64_t join_ns = TIMELINE_JOIN_S * (int64_t)NSEC_PER_SEC;
	const struct finding *found = NULL;

	for (size_t i = 0; i < t->n; i++) {
		int64_t first_ns = timespec_to_ns(&t->incident[i].first);

		if (back && first_ns <= begin_ns) {
			found = &t->incident[i];
			break;
		}
		if (!back && first_ns > now_ns)
			found = &t->incident[i];
	}
	*unread = !t->complete &&
		  (!back                   ? !t->unread_ns || t->unread_ns > now_ns
		   : found && t->unread_ns ? t->unread_ns > timespec_to_ns(&found->first) - join_ns
					   : true);
	return found;
}

/* Goes to the incident that a key asked for, as soon as it is known. */
static void incident_search(struct screen *s)
{
	const bool back = s->incidents.key == '{';
	bool unread;
	const struct finding *found = nearest(s, back, &unread);

	if (unread && s->incidents.timeline->reading) {
		screen_say(s, false, "looking for the %s incident: %u%% read",
			   back ? "last" : "next", s->incidents.timeline->percent);
		return;
	}
	s->incidents.key = 0;
	if (unread)
		screen_say(s, true,
			   "part of the recording has not been read yet; the timeline "
			   "view continues to read it");
	else if (found)
		incident_goto(s, found);
	else
		screen_say(s, false, "no incident %s this", back ? "before" : "after");
}

void incidents_read(struct screen *s)
{
	struct timeline *t;
	int err = s->source->ops->incidents(s->source, s->incidents.again, &t);

	s->incidents.timeline = t;
	s->incidents.again = false;
	t->reading = err == -EAGAIN;
	if (err && err != -EAGAIN)
		s->incidents.key = 0;
	if (err == -ESPIPE)
		screen_say(s, true, "a timeline needs a file or a directory, not a pipe");
	if (s->incidents.key)
		incident_search(s);
	screen_refresh(s);
}

void incidents_stop_search(struct screen *s)
{
	if (s->incidents.key || s->replay.searching)
		screen_say(s, false, "the search was stopped");
	s->incidents.key = 0;
	s->replay.searching = false;
}

bool incidents_stop(struct screen *s)
{
	if (s->view != VIEW_TIMELINE || !incidents_reading(s))
		return false;
	s->incidents.again = false;
	if (s->incidents.timeline)
		s->incidents.timeline->reading = false;
	screen_say(s, false, "stopped; press 0 or open the timeline view to continue");
	screen_refresh(s);
	return true;
}

void incident_open(struct screen *s)
{
	long row = s->key >= '1' && s->key <= '9' ? s->key - '1' : table_selected(s);

	if (row < 0 || row >= (long)s->table.n_rows) {
		key_say_nothing(s);
		return;
	}
	table_select(s, row);
	incident_goto(s, table_incident(&s->table, &s->table.row[row]));
}

void replay_incident(struct screen *s)
{
	if (replay_is_live(s) || !replay_wall(s))
		return;
	s->incidents.key = s->key;
	if (!s->incidents.timeline || s->source->grows)
		s->incidents.again = true;
	incidents_read(s);
}
