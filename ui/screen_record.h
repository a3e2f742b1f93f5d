/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording that key o begins and ends. It has each sample from then on, also during a pause,
 * and is complete after each.
 */
#ifndef XDPTOP_UI_SCREEN_RECORD_H
#define XDPTOP_UI_SCREEN_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include "output/output.h"
#include "output/sink.h"
#include "prompt.h"

struct screen;

struct screen_record {
	bool on;
	bool last;     /* the next sample is the last one */
	bool complete; /* and it is written */
	struct sink sink;
	struct output out;
	struct output_config config;
	struct snapshot_host host;
	uint64_t began_ns; /* CLOCK_MONOTONIC */
	char path[PROMPT_SIZE];
};

/* A sample was taken, and the findings know it. Ends the recording if it was to be the last one. */
void screen_record_sample(struct screen *s);
/* Asks for a last sample of now; live only. */
void screen_record_last(struct screen *s);
/* Ends it, if there is one, and says where it is. */
void screen_record_end(struct screen *s);
/* Prints since when it runs and its size, "3m12s, 1.2MB". */
int screen_record_status(const struct screen *s, char *buf, size_t size);

#endif
