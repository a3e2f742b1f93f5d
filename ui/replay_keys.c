// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys that move in a replay. */
#include "actions.h"

#define MINUTE (60 * NSEC_PER_SEC)

/* source.number of the snapshot before the shown one, or before that gone to; 0 = none. */
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
	uint64_t to = number_before(s);

	if (s->source->segments) {
		replay_search_begin(s, 0);
		return;
	}
	if (!to)
		screen_say(s, false, "this is the first snapshot");
	if (!to || replay_refuses(s, s->source->ops->rewind(s->source)))
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

/* Where nothing was recorded for longer, a minute back is the last snapshot before. */
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
