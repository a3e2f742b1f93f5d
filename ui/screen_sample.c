// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes samples, and adds each to events, findings and history. */
#include <errno.h>
#include <string.h>
#include "base/clock.h"
#include "base/message.h"
#include "follow.h"
#include "screen_sample.h"
#include "screen_table.h"

/* -n: the last snapshot stays visible for its interval, so the run ends at the next one. */
static bool is_enough(struct screen *s)
{
	const struct batch_config *batch = &s->options->batch;
	uint64_t now_ns = snapshots_newest(&s->snapshots)->mono_ns;

	if (!s->begun_ns)
		s->begun_ns = now_ns;
	/* the first sample, and the one after a gap, complete no interval */
	return (batch->iterations && s->intervals > batch->iterations) ||
	       (batch->seconds > 0 && ns_to_seconds(now_ns - s->begun_ns) >= batch->seconds);
}

/* After going back, sets the baseline again when its snapshot is read again. */
static void base_set_again(struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);

	if (!s->replay.has_base ||
	    timespec_to_ns(&now->wall) != timespec_to_ns(&s->snapshots.base.wall) ||
	    snapshots_baseline(&s->snapshots))
		return;
	history_forget_peaks(&s->row_history.history);
	s->replay.has_base = false;
}

/* Returns as source_ops.sample() does. */
static int sample_take(struct screen *s)
{
	int err = snapshots_sample(&s->snapshots);

	if (err < 0 && err != -EAGAIN)
		screen_end(s, EXIT_FAILED, "sampling failed: %s", strerror(-err));
	if (err)
		return err;
	event_log_take(&s->events, snapshots_newest(&s->snapshots));
	follow_take(s);
	err = findings_update(&s->findings, &s->snapshots.live, s->netns);
	if (err == -ECANCELED)
		s->done = true;
	else if (err)
		screen_end(s, EXIT_FAILED, "out of memory for the findings");
	row_history_add(&s->row_history, &s->snapshots.live, &s->findings, s->view_state,
			!s->source->live);
	base_set_again(s);
	s->intervals += s->snapshots.live.from && !s->snapshots.live.to->gap;
	return err;
}

/* Longest time without a look at the keyboard. */
#define BACK_NS (50 * NSEC_PER_MSEC)

/* Reads on to where the replay goes: 0 when it is there, -EAGAIN while that takes longer; else as
 * sample_take(). */
static int move_take(struct screen *s)
{
	uint64_t end = clock_ns() + BACK_NS;
	int err;

	do {
		err = sample_take(s);
	} while (!err && !s->done && !replay_arrives(s) && clock_ns() < end);
	if (err == -EAGAIN || (!err && !replay_arrives(s)))
		return -EAGAIN;
	replay_arrived(s);
	return err;
}

void screen_sample_take(struct screen *s)
{
	int err;

	if (s->replay.searching) {
		replay_search(s);
		return;
	}
	err = replay_moves(s) ? move_take(s) : sample_take(s);

	s->sample_at_ns = 0;
	if (err == -EAGAIN)
		return;
	s->steps -= s->steps > 0;
	if (err < 0)
		return;
	if (err == 1) {
		s->steps = 0;
		screen_say(s, false, "the recording ends here; q quits");
		/* no later sample sorts the rows that stay */
		s->ordered_ns = 0;
		screen_refresh(s);
		return;
	}
	screen_record_sample(s);
	if (is_enough(s))
		s->done = true;
	screen_refresh(s);
}

void screen_sample(struct screen *s)
{
	if (s->snapshots.ended && !s->replay.searching)
		return;
	screen_sample_take(s);
	/* Restarts the interval: the next deadline could be a millisecond away. */
	if (s->source->live)
		event_loop_set(&s->loop, follow_interval(s));
}
