/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The snapshots that the screen shows: the last two, the baseline, and the frozen pair while it is
 * paused. Sampling goes on during a pause, so that the first rates after it are of one interval.
 */
#ifndef XDPTOP_UI_SNAPSHOTS_H
#define XDPTOP_UI_SNAPSHOTS_H

#include <stdbool.h>
#include "model/rates.h"
#include "model/source.h"

struct snapshots {
	struct source *source;
	struct snapshot slot[3]; /* slot[now] is the newest, the next sample goes after it */
	int now;
	unsigned int taken; /* samples to show: 0, 1, 2 */
	uint64_t seq;       /* of the next one, when live */
	bool gap;           /* sampling had stopped: the next one says so */
	bool ended;         /* the recording has no more */
	struct rates live;
	struct snapshot base;
	bool has_base;
	bool paused;
	uint64_t paused_ns; /* CLOCK_MONOTONIC */
	struct snapshot frozen[2];
	struct rates still;
};

void snapshots_open(struct snapshots *f, struct source *source);
void snapshots_close(struct snapshots *f);
/* Take a sample; results as source_ops.sample(). */
int snapshots_sample(struct snapshots *f);
/* Freeze what snapshots_rates() gives, or let it go on. 0 or -ENOMEM (it then goes on). */
int snapshots_pause(struct snapshots *f, bool pause);
/* Totals count from what is shown now. 0 or -ENOMEM (the old one stays). */
int snapshots_baseline(struct snapshots *f);
/* Forget all that was sampled, the baseline and the pause: the recording goes on elsewhere. */
void snapshots_restart(struct snapshots *f);
/* What to show; NULL before the first sample. Valid until the next call of the above. */
const struct rates *snapshots_rates(const struct snapshots *f);
/* The newest snapshot, also while paused; NULL before the first. */
const struct snapshot *snapshots_newest(const struct snapshots *f);

#endif
