/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --record: writes snapshots into segments in a directory, and removes the oldest segments. A
 * segment is a row of zstd frames. Each frame begins with a header and a snapshot with all rows, so
 * that it can be read alone. After recorder_commit() the snapshot is on disk, unless the disk is
 * full: then it waits in memory. doc/recording.md has the format.
 */
#ifndef XDPTOP_RECORDER_H
#define XDPTOP_RECORDER_H

#include <limits.h>
#include "base/clock.h"
#include "model/snapshot.h"
#include "output/sink.h"
#include "recording/segment_name.h"

/* A frame ends after a minute if it has this much, so that a time in it is found fast. */
#define RECORDER_FRAME_NS     (60 * NSEC_PER_SEC)
#define RECORDER_FRAME_BYTES  (20u << 10) /* compressed */
#define RECORDER_FRAME_MAX_NS (600 * NSEC_PER_SEC)
#define RECORDER_SEGMENT_NS   (3600 * NSEC_PER_SEC)
/* A segment takes at most this part of --keep SIZE and of the disk, so the oldest can go. */
#define RECORDER_SEGMENT_PART 8

struct recorder_config {
	const char *path;    /* the directory; NULL = nothing to record */
	double keep_s;       /* remove segments whose last snapshot is older; 0 = never */
	uint64_t keep_bytes; /* of all segments; 0 = no limit */
};

/* A segment of this run. Its age does not depend on the clock. */
struct recorder_segment {
	char name[SEGMENT_NAME_LEN];
	uint64_t mono_ns; /* of its start */
};

struct recorder {
	const struct recorder_config *config;
	struct sink sink;             /* the current segment */
	int dir;                      /* locked against a second writer; -1 = closed */
	struct snapshot_host host;    /* for the header of the next frame */
	struct recorder_segment *own; /* in order; the last one is the current segment */
	size_t n_own, cap_own;
	char path[PATH_MAX];        /* of the current segment, for messages */
	uint64_t begun_at;          /* sink.written when it began */
	uint64_t frame_at;          /* sink.written when the current frame began */
	uint64_t size_max;          /* of a segment, in bytes */
	struct timespec begun_wall; /* of the current segment */
	uint64_t frame_ns;          /* CLOCK_MONOTONIC of the current frame; 0 = none yet */
	bool frame_due;             /* begin one with the next snapshot */
	char boot_id[37];
	uint64_t started_ns; /* CLOCK_MONOTONIC */
	uint64_t left_out;   /* snapshots */
	bool waits;          /* said that snapshots wait for space */
	bool quiet;          /* no remarks on stderr */
};

/*
 * Opens and locks the directory, which is made if only its last name is missing, and begins a
 * segment. *r must stay where it is. 0, or -errno and *error with *r closed.
 */
int recorder_open(struct recorder *r, const struct recorder_config *config, bool quiet,
		  const struct timespec *wall, uint64_t mono_ns, struct error *error);
/*
 * Call before a snapshot is written. 1 = a new frame begins, perhaps in a new segment: write a
 * header from r->host, then all rows of the snapshot. 0 = the frame continues. -errno = nothing
 * more can be written.
 */
int recorder_begin(struct recorder *r, const struct snapshot_host *host, const struct snapshot *s);
/* Counts snapshots that will not be written. The next frame's header has the sum. */
void recorder_leave_out(struct recorder *r, uint64_t snapshots);
/*
 * Writes what waits, and removes the oldest segments if the disk is full. Not even that may make
 * room: r->sink.is_disk_full. 0 or -errno.
 */
int recorder_pump(struct recorder *r);
/* A snapshot is complete, or the last one and its end: puts it on disk. 0 or -errno. */
int recorder_commit(struct recorder *r, bool end);
/* Removes a segment without data. A closed recorder is allowed. */
void recorder_close(struct recorder *r);

#endif
