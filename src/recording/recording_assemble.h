/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of a replay. recording_assemble.c adds rows to the snapshot `now`; recording.c copies it to
 * the caller when it is complete and due.
 */
#pragma once

#include "base/clock.h"
#include "base/hash.h"
#include "model/source.h"
#include "recording/recording_series.h"
#include "recording/span.h"
#include "recording/timeline_reader.h"

/*
 * Searches a recording for the snapshot before a time, without reading its rows: a segment at a
 * time, the latest first.
 */
struct finder {
	bool active; /* a search is under way, before: */
	int64_t before_ns;
	size_t at; /* segment */
	struct line_reader lines;
	struct json_line json;
	char stamp[96];   /* seq and time as in the last line, to skip lines like it */
	int64_t found_ns; /* INT64_MIN = nothing yet */
	bool beyond;      /* the segment has a snapshot that is not before that time */
};

/*
 * Search for at most 50 ms. 0 = *found_ns is the time of a snapshot; -EAGAIN = call again with the
 * same time; -ENOENT = there is none. A call with a different time starts a new search.
 */
int finder_search(struct finder *f, struct segments *files, int64_t before_ns, int64_t *found_ns);
void finder_free(struct finder *f);

/* A writer idle for this long has completed a snapshot. A screen waits less. */
#define RECORDING_IDLE_NS       (500 * NSEC_PER_MSEC)
#define RECORDING_IDLE_BATCH_NS (2 * NSEC_PER_SEC)
#define RECORDING_IDLE_FILE_NS  (50 * NSEC_PER_MSEC) /* a recorder's, which is on this machine */
#define RECORDING_CALL_NS       (50 * NSEC_PER_MSEC) /* limit of reading in one sample() call */

struct recording {
	struct source source; /* first, because callers hold a pointer to it */
	const char *name;
	struct span span;      /* what was asked for */
	struct segments files; /* the directory, or the one file */
	size_t segment;        /* being read */
	char segment_name[PATH_MAX + SEGMENT_NAME_LEN];
	struct finder finder;
	struct timeline_reader timeline;
	struct record_reader reader;
	bool rewound;     /* to the start: the next line is the header */
	bool row_pending; /* reader.record is not yet added */
	bool regular;     /* a regular file: reads do not wait */
	bool ended;       /* no more lines */
	bool foreign;     /* ended by a run with an unknown schema */

	/* the snapshot that rows are added to */
	struct snapshot now; /* without series, which are in `series` */
	struct recording_series *series;
	struct snapshot was; /* rows before the interval, if it is the first that is given */
	bool restored;       /* no earlier snapshot: the rows in `was` come from this one */
	struct {
		struct hash_index index;
		size_t n_gone;
	} rows[DATA_SOURCE_COUNT]; /* now.rows is sorted only when the snapshot is complete */
	uint64_t delta[TP_COUNT];  /* events in the interval */
	double attached[TP_COUNT]; /* seconds in the interval; < 0 = unknown, INFINITY = all */
	struct tp_count before[TP_COUNT]; /* at the start of the interval */
	int64_t interval_ns;
	int64_t last_wall_ns;   /* time of the previous snapshot; 0 = none */
	uint64_t last_seq;      /* of the previous snapshot; 0 = none */
	uint64_t number;        /* of this snapshot in the input, when complete */
	uint32_t seen;          /* tracepoints with a row: bits 1 << id */
	bool started;           /* has a row */
	bool given_early;       /* the previous snapshot was copied while its writer idled */
	bool has_previous_rows; /* has rows of the previous snapshot */
	bool complete;          /* has all rows and waits until it is due */
	bool first;             /* in a run: the start of its interval counts as a snapshot */
	bool gap;               /* another run began within the file, or snapshots are missing */
	bool renewed;           /* a header of the same run: its first snapshot has all rows */
	uint64_t next_seq;      /* that it should have */
	bool was_damaged;       /* an earlier segment */
	uint64_t read_ns;       /* monotonic time of the last read */

	uint64_t given_ns;     /* monotonic time of the last copied snapshot */
	int64_t given_wall_ns; /* and its wall time */
	int64_t wanted_ns;     /* target of seek() */
	int64_t to_ns;         /* of the last snapshot to read */
	bool batch, quiet;
	unsigned int bad_lines;
	char first_bad[256];
	char end_reason[16];
};

/* Report on stderr the bad lines that were not reported one by one. */
void recording_report_bad_lines(const struct recording *r);
/* How long the writer idles until a snapshot counts as complete. */
uint64_t recording_idle_ns(const struct recording *r);
/* Start a snapshot, to which the next lines are added. */
void recording_begin_snapshot(struct recording *r);
/* Start a run with the header in r->reader.record: counts start at zero. */
void recording_begin_run(struct recording *r);
/* Below, src/recording/recording_files.c. Open the path of r->span: 0, or -errno and *error. */
int recording_open_files(struct recording *r, const char *output, struct error *error);
/* Read on at the start of a segment. */
void recording_read_from(struct recording *r, size_t segment);
/* A recorder that has written nothing for this long has ended. */
uint64_t recording_late_ns(const struct recording *r);
/* At the end of what a recorder has written: whether it has begun another segment, or ended. */
void recording_await(struct recording *r);
/* After the end of a segment, or damage in it: read on in the next. False = that was the last. */
bool recording_go_on(struct recording *r);
/* The offset in all that there is to read. */
uint64_t recording_at(const struct recording *r);

/*
 * Above, src/recording/recording_place.c. The header at which recording_jump() began. -EAGAIN = not
 * yet: a segment in which it does not come within RECORDING_CALL_NS is left for the next one; 1 =
 * none has a header. Else 0.
 */
int recording_read_header(struct recording *r);
/* Go to the first snapshot at or after r->wanted_ns, if it cannot be reached by reading on. */
int recording_jump_to_wanted(struct recording *r);
/* Read the bounds of a directory, and from them the times that were asked for. 0 or -errno. */
int recording_begin_span(struct recording *r, struct error *error);
/* Whether the pending row ends a run. */
bool recording_has_end(const struct recording *r);
/* Sort the rows of the data sources. */
void recording_sort_rows(struct recording *r);
/* While a time is looked for: the rows, as they are before the next snapshot. */
void recording_keep_rows(struct recording *r);
/* Read until the snapshot is complete. 0; 1 = no more, -EAGAIN = no input now, else -errno. */
int recording_read_snapshot(struct recording *r);
