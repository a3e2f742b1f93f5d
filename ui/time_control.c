// SPDX-License-Identifier: GPL-2.0-or-later
/* Pause, samples and interval, and in a replay speed and position. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/format.h"
#include "base/time_text.h"
#include "actions.h"
#include "follow.h"
#include "screen_table.h"

void action_pause(struct screen *s)
{
	/* stepping began with a key, not with --step */
	if (s->by_step && !s->options->recording.step && !s->snapshots.paused) {
		s->by_step = false;
		screen_say(s, false, "replay resumed");
		return;
	}
	if ((!s->snapshots.paused && (findings_copy(&s->findings_still, &s->findings) ||
				      event_log_copy(&s->events_still, &s->events) ||
				      follow_log_copy(&s->followed_still, &s->followed))) ||
	    snapshots_pause(&s->snapshots, !s->snapshots.paused))
		screen_say(s, true, "out of memory: cannot pause");
	else
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

static void speed_set(struct screen *s, bool faster)
{
	double speed = s->source->speed * (faster ? 2 : 0.5);

	if (s->by_step) {
		screen_say(s, false, "by step: Space gives the next snapshot");
		return;
	}
	speed = fmin(fmax(speed, SOURCE_SPEED_MIN), SOURCE_SPEED_MAX);
	if (faster ? speed <= s->source->speed : speed >= s->source->speed) {
		screen_say(s, false, faster ? "no faster than x%g" : "no slower than x%g", speed);
		return;
	}
	s->source->speed = speed;
	screen_say(s, false, "replay x%g", speed);
}

/* Forgets all samples, because the next ones are from another time. */
static void restart(struct screen *s)
{
	screen_record_end(s);
	snapshots_restart(&s->snapshots);
	row_history_free(&s->row_history);
	event_log_clear(&s->events);
	follow_log_free(&s->followed);
	findings_free(&s->findings);
	s->table.n_rows = 0;
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
	err = s->source->ops->seek ? s->source->ops->seek(s->source, &to) : -EOPNOTSUPP;
	if (err == -ESPIPE)
		error_set(&p->error, -EINVAL,
			  "a recording that comes through a pipe cannot go back");
	else if (err)
		error_set(&p->error, -EINVAL, "going there failed: %s", strerror(-err));
	if (err)
		return false;
	if (s->back.number)
		s->source->speed = s->back.speed;
	s->back.number = 0;
	s->back.has_base = false;
	restart(s);
	return true;
}

static const struct prompt_kind prompt_time = {
	.label = "Go to (09:15:30, +90, -5m): ",
	.brief = "Go to: ",
	.accept = time_accept,
};

static void seek_ask(struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);
	char buf[16] = "";

	if (now)
		format_clock(buf, sizeof(buf), &now->wall);
	prompt_open(&s->prompt, &prompt_time, buf);
}

/* source.number of the snapshot before the shown one, or before s->back.number; 0 = none. */
static uint64_t number_before(const struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);

	if (s->back.number)
		return s->back.number - 1;
	/* a run's first snapshot (seq 0) precedes its first interval and has no number */
	return s->source->number - (s->source->number && now && now->seq);
}

/*
 * Totals, findings and names come from all earlier snapshots, so the file is read again up to the
 * previous one, which takes no memory and gives the same as before.
 */
static void step_back(struct screen *s)
{
	bool has_base = s->snapshots.has_base || s->back.has_base;
	uint64_t to = number_before(s);
	int err = to ? s->source->ops->rewind(s->source) : 0;

	if (!to) {
		screen_say(s, false, "this is the first snapshot");
		return;
	}
	if (err) {
		screen_say(s, true,
			   err == -ESPIPE ? "a recording that comes through a pipe cannot go back"
					  : "going back failed: %s",
			   strerror(-err));
		return;
	}
	restart(s);
	s->intervals = 0;
	s->by_step = true;
	if (!s->back.number)
		s->back.speed = s->source->speed;
	s->source->speed = 0;
	s->back.number = to;
	s->back.has_base = has_base;
}

static void step_forward(struct screen *s)
{
	/* a paused replay has not advanced */
	if (s->snapshots.paused)
		action_pause(s);
	s->by_step = true;
	if (s->snapshots.ended)
		screen_say(s, false, "the recording ends here; q quits");
	else if (!s->back.number)
		action_sample(s);
}

void replay_step(struct screen *s)
{
	if (s->source->live)
		screen_say(s, false, "only a replay has snapshots to step through; o records one");
	else if (s->step < 0)
		step_back(s);
	else
		step_forward(s);
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
		seek_ask(s);
		return;
	}
	snprintf(buf, sizeof(buf), "%g", s->interval_s);
	prompt_open(&s->prompt, &prompt_interval, buf);
}

/* Sets the next longer or shorter interval or, in a replay, the next speed. */
void action_pace(struct screen *s)
{
	static const double intervals[] = {
		SOURCE_INTERVAL_MIN, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600, 1800,
		SOURCE_INTERVAL_MAX
	};
	const int n = sizeof(intervals) / sizeof(intervals[0]);

	if (!s->source->live) {
		speed_set(s, s->step > 0);
		return;
	}
	for (int i = s->step > 0 ? 0 : n - 1; i >= 0 && i < n; i += s->step) {
		if ((intervals[i] / s->interval_s - 1) * s->step > 0.001) {
			interval_set(s, intervals[i]);
			return;
		}
	}
	screen_say(s, false, "the %s interval is %g s", s->step > 0 ? "longest" : "shortest",
		   s->step > 0 ? (double)SOURCE_INTERVAL_MAX : SOURCE_INTERVAL_MIN);
}
