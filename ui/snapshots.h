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

struct feed {
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

void feed_open(struct feed *f, struct source *source);
void feed_close(struct feed *f);
/* Take a sample; results as source_ops.sample(). */
int feed_sample(struct feed *f);
/* Freeze what feed_rates() gives, or let it go on. 0 or -ENOMEM (it then goes on). */
int feed_pause(struct feed *f, bool pause);
/* Totals count from what is shown now. 0 or -ENOMEM (the old one stays). */
int feed_baseline(struct feed *f);
/* Forget all that was sampled, the baseline and the pause: the recording goes on elsewhere. */
void feed_restart(struct feed *f);
/* What to show; NULL before the first sample. Valid until the next call of the above. */
const struct rates *feed_rates(const struct feed *f);
/* The newest snapshot, also while paused; NULL before the first. */
const struct snapshot *feed_newest(const struct feed *f);

/* CLOCK_MONOTONIC, ns */
uint64_t monotonic_ns(void);

#endif
