/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Position in a replay. A time is reached by reading the ten minutes before it as well, without
 * drawing, because totals, findings, changes and graphs come from earlier snapshots.
 */
#pragma once

#include "base/clock.h"
#include "model/source.h"

struct screen;

/* How much is read before the requested time, so that rates and histories are filled. */
#define REPLAY_LEAD_NS (600 * (int64_t)NSEC_PER_SEC)

/* On the way to a snapshot: nothing is drawn until it is reached. Part of struct screen. */
struct replay {
	uint64_t number;    /* go to the snapshot with this source.number; 0 = by time */
	int64_t wall_ns;    /* go to the first snapshot at or after this time; 0 = by number */
	double speed;       /* of the replay before, or before stepping began */
	bool has_base;      /* the baseline will be set again where it was */
	uint64_t intervals; /* screen.intervals at its arrival */
	bool searching;     /* for the snapshot before, with source_ops.find(): */
	int64_t from_ns;    /* this time */
	int64_t at_most_ns; /* go no further than this; 0 = to where it is */
};

/* Whether the replay is moving to another snapshot, by reading or by searching. */
bool replay_moves(const struct screen *s);
/* The time of the shown snapshot, or of the one that it goes to; 0 = none. */
int64_t replay_wall(const struct screen *s);
/* From now on each snapshot needs a key, and comes at once. */
void replay_hold(struct screen *s);
/* After source_ops.seek(): reads on to `number` or `wall_ns`, without pauses. */
void replay_depart(struct screen *s, uint64_t number, int64_t wall_ns, bool has_base);
/* Goes to a time. 0, or -errno of source_ops.seek(). */
int replay_go(struct screen *s, int64_t wall_ns);
/* Whether err is an error of a move; the screen says so. */
bool replay_refuses(struct screen *s, int err);
/* Says so and returns true if the screen is live. */
bool replay_is_live(struct screen *s);
/*
 * Searches for the snapshot before the shown one and goes there, at most to at_most_ns (0 = no
 * limit). The replay then goes by step.
 */
void replay_search_begin(struct screen *s, int64_t at_most_ns);
/* Searches a little longer. */
void replay_search(struct screen *s);
/* Whether the newest snapshot is the one to go to, or lies after it. */
bool replay_arrives(const struct screen *s);
/* The same, or the recording ended before it. */
void replay_arrived(struct screen *s);
/* Asks for a time to go to. */
void replay_ask(struct screen *s);
