// SPDX-License-Identifier: GPL-2.0-or-later
/* Pause, samples and interval, and in a replay speed and steps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "actions.h"
#include "follow.h"
#include "screen_table.h"

void action_pause(struct screen *s)
{
	/* stepping began with a key, not with --step */
	if (s->by_step && !s->options->recording.step && !s->snapshots.paused) {
		s->by_step = false;
		if (!replay_moves(s))
			s->source->speed = s->replay.speed;
		screen_say(s, false, "replay resumed");
		return;
	}
	if (!s->snapshots.paused) {
		findings_copy(&s->findings_still, &s->findings);
		event_log_copy(&s->events_still, &s->events);
		follow_log_copy(&s->followed_still, &s->followed);
	}
	snapshots_pause(&s->snapshots, !s->snapshots.paused);
	history_hold_peaks(&s->row_history.history, s->snapshots.paused);
	screen_rebuild(s);
}

void action_sample(struct screen *s)
{
	if (s->snapshots.paused) {
		screen_say(s, false, "paused: p resumes");
		return;
	}
	if (s->source->live)
		s->sample_at_ns = clock_ns();
	else if (!s->snapshots.ended)
		s->steps++;
}

static void interval_set(struct screen *s, double seconds)
{
	const double before = s->interval_s;
	int err;

	s->interval_s = seconds;
	err = event_loop_set(&s->loop, follow_interval(s));
	if (err) {
		s->interval_s = before;
		screen_say(s, true, "the interval is unchanged: %s", strerror(-err));
		return;
	}
	screen_say(s, false, "interval: %g s", seconds);
}

static bool interval_accept(struct screen *s)
{
	struct prompt *p = &s->prompt;
	char text[PROMPT_SIZE], *end;
	double seconds;

	snprintf(text, sizeof(text), "%s", p->text);
	for (char *c = text; *c; c++)
		if (*c == ',')
			*c = '.';
	/* LC_NUMERIC is C, so strtod() takes a point in every locale. */
	seconds = strtod(text, &end);
	while (*end == ' ' || *end == 's')
		end++;
	if (end == text || *end ||
	    !(seconds >= SOURCE_INTERVAL_MIN && seconds <= SOURCE_INTERVAL_MAX)) {
		error_set(&p->error, -EINVAL,
			  "'%.40s' is not a number of seconds from " SOURCE_INTERVAL_RANGE,
			  p->text);
		return false;
	}
	interval_set(s, seconds);
	return true;
}

static const struct prompt_kind prompt_interval = {
	.label = "Interval in seconds (" SOURCE_INTERVAL_RANGE "): ",
	.brief = "Seconds: ",
	.accept = interval_accept,
};

void action_interval(struct screen *s)
{
	char buf[32];

	if (!s->source->live) {
		replay_ask(s);
		return;
	}
	snprintf(buf, sizeof(buf), "%g", s->interval_s);
	prompt_open(&s->prompt, &prompt_interval, buf);
}

/* Keys that move in a replay. */

#define MINUTE (60 * NSEC_PER_SEC)

/* source.number of the snapshot before the shown one, or before the one to go to; 0 = none. */
static uint64_t number_before(const struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);

	if (s->replay.number)
		return s->replay.number - 1;
	/* a run's first snapshot (seq 0) precedes its first interval and has no number */
	return s->source->number - (s->source->number && now && now->seq);
}

/*
 * Totals, findings and names come from all earlier snapshots, so a file is read again up to the
 * previous one, which takes no memory and gives the same as before.
 */
static void step_back(struct screen *s)
{
	bool has_base = s->snapshots.has_base || s->replay.has_base;
	const struct timespec start = { 0 };
	uint64_t to = number_before(s);

	if (s->source->segments) {
		replay_search_begin(s, 0);
		return;
	}
	if (!to)
		screen_say(s, false, "this is the first snapshot");
	if (!to || replay_refuses(s, s->source->ops->seek(s->source, &start)))
		return;
	replay_hold(s);
	replay_depart(s, to, 0, has_base);
	s->intervals = 0;
}

static void step_forward(struct screen *s)
{
	/* a paused replay has not advanced */
	if (s->snapshots.paused)
		action_pause(s);
	replay_hold(s);
	if (s->snapshots.ended)
		screen_say(s, false, "the recording ends here; q quits");
	else if (!replay_moves(s))
		action_sample(s);
}

bool replay_is_live(struct screen *s)
{
	if (s->source->live)
		screen_say(s, false, "only a replay has snapshots to step through; o records one");
	return s->source->live;
}

void replay_step(struct screen *s)
{
	if (replay_is_live(s))
		return;
	if (s->key == ',')
		step_back(s);
	else
		step_forward(s);
}

/* If nothing was recorded for over a minute, [ goes to the last snapshot before that gap. */
void replay_minute(struct screen *s)
{
	int64_t now_ns = replay_wall(s);

	if (replay_is_live(s) || !now_ns)
		return;
	if (s->key == '[') {
		replay_search_begin(s, now_ns - MINUTE);
		return;
	}
	if (s->snapshots.ended && !replay_moves(s)) {
		screen_say(s, false, "the recording ends here; q quits");
		return;
	}
	replay_hold(s);
	replay_refuses(s, replay_go(s, now_ns + MINUTE));
}
