/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: one table of options, read by the parser, --help, completion, the man page
 * check and the tests.
 */
#ifndef XDPTOP_OPTIONS_H
#define XDPTOP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/exit_code.h"
#include "output/batch.h"
#include "recording/recording.h"
#include "tracing/probe.h"

/* The rows of option_rows. */
enum option_id {
	OPTION_BATCH,
	OPTION_OUTPUT,
	OPTION_TO,
	OPTION_ITERATIONS,
	OPTION_DELAY,
	OPTION_VIEW,
	OPTION_SORT,
	OPTION_FILTER,
	OPTION_PER_CPU,
	OPTION_ALL,
	OPTION_TRACEPOINTS,
	OPTION_READ,
	OPTION_SPEED,
	OPTION_STEP,
	OPTION_BUDGET,
	OPTION_MAX_SERIES,
	OPTION_BACKEND,
	OPTION_LIST,
	OPTION_EXPLAIN,
	OPTION_ASCII,
	OPTION_NO_COLOR,
	OPTION_QUIET,
	OPTION_VERBOSE,
	OPTION_HELP,
	OPTION_VERSION,
	OPTION_COUNT,
};

struct options {
	uint32_t given; /* bits 1 << enum option_id: on the command line */
	struct output_config output;
	struct batch_config batch;
	struct recording_config recording;
	struct trace_config trace;
	enum { RUN_MONITOR, RUN_LIST, RUN_EXPLAIN, RUN_HELP, RUN_VERSION } run;
	const char *explain;
	bool no_color;
};

struct option_row {
	char letter;          /* 0 = none */
	const char *name;     /* without -- */
	const char *argument; /* NULL = takes none; "[NAME]" = optional */
	const char *help;
	/* Store the argument: 0, or -EINVAL with a message (name, cause, remedy) in why. */
	int (*set)(struct options *o, const char *arg, char *why, size_t size);
};

extern const struct option_row option_rows[OPTION_COUNT];
_Static_assert(OPTION_COUNT <= 32, "bits of options.given");
extern const size_t n_option_rows;

/* Whether it stood on the command line, with whatever value. */
bool options_given(const struct options *o, enum option_id id);

/* --help, from the table. 0 or -errno of the write. */
int options_help(FILE *to);

/*
 * Defaults, then argv. 0, or -EINVAL with a one-line message in why. An argument that is no option
 * is an error. Strings point into argv.
 */
int options_parse(struct options *o, int argc, char **argv, char *why, size_t size);

#endif
