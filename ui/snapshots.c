// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include "snapshots.h"
#include "base/clock.h"
#include "base/event_loop.h"

void snapshots_open(struct snapshots *s, struct source *source)
{
	memset(s, 0, sizeof(*s));
	s->source = source;
	if (!source->live)
		s->live.is_cancelled = s->still.is_cancelled = event_loop_ends;
}

void snapshots_close(struct snapshots *s)
{
	for (int i = 0; i < 3; i++)
		snapshot_free(&s->slot[i]);
	for (int i = 0; i < 2; i++)
		snapshot_free(&s->frozen[i]);
	snapshot_free(&s->base);
	rates_free(&s->live);
	rates_free(&s->still);
}

static const struct snapshot *snapshot_before(const struct snapshots *s)
{
	return s->taken > 1 ? &s->slot[(s->now + 2) % 3] : NULL;
}

/* Rates point into the snapshots, so call it after each change of a snapshot. */
static void rates_refresh(struct snapshots *s)
{
	const struct snapshot *base = s->has_base ? &s->base : NULL;

	if (s->taken)
		rates_set(&s->live, snapshot_before(s), &s->slot[s->now], base);
	if (s->paused)
		rates_set(&s->still, s->still.from ? &s->frozen[0] : NULL, &s->frozen[1], base);
}

/* This memory is as large as the ring, and only the newest snapshot needs it. */
static void followed_move(struct snapshot *to, struct snapshot *from)
{
	struct followed *memory = to->followed;
	size_t cap = to->cap_followed;

	to->followed = from->followed;
	to->cap_followed = from->cap_followed;
	from->followed = memory;
	from->cap_followed = cap;
	from->n_followed = 0;
}

int snapshots_sample(struct snapshots *s)
{
	int next = (s->now + 1) % 3, err;
	struct snapshot *to = &s->slot[next];

	snapshot_clear(to);
	/* a recording may not have the next snapshot yet */
	if (s->source->live)
		followed_move(to, &s->slot[s->now]);
	err = s->source->ops->sample(s->source, to);
	if (err) {
		s->ended = err == 1;
		return err;
	}
	if (s->source->live)
		to->seq = s->seq++;
	to->gap = to->gap || s->gap;
	s->gap = false;
	s->now = next;
	if (s->taken < 2)
		s->taken++;
	rates_refresh(s);
	return 0;
}

void snapshots_pause(struct snapshots *s, bool pause)
{
	if (pause == s->paused || !s->taken || s->away)
		return;
	if (!pause) {
		s->paused = false;
		return;
	}
	snapshot_copy(&s->frozen[1], &s->slot[s->now]);
	if (snapshot_before(s))
		snapshot_copy(&s->frozen[0], snapshot_before(s));
	rates_set(&s->still, snapshot_before(s) ? &s->frozen[0] : NULL, &s->frozen[1],
		  s->has_base ? &s->base : NULL);
	s->paused = true;
	s->paused_ns = clock_ns();
}

void snapshots_baseline(struct snapshots *s)
{
	if (!s->taken)
		return;
	snapshot_copy(&s->base, s->paused ? &s->frozen[1] : &s->slot[s->now]);
	s->has_base = true;
	rates_refresh(s);
}

void snapshots_depart(struct snapshots *s)
{
	s->away = true;
	s->taken = 0;
	s->ended = false;
	s->paused = false;
	s->has_base = false;
}

void snapshots_arrive(struct snapshots *s)
{
	s->away = false;
}

static void snapshot_forget(struct snapshot *s)
{
	free(s->followed);
	s->followed = NULL;
	s->n_followed = s->cap_followed = 0;
}

void snapshots_forget_followed(struct snapshots *s)
{
	for (int i = 0; i < 3; i++)
		snapshot_forget(&s->slot[i]);
	for (int i = 0; i < 2; i++)
		snapshot_forget(&s->frozen[i]);
	snapshot_forget(&s->base);
}

const struct rates *snapshots_rates(const struct snapshots *s)
{
	if (s->paused)
		return &s->still;
	return s->taken && !s->away ? &s->live : NULL;
}

const struct snapshot *snapshots_newest(const struct snapshots *s)
{
	return s->taken ? &s->slot[s->now] : NULL;
}
