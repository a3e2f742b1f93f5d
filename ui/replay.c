// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include "replay.h"
#include "screen_table.h"

#define ONLY_FORWARD "a recording that is read from a pipe cannot be rewound"

bool replay_moves(const struct screen *s)
{
	return s->replay.number || s->replay.wall_ns || s->replay.searching;
}

int64_t replay_wall(const struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);

	return s->replay.wall_ns ? s->replay.wall_ns : now ? timespec_to_ns(&now->wall) : 0;
}

void replay_hold(struct screen *s)
{
	if (!s->by_step && !s->replay.number && !s->replay.wall_ns)
		s->replay.speed = s->source->speed;
	s->by_step = true;
	s->source->speed = 0;
}

void replay_depart(struct screen *s, uint64_t number, int64_t wall_ns, bool has_base)
{
	struct replay *r = &s->replay;

	if (!r->number && !r->wall_ns) {
		if (!s->by_step)
			r->speed = s->source->speed;
		r->intervals = s->intervals;
	}
	/* forget all samples, because the next ones are from another time */
	screen_record_end(s);
	snapshots_depart(&s->snapshots);
	row_history_free(&s->row_history);
	event_log_clear(&s->events);
	follow_log_free(&s->followed);
	findings_free(&s->findings);
	s->table.n_rows = 0;
	r->searching = false;
	r->number = number;
	r->wall_ns = wall_ns;
	r->has_base = has_base;
	s->source->speed = 0;
}

int replay_go(struct screen *s, int64_t wall_ns)
{
	bool pipe = !s->source->size;
	struct timespec lead;
	int err;

	if (s->source->last_ns && wall_ns > s->source->last_ns)
		wall_ns = s->source->last_ns;
	if (wall_ns < 1)
		wall_ns = 1;
	lead = ns_to_timespec(pipe || wall_ns < REPLAY_LEAD_NS ? wall_ns
							       : wall_ns - REPLAY_LEAD_NS);
	err = s->source->ops->seek ? s->source->ops->seek(s->source, &lead) : -EOPNOTSUPP;
	if (err)
		return err;
	replay_depart(s, 0, wall_ns, false);
	return 0;
}

bool replay_arrives(const struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);

	if (s->replay.number)
		return s->source->number >= s->replay.number;
	return now && timespec_to_ns(&now->wall) >= s->replay.wall_ns;
}

/* If nothing was recorded at the requested time, says so and names the nearest snapshot. */
static void say_nearest(struct screen *s, int64_t asked_ns)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);
	int64_t shown_ns = timespec_to_ns(&now->wall);
	struct timespec asked = ns_to_timespec(asked_ns);
	char there[24], here[24];

	if (shown_ns >= asked_ns &&
	    shown_ns - asked_ns <= 2 * seconds_to_ns(s->source->host.delay_s) + NSEC_PER_SEC)
		return;
	format_date(there, sizeof(there), &asked);
	format_date(here, sizeof(here), &now->wall);
	screen_say(s, false, "nothing was recorded at %s; the nearest snapshot is from %s", there,
		   here);
}

void replay_arrived(struct screen *s)
{
	struct replay *r = &s->replay;
	int64_t asked_ns = r->wall_ns;

	if (!r->number && !r->wall_ns)
		return;
	s->source->speed = s->by_step ? 0 : r->speed;
	if (asked_ns)
		s->intervals = r->intervals + 1;
	r->number = 0;
	r->wall_ns = 0;
	snapshots_arrive(&s->snapshots);
	if (!asked_ns || !snapshots_newest(&s->snapshots))
		return;
	say_nearest(s, asked_ns);
}

static bool time_accept(struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);
	struct timespec to = now ? now->wall : s->source->host.start;
	struct prompt *p = &s->prompt;
	int err;

	if (!time_text_parse(p->text, &to)) {
		error_set(&p->error, -EINVAL, "'%.40s' is not a time; give " TIME_TEXT_FORMS,
			  p->text);
		return false;
	}
	err = replay_go(s, timespec_to_ns(&to));
	if (err == -ESPIPE)
		error_set(&p->error, -EINVAL, ONLY_FORWARD);
	else if (err)
		error_set(&p->error, -EINVAL, "going there failed: %s", strerror(-err));
	return !err;
}

static const struct prompt_kind prompt_time = {
	.label = "Go to (09:15:30, +90, -5m): ",
	.brief = "Go to: ",
	.accept = time_accept,
};

void replay_ask(struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);
	char buf[24] = "";

	if (now && s->source->first_ns)
		format_date(buf, sizeof(buf), &now->wall);
	else if (now)
		format_clock(buf, sizeof(buf), &now->wall);
	prompt_open(&s->prompt, &prompt_time, buf);
}

bool replay_refuses(struct screen *s, int err)
{
	if (err)
		screen_say(s, true, err == -ESPIPE ? ONLY_FORWARD : "going there failed: %s",
			   strerror(-err));
	return err;
}

void replay_search_begin(struct screen *s, int64_t at_most_ns)
{
	struct replay *r = &s->replay;

	r->from_ns = replay_wall(s);
	if (!r->from_ns || r->searching)
		return;
	r->searching = true;
	r->at_most_ns = at_most_ns;
	replay_hold(s);
	replay_search(s);
}

void replay_search(struct screen *s)
{
	struct replay *r = &s->replay;
	bool has_base = s->snapshots.has_base || r->has_base;
	int64_t found_ns;
	int err = s->source->ops->find(s->source, r->from_ns, &found_ns);

	if (err == -EAGAIN)
		return;
	r->searching = false;
	if (err == -ENOENT) {
		screen_say(s, false, "this is the first snapshot");
		return;
	}
	if (!err && r->at_most_ns && found_ns > r->at_most_ns)
		found_ns = r->at_most_ns;
	err = err ?: replay_go(s, found_ns);
	if (!replay_refuses(s, err))
		r->has_base = !r->at_most_ns && has_base;
}
