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
		screen_say(s, true, "the interval stays: %s", strerror(-err));
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
