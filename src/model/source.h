/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface of the screen and the batch outputs to a source of snapshots: the running kernel
 * (src/source/live_source.c) or a recording (src/recording/recording.c).
 */
#pragma once

#include "base/error.h"
#include "model/capture.h"

/* The interval in seconds, and the text for help and messages. */
#define SOURCE_INTERVAL_MIN   0.1
#define SOURCE_INTERVAL_MAX   3600
#define SOURCE_INTERVAL_RANGE "0.1 to 3600"

#define SOURCE_LOOK_MS 20 /* from one look() to the next */

#define SOURCE_SPEED_MIN 0.01
#define SOURCE_SPEED_MAX 1000.0

struct follow_filter; /* src/model/followed.h */
struct netns_names;   /* src/model/netns_names.h */
struct source;
struct timeline; /* src/model/timeline.h */

struct source_ops {
	/*
	 * Fill a cleared snapshot with the current counts: everything but seq (a recording also
	 * sets seq: its first snapshot is the state before the first interval, seq 0). 0; -errno =
	 * sampling failed for good. Recordings only: 1 = end, -EAGAIN = the next snapshot is not
	 * there or not due yet (see due()); the snapshot is then untouched.
	 */
	int (*sample)(struct source *s, struct snapshot *to);
	/*
	 * Ask for a tracepoint to be on (1), off (0) or the opposite of the last request (-1: a
	 * snapshot may show an older state). Returns the new request at once, 1 or 0: a worker
	 * attaches, in up to 18 ms, and the next samples show state and pending. -EOPNOTSUPP in a
	 * recording, -ENOENT when missing or failed in this kernel.
	 */
	int (*toggle)(struct source *s, unsigned int tracepoint, int on);
	/*
	 * Follow the events of a filter instead of an earlier one. NULL or no tracepoint = none.
	 * Snapshots have these events, and those of series that are newer than the filter;
	 * tp[TP_FOLLOW] says whether following is on, and why not. May wait for the end of the
	 * previous filter. NULL in a recording. -ENOENT = none of its tracepoints can be followed,
	 * with the reason in *error, and the previous filter stays; any other error ends it.
	 */
	int (*follow)(struct source *s, const struct follow_filter *filter, struct error *error);
	/* After each sample while events are followed: the series of the snapshot to go on with. */
	void (*follow_series)(struct source *s, const struct follow_filter *filter);
	/*
	 * Copy the heads of packets that match, and no longer those of an earlier filter. Hand them
	 * to fn in look(), in sample() and before this returns. No filter = copy none. -ENOENT =
	 * packets cannot be copied, with the reason in *error. NULL in a recording.
	 */
	int (*capture)(struct source *s, const struct capture_filter *filter, packet_fn fn,
		       void *ctx, struct error *error);
	/*
	 * Packets of a program (0 = of all) that matched since the start. Returns NULL, or why
	 * packets of some programs cannot be copied, or why no packets are copied now.
	 */
	const char *(*captured)(struct source *s, uint32_t prog_id, struct capture_counts *n);
	/*
	 * Between two snapshots, see source_look_ms(): take followed events out of the rings, which
	 * are small if there are many CPUs, for the next snapshot. Trace programs that were
	 * attached meanwhile. NULL in a recording.
	 */
	void (*look)(struct source *s);
	/* stop: detach all (^Z); else attach again what was on. Waits. May be NULL. */
	int (*suspend)(struct source *s, bool stop);
	/*
	 * Recordings only, NULL when live: milliseconds until the next snapshot is due at the
	 * chosen pace (0 = now); -1 = when source.fd becomes readable. A screen may also call
	 * sample() at every tick of its own.
	 */
	int (*due)(struct source *s);
	/*
	 * Only for recordings; NULL when live. After it, sample() returns -EAGAIN until it has
	 * found `to`. Then it yields the snapshot before `to`, and next the first at or after `to`,
	 * both without delay and with `gap` set. If no snapshot is that late, it yields the last
	 * one, or returns -ENODATA in batch mode. A time of 0 means the start. Returns 0, -ESPIPE
	 * if `to` has passed and the input is a pipe, or -errno.
	 */
	int (*seek)(struct source *s, const struct timespec *to);
	/*
	 * Recordings only, NULL when live: search the snapshot before a time for at most 50 ms. 0 =
	 * *found_ns is its time; -EAGAIN = call again; -ENOENT = there is none; -ESPIPE when the
	 * input is a pipe. sample() is not affected.
	 */
	int (*find)(struct source *s, int64_t before_ns, int64_t *found_ns);
	/*
	 * Recordings only, NULL when live: read incidents for at most 50 ms. *t has those of what
	 * was read so far, until the next call. 0 = all was read; -EAGAIN = call again; -ESPIPE
	 * when the input is a pipe. `again` reads the end again. sample() is not affected.
	 */
	int (*incidents)(struct source *s, bool again, struct timeline **t);
	/*
	 * Whether toggling and reading work with the current capabilities: 0 or -errno. Counts
	 * nothing. NULL = needs no capabilities.
	 */
	int (*capability_check)(struct source *s);
	void (*close)(struct source *s);
};

struct source {
	const struct source_ops *ops;
	struct snapshot_host host;
	bool live;
	struct netns_names *netns; /* names of its namespaces */
	/* of a recording: */
	int fd;            /* readable when it may have more; -1 when live */
	bool last;         /* the snapshot just sampled is the last one */
	double speed;      /* times the original pace; 0 = no pace. May be set at any time */
	bool seeking;      /* seek() has not found its snapshot yet */
	uint64_t at, size; /* bytes read, and of the file or directory; 0 = unknown */
	bool is_long;      /* a directory, or a span of over an hour: its timeline comes first */
	bool segments;     /* a directory: seeking is cheap, and `number` means nothing */
	bool grows;        /* a recorder still writes there: `last_ns` advances */
	int no_more;       /* -errno if a recorder perhaps still writes, where it cannot be read */
	int64_t first_ns, last_ns; /* of its snapshots, CLOCK_REALTIME; 0 = unknown */
	int64_t start_ns;          /* where a screen begins; 0 = at the start */
	/*
	 * Position in the input of the last snapshot that was sampled, from 1; the state before a
	 * run's first interval does not count. 0 = none yet.
	 */
	uint64_t number;
	const char *end_reason; /* from the recording's end record; NULL = it is truncated */
};

/*
 * Why a process beside the monitor ended, returned once; else NULL. The caller keeps pid[] between
 * calls. It is 0 at first.
 */
static inline const char *source_process_ended(const struct source *s, uint32_t pid[PROCESSES])
{
	const char *why = NULL;

	for (int i = 0; i < PROCESSES; i++) {
		if (s->live && pid[i] && !s->host.process[i].pid)
			why = s->host.process[i].reason;
		pid[i] = s->host.process[i].pid;
	}
	return why;
}

/* Milliseconds until the next look(); -1 = there is none. */
static inline int source_look_ms(const struct source *s, bool follows)
{
	return s->live && (follows || s->host.process[PROCESS_VERDICTS].pid) ? SOURCE_LOOK_MS : -1;
}
