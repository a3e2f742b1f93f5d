/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording that key o starts and ends. It begins with the last ten minutes, if live; then it
 * gets each sample, even during a pause, and is complete after each.
 */
#pragma once

#include "output/output.h"
#include "output/sink.h"
#include "prompt.h"

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
