/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --record: writes snapshots into segments in a directory, and removes the oldest segments. A
 * segment has ten minutes, and is a recording of its own: it begins with a header and a snapshot
 * with all rows. It is one zstd stream, flushed at each snapshot. After recorder_commit() the
 * snapshot is on disk, unless the disk is full: then it waits in memory. doc/recording.md has the
 * format.
 */
#pragma once

#include <limits.h>
#include "base/clock.h"
#include "output/sink.h"
#include "recording/segments.h"

#define RECORDER_SEGMENT_S 600
/* A segment takes at most this part of --keep SIZE and of the disk, so old ones can be removed. */
#define RECORDER_SEGMENT_PART 8
/* Segments removed at a snapshot: a year of them must not delay the first one, nor a signal. */
#define RECORDER_REMOVE_MAX 256

struct recorder_config {
	const char *path;    /* the directory; NULL = nothing to record */
	double keep_s;       /* remove segments whose last snapshot is older; 0 = never */
	uint64_t keep_bytes; /* of all segments; 0 = no limit */
};

struct recorder_segment {
	char name[SEGMENT_NAME_LEN];
	int64_t begin;    /* by its name, seconds since 1970 */
	uint64_t size;    /* when it was listed or closed */
	uint64_t mono_ns; /* of its start, if this run wrote it; 0 = an earlier run did */
};

struct recorder {
	const struct recorder_config *config;
	struct sink sink;                 /* the current segment */
	int dir;                          /* locked against a second writer; -1 = closed */
	struct snapshot_host host;        /* for the next header */
	struct recorder_segment *segment; /* the oldest first; the last one is the current */
	size_t n, cap;
	size_t oldest;       /* index; those before it are removed */
	uint64_t size;       /* of all but the current one */
	char path[PATH_MAX]; /* of the current segment, for messages */
	uint64_t begun_at;   /* sink.written when it began */
	uint64_t size_max;   /* of a segment, in bytes */
	int64_t begun_s;     /* CLOCK_REALTIME of its period */
	uint64_t begun_ns;   /* CLOCK_MONOTONIC of its period */
	bool header_due;     /* with the next snapshot */
	char boot_id[37];
	uint64_t started_ns;   /* CLOCK_MONOTONIC */
	int64_t earlier_end_s; /* when the newest segment of earlier runs ended, at most */
	uint64_t left_out;     /* snapshots */
	uint64_t made_room;    /* bytes removed because the disk was full */
	bool waits;            /* said that snapshots wait for space */
	bool quiet;            /* no remarks on stderr */
};

/*
 * Opens and locks the directory, which is made if only its last name is missing, and begins a
 * segment. *r must stay where it is. 0, or -errno and *error with *r closed.
 */
int recorder_open(struct recorder *r, const struct recorder_config *config, bool quiet,
		  const struct timespec *wall, uint64_t mono_ns, struct error *error);
/*
 * Call before a snapshot is written. 1 = a segment begins, or snapshots were left out: write a
 * header from r->host, then all rows of the snapshot. 0 = go on. -errno = nothing more can be
 * written.
 */
int recorder_begin(struct recorder *r, const struct snapshot_host *host, const struct snapshot *s);
/* Counts snapshots that will not be written. The next header has the sum. */
void recorder_leave_out(struct recorder *r, uint64_t snapshots);
/*
 * Writes what waits. If the disk is full, removes the oldest segments, but not more than this run
 * has written, because somebody else may fill the disk. If even that does not make room,
 * r->sink.is_disk_full stays set. 0 or -errno.
 */
int recorder_pump(struct recorder *r);
/* A snapshot is complete, or the last one and its end: puts it on disk. 0 or -errno. */
int recorder_commit(struct recorder *r, bool end);
/* Removes a segment without data. A closed recorder is allowed. */
void recorder_close(struct recorder *r);
