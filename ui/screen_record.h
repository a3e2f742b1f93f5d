/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording that key o starts and ends. It begins with the last ten minutes, if live; then it
 * gets each sample, even during a pause, and is complete after each.
 */
#pragma once

#include "output/output.h"
#include "output/sink.h"
#include "prompt.h"

#define PAST_NS     (600 * NSEC_PER_SEC)
#define PAST_FRAME  (60 * NSEC_PER_SEC)
#define PAST_FRAMES 12
#define PAST_BYTES  (4u << 20) /* if there is more to keep, the oldest minutes go */

struct past_frame {
	uint64_t at;           /* sink.written when it began */
	uint64_t begin_ns;     /* CLOCK_MONOTONIC of its first snapshot */
	struct timespec begin; /* the same as CLOCK_REALTIME, of the start of its interval */
};

/*
 * The last ten minutes of a live screen as a compressed recording in memory. A frame holds a minute
 * and begins with all rows, so that the oldest can be dropped. Zeroed before first use.
 */
struct past {
	struct past_frame frame[PAST_FRAMES]; /* the newest last */
	int n;
	struct sink sink; /* in memory: the frames, the newest without an end */
	struct output out;
	struct snapshot_host host;
};

/* Adds a snapshot. `out` has host, names and findings. After an error it begins again. */
void past_add(struct past *p, const struct rates *r, const struct output *out);
/* Writes all snapshots, which follow the header of a recording. 0 or -errno. */
int past_write(struct past *p, FILE *to);
/* When it begins, CLOCK_REALTIME; NULL = it is empty. */
const struct timespec *past_begin(const struct past *p);
void past_free(struct past *p);

struct screen;

struct screen_record {
	bool on;
	bool last;     /* the next sample is the last one */
	bool complete; /* the last sample is written */
	struct sink sink;
	struct output out;
	struct snapshot_host host;
	uint64_t began_ns; /* CLOCK_MONOTONIC */
	char path[PROMPT_SIZE];
};

/*
 * Writes the newest sample. Call it after findings_update(). Ends the recording if this was to be
 * the last sample.
 */
void screen_record_sample(struct screen *s);
/* Requests a last sample, due now; live only. */
void screen_record_last(struct screen *s);
/* Ends the recording, if there is one, and says where it is. */
void screen_record_end(struct screen *s);
/* Prints age and size, as in "3m12s, 1.2MB". Returns the length. */
int screen_record_status(const struct screen *s, char *buf, size_t size);
