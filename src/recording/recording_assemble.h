/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording while it is read: its lines become rows of the snapshot that is being filled. Known
 * to src/recording/recording.c, which gives the snapshots, and src/recording/recording_assemble.c,
 * which fills them.
 */
#ifndef XDPTOP_RECORDING_ASSEMBLE_H
#define XDPTOP_RECORDING_ASSEMBLE_H

#include "base/clock.h"
#include "recording/record_reader.h"
#include "recording/recording_series.h"
#include "model/source.h"

/* A writer that paused so long has written a snapshot. A screen is in more of a hurry. */
#define RECORDING_QUIET_NS       (500 * NSEC_PER_MSEC)
#define RECORDING_QUIET_BATCH_NS (2 * NSEC_PER_SEC)
#define RECORDING_CALL_NS        (500 * NSEC_PER_MSEC) /* longest time in one call of sample() */

struct recording {
	struct source source; /* first: a source is what the callers hold */
	const char *name;
	bool own_fd;
	struct record_reader reader;
	bool have_row; /* its record is not taken yet: the snapshot before is given first */
	bool regular;  /* a file: never waits */
	bool ended;    /* no line is left */
	bool foreign;  /* a run in a schema that is not known ended it */

	/* the snapshot that rows are taken into */
	struct snapshot now; /* its series are in `series` */
	struct recording_series *series;
	size_t netdev_cap;         /* so many are kept before those that are gone are forgotten */
	uint64_t delta[TP_COUNT];  /* events of its interval */
	double attached[TP_COUNT]; /* seconds of it; < 0 = not said, INFINITY = all */
	struct tp_count before[TP_COUNT]; /* the state before it */
	int64_t interval_ns, pace_ns;
	int64_t last_wall_ns; /* when the snapshot before was taken, 0 = there is none */
	uint64_t last_seq;    /* of the snapshot before, 0 = there is none */
	uint32_t seen;        /* tracepoints whose row it has: bits 1 << id */
	bool started;         /* it has a row */
	bool split;           /* the one before was given when its writer paused: more may come */
	bool late;            /* and has come */
	bool complete;        /* it has all, and waits until it is due */
	bool first;       /* of a run: the state before its interval is given as a snapshot, too */
	bool gap;         /* a new run began in the middle of the file */
	uint64_t read_ns; /* when something came last */

	uint64_t given_ns;     /* when a snapshot was given last */
	int64_t given_wall_ns; /* of which time it was */
	int64_t wanted_ns;     /* the time that seek() was asked for */
	bool batch, quiet;
	unsigned int bad_lines;
	char first_bad[256];
	char end_reason[16];
};

/* What was said of bad lines only by a number, or not yet. */
void recording_tell_bad_lines(const struct recording *r);
/* How long a pause tells that there are all rows. */
uint64_t recording_quiet_ns(const struct recording *r);
/* The snapshot being filled has no row yet. */
void recording_begin_snapshot(struct recording *r);
/* The row in r->reader.record is a header: the counts begin anew. */
void recording_begin_run(struct recording *r);
/* Whether the row in hand is the end of a run. */
bool recording_has_end(const struct recording *r);
/*
 * Read until the snapshot has all its rows: 0; 1 = there is none any more, -EAGAIN = not now,
 * else -errno.
 */
int recording_read_snapshot(struct recording *r);

#endif
