// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include "snapshots.h"
#include "base/clock.h"

void snapshots_open(struct snapshots *f, struct source *source)
{
	memset(f, 0, sizeof(*f));
	f->source = source;
	for (int i = 0; i < 3; i++)
		snapshot_init(&f->slot[i]);
	for (int i = 0; i < 2; i++)
		snapshot_init(&f->frozen[i]);
	snapshot_init(&f->base);
}

void snapshots_close(struct snapshots *f)
{
	for (int i = 0; i < 3; i++)
		snapshot_free(&f->slot[i]);
	for (int i = 0; i < 2; i++)
		snapshot_free(&f->frozen[i]);
	snapshot_free(&f->base);
	rates_free(&f->live);
	rates_free(&f->still);
}

static const struct snapshot *before(const struct snapshots *f)
{
	return f->taken > 1 ? &f->slot[(f->now + 2) % 3] : NULL;
}

/* Rates point into the snapshots: call it after each change of one. */
static int rates_refresh(struct snapshots *f)
{
	const struct snapshot *base = f->has_base ? &f->base : NULL;
	int err = 0;

	if (f->taken)
		err = rates_set(&f->live, before(f), &f->slot[f->now], base);
	if (!err && f->paused)
		err = rates_set(&f->still, f->still.from ? &f->frozen[0] : NULL, &f->frozen[1],
				base);
	return err;
}

int snapshots_sample(struct snapshots *f)
{
	int next = (f->now + 1) % 3, err;
	struct snapshot *to = &f->slot[next];

	snapshot_clear(to);
	err = f->source->ops->sample(f->source, to);
	if (err) {
		f->ended = err == 1;
		return err;
	}
	if (f->source->live)
		to->seq = f->seq++;
	to->gap = to->gap || f->gap;
	f->gap = false;
	f->now = next;
	if (f->taken < 2)
		f->taken++;
	return rates_refresh(f);
}

int snapshots_pause(struct snapshots *f, bool pause)
{
	int err;

	if (pause == f->paused || !f->taken)
		return 0;
	if (!pause) {
		f->paused = false;
		return 0;
	}
	err = snapshot_copy(&f->frozen[1], &f->slot[f->now]);
	if (!err && before(f))
		err = snapshot_copy(&f->frozen[0], before(f));
	if (!err)
		err = rates_set(&f->still, before(f) ? &f->frozen[0] : NULL, &f->frozen[1],
				f->has_base ? &f->base : NULL);
	if (err)
		return err;
	f->paused = true;
	f->paused_ns = clock_ns();
	return 0;
}

int snapshots_baseline(struct snapshots *f)
{
	struct snapshot base;
	int err;

	if (!f->taken)
		return 0;
	snapshot_init(&base);
	err = snapshot_copy(&base, f->paused ? &f->frozen[1] : &f->slot[f->now]);
	if (err)
		return err;
	snapshot_free(&f->base);
	f->base = base;
	f->has_base = true;
	return rates_refresh(f);
}

void snapshots_restart(struct snapshots *f)
{
	f->taken = 0;
	f->ended = false;
	f->paused = false;
	f->has_base = false;
}

const struct rates *snapshots_rates(const struct snapshots *f)
{
	if (f->paused)
		return &f->still;
	return f->taken ? &f->live : NULL;
}

const struct snapshot *snapshots_newest(const struct snapshots *f)
{
	return f->taken ? &f->slot[f->now] : NULL;
}
