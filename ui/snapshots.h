/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen's snapshots: the last two, the baseline, and a frozen pair during a pause. Sampling
 * continues during a pause, so the first rates after it cover one interval.
 */
#pragma once

#include "model/rates.h"
#include "model/source.h"

struct snapshots {
	struct source *source;
	struct snapshot slot[3]; /* ring; slot[now] is the newest */
	int now;
	unsigned int taken; /* valid slots: 0, 1, 2 */
	uint64_t seq;       /* of the next sample, when live */
	bool gap;           /* sampling had stopped: mark the next sample */
	bool ended;         /* end of the recording */
	bool away;          /* the samples are only read on the way to another time */
	struct rates live;
	struct snapshot base;
	bool has_base;
	bool paused;
	uint64_t paused_ns; /* CLOCK_MONOTONIC */
	struct snapshot frozen[2];
	struct rates still;
};

void snapshots_open(struct snapshots *s, struct source *source);
void snapshots_close(struct snapshots *s);
/* Takes a sample. Returns as source_ops.sample() does. */
int snapshots_sample(struct snapshots *s);
/* Freezes snapshots_rates(), or unfreezes it. */
void snapshots_pause(struct snapshots *s, bool pause);
/* Makes the shown snapshot the baseline. */
void snapshots_baseline(struct snapshots *s);
/* After a seek: forgets samples, baseline and pause. `away` is set until snapshots_arrive(). */
void snapshots_depart(struct snapshots *s);
void snapshots_arrive(struct snapshots *s);
/* Frees the followed events of all snapshots. */
void snapshots_forget_followed(struct snapshots *s);
/*
 * Rates to show; NULL before the first sample and while away. Valid until the next call of a
 * function above.
 */
const struct rates *snapshots_rates(const struct snapshots *s);
/* The newest snapshot, even while paused; NULL before the first. */
const struct snapshot *snapshots_newest(const struct snapshots *s);
