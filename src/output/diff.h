/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xdptop --diff A B: what is new, gone or changed between two recordings or spans of them. */
#pragma once

#include "output/output.h"
#include "output/sink.h"

/* A side of the comparison, zeroed except `arg`. */
struct diff_side {
	const char *arg;      /* FILE or FILE@FROM..TO, or of a directory */
	char shown[PATH_MAX]; /* the path, printable */
	struct source *source;
	struct snapshot first, last; /* of the span */
	struct rates rates;          /* between them */
	struct findings findings;    /* of all intervals between them */
	struct event_log events;     /* the same */
	uint64_t intervals;
	uint64_t changes; /* in the span, including those that are not in `events` */
};

/* Opens the file and reads nothing. 0, or -errno and *error. */
int diff_open(struct diff_side *d, const struct output_config *output, struct error *error);
/* Reads both sides and writes the differences. Returns the exit code. Messages are on stderr. */
int diff_run(struct diff_side sides[2], struct sink *sink, const struct output_config *output);
void diff_close(struct diff_side *d);
