/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface of the screen and the batch outputs to what makes snapshots: the running kernel
 * (src/source/live_source.c) or a recording (src/recording/recording.c).
 */
#ifndef XDPTOP_SOURCE_H
#define XDPTOP_SOURCE_H

#include "model/snapshot.h"

/* The interval in seconds; the text for help and messages. */
#define SOURCE_INTERVAL_MIN   0.1
#define SOURCE_INTERVAL_MAX   3600
#define SOURCE_INTERVAL_RANGE "0.1 to 3600"

#define SOURCE_LOOK_MS 20 /* from one look() to the next */

#define SOURCE_SPEED_MIN 0.01
#define SOURCE_SPEED_MAX 1000.0

struct follow_filter; /* src/model/followed.h */
struct netns_names;   /* src/model/netns_names.h */
struct source;

struct source_ops {
	/*
	 * Fill a cleared snapshot with the counts of now; sets everything but seq (a recording sets
	 * that, too: its first snapshot is the state before the first interval, seq 0). 0; -errno
	 * when sampling failed for good. Recordings only: 1 = it has ended, -EAGAIN = the next
	 * snapshot is not there or not due yet (see due()); the snapshot is untouched then.
	 */
	int (*sample)(struct source *s, struct snapshot *to);
	/*
	 * Ask for a tracepoint to be on (1), off (0) or the reverse of what was asked for last (-1:
	 * what a snapshot shows may be older). Returns at once what is asked for now, 1 or 0
	 * (attaching takes up to 18 ms and is done by a worker; the next samples show state and
	 * pending). -EOPNOTSUPP in a recording, -ENOENT when missing or failed in this kernel.
	 */
	int (*toggle)(struct source *s, unsigned int tracepoint, int on);
	/*
	 * Follow the events of a filter from now on; those of an earlier filter come no more. NULL
	 * or no tracepoint = none. Snapshots have them, and tp[TP_FOLLOW] says whether it is on,
	 * and why not. May wait for the end of the filter before. NULL in a recording; -ENOENT
	 * where none of its tracepoints can be followed, with the reason in `why`: the filter
	 * before stays then, while any other error ends it.
	 */
	int (*follow)(struct source *s, const struct follow_filter *filter, char *why, size_t size);
	/*
	 * Between two snapshots, see source_look_ms(): take the events that are followed out of the
	 * rings, which are small where there are many CPUs, for the next one; trace programs that
	 * were attached since. NULL in a recording.
	 */
	void (*look)(struct source *s);
	/*
	 * stop: detach all (^Z), else attach again those that were on. Waits. May be NULL.
	 */
	int (*suspend)(struct source *s, bool stop);
	/*
	 * Of a recording, NULL when live: milliseconds until the next snapshot is due at the pace
	 * asked for (0 = now); -1 = when source.fd becomes readable. A screen may as well call
	 * sample() at every tick of its own.
	 */
	int (*due)(struct source *s);
	/*
	 * Recordings only, NULL when live: sample() yields the snapshot before `to`, then the first
	 * at or after it (else the last), without delay and with `gap` set; -EAGAIN until it is
	 * found. 0; -ESPIPE when `to` is behind and the input is a pipe; else -errno.
	 */
	int (*seek)(struct source *s, const struct timespec *to);
	/*
	 * Recordings only, NULL when live: the next sample() is the first one again, and nothing
	 * that was read counts. 0; -ESPIPE when the input is a pipe; else -errno.
	 */
	int (*rewind)(struct source *s);
	/*
	 * Whether toggling and reading work with the current capabilities: 0 or -errno. Counts
	 * nothing. May be NULL: none are needed.
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
	double speed;      /* times as fast as it was; 0 = no pace. May be set at any time */
	bool seeking;      /* seek() has not found its snapshot yet */
	uint64_t at, size; /* bytes read, and of the file; 0 = not known */
	/*
	 * The place in the input of the last snapshot that was sampled, from 1 on; the state before
	 * a run's first interval does not count. 0 = none yet.
	 */
	uint64_t number;
	const char *end_reason; /* from the recording's end record; NULL = it is truncated */
};

/* Once, when the process that traces programs has ended: why. *pid is its pid, 0 at first. */
static inline const char *source_tracer_ended(const struct source *s, uint32_t *pid)
{
	bool ended = s->live && *pid && !s->host.verdicts_pid;

	*pid = s->host.verdicts_pid;
	return ended ? s->host.verdicts_reason : NULL;
}

/* Until the next look(); -1 = there is none. */
static inline int source_look_ms(const struct source *s, bool follows)
{
	return s->live && (follows || s->host.verdicts_pid) ? SOURCE_LOOK_MS : -1;
}

#endif
