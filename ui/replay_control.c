// SPDX-License-Identifier: GPL-2.0-or-later
/* Controls of a replay: speed, seek, position. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/format.h"
#include "base/time_text.h"
#include "pane.h"

void replay_control_speed(struct screen *s, bool faster)
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

/* `last` ends a run; another run may follow it in the file. */
static bool at_end(const struct screen *s)
{
	const struct source *source = s->source;

	return s->snapshots.ended || (source->last && source->at >= source->size);
}

int replay_control_status(const struct screen *s, char *buf, size_t size)
{
	const struct source *source = s->source;
	char where[24] = "", speed[24] = "";

	bool seeking = source->seeking || s->back.number;

	if (at_end(s) && !seeking)
		return snprintf(buf, size, "recording, at its end");
	if (source->size)
		snprintf(where, sizeof(where), " %u%%",
			 (unsigned int)(source->at < source->size ? source->at * 100 / source->size
								  : 100));
	if (seeking)
		return snprintf(buf, size, "recording, seeking%s", where);
	if (!s->by_step && (source->speed < 1 || source->speed > 1))
		snprintf(speed, sizeof(speed), " x%g", source->speed);
	return snprintf(buf, size, "recording%s%s", where, speed);
}

static bool time_accept(struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);
	struct timespec to = now ? now->wall : s->source->host.start;
	struct prompt *p = &s->prompt;
	int err;

	if (!time_text_parse(p->text, &to)) {
		snprintf(p->why, sizeof(p->why), "'%.40s' is no time; give " TIME_TEXT_FORMS,
			 p->text);
		return false;
	}
	err = s->source->ops->seek ? s->source->ops->seek(s->source, &to) : -EOPNOTSUPP;
	if (err == -ESPIPE)
		snprintf(p->why, sizeof(p->why),
			 "a recording that comes through a pipe cannot go back");
	else if (err)
		snprintf(p->why, sizeof(p->why), "going there failed: %s", strerror(-err));
	if (err)
		return false;
	if (s->back.number)
		s->source->speed = s->back.speed;
	s->back.number = 0;
	s->back.has_base = false;
	screen_restart(s);
	return true;
}

static const struct prompt_kind prompt_time = {
	.label = "Go to (09:15:30, +90, -5m): ",
	.brief = "Go to: ",
	.accept = time_accept,
};

void replay_control_seek(struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);
	char buf[16] = "";

	if (now)
		format_clock(buf, sizeof(buf), &now->wall);
	prompt_open(&s->prompt, &prompt_time, buf);
}

void replay_control_base(struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);

	if (!s->back.has_base ||
	    timespec_to_ns(&now->wall) != timespec_to_ns(&s->snapshots.base.wall) ||
	    snapshots_baseline(&s->snapshots))
		return;
	history_forget_peaks(&s->row_history.history);
	s->back.has_base = false;
}

/* Until the keyboard is looked at again. */
#define BACK_NS (50 * NSEC_PER_MSEC)

int replay_control_back(struct screen *s, int (*take)(struct screen *s))
{
	uint64_t end = clock_ns() + BACK_NS;
	int err;

	do {
		err = take(s);
	} while (!err && s->source->number < s->back.number && clock_ns() < end);
	if (err == -EAGAIN || (!err && s->source->number < s->back.number))
		return -EAGAIN;
	s->back.number = 0;
	s->source->speed = s->back.speed;
	return err;
}

/* Number of the snapshot before the shown one, or before the one that is gone back to; 0 = none. */
static uint64_t number_before(const struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);

	if (s->back.number)
		return s->back.number - 1;
	/* the state before a run's first interval is none of those that are counted */
	return s->source->number - (s->source->number && now && now->seq);
}

/*
 * What is known of a snapshot comes from all before it: totals, findings, names. So the file is
 * read again up to the one before, which takes no memory and is the same as it was.
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
	screen_restart(s);
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
	/* nothing has come meanwhile */
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
