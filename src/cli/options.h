/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: one table of options for the parser, --help, the user's settings, the check of
 * the man page, and the completions.
 */
#pragma once

#include "output/batch.h"
#include "output/capture_file.h"
#include "recording/recording.h"
#include "tracing/probe.h"

enum run { RUN_MONITOR, RUN_LIST, RUN_EXPLAIN, RUN_DIFF, RUN_HELP, RUN_VERSION };

struct options {
	uint64_t given; /* bits 1 << index in option_rows: set by option_set() */
	struct output_config output;
	struct batch_config batch;
	struct recorder_config record;
	struct recording_config recording;
	struct trace_config trace;
	struct capture_config capture;
	enum run run;
	const char *explain;
	const char *diff[2]; /* FILE or FILE@FROM..TO */
	const char *help;    /* topic of --help; NULL = the page without a topic */
	bool no_color;
	union http_address listen;
};

struct option_value;

struct option_row {
	char letter;          /* 0 = none */
	const char *name;     /* without -- */
	const char *argument; /* NULL = takes none; "[NAME]" = optional */
	const char *help;
	int (*parse)(const struct option_value *v); /* NULL = it has no value */
	size_t target;                              /* where the value is in struct options */
	const char *initial;                        /* default, as an argument; NULL = zero */
	const char *what;                           /* for messages: what the value is */
	double low, high;                           /* range of a number; high 0 = no limit */
	const char *(*choice)(size_t i); /* the ith word that is allowed; NULL = no more */
	const char *hint;    /* for messages: the text after the range, or what to give instead */
	const char *setting; /* name in the user's settings; NULL = not saved */
	/* For a setting: prints the value as `parse` takes it. < 0 = write error. */
	int (*print)(const struct option_row *row, const void *target, FILE *to);
	enum run run; /* what it runs instead of the monitor */
	bool implies_batch;
};

extern const struct option_row option_rows[];
extern const size_t n_option_rows;

/* All options at their defaults, none of them given. */
void options_default(struct options *o);
/*
 * Set the value from text. arg NULL is for options without an argument; for a flag it may also be
 * "yes" or "no". 0, or -EINVAL and *error; the option then keeps its value. Texts
 * and file names point into arg.
 */
int option_set(struct options *o, const struct option_row *row, const char *arg,
	       struct error *error);
/* Print the value of an option that has a setting, as option_set() takes it. < 0 = write error. */
int option_print(const struct options *o, const struct option_row *row, FILE *to);
/* Whether option_set() set it, to any value. */
bool option_given(const struct options *o, const struct option_row *row);

/* --help: NULL = a page, else one topic or "all". 0 or -errno of the write. */
int options_help(const char *topic, FILE *to);
/* The ith topic that options_help() knows; NULL = no more. */
const char *help_topic(size_t i);

/* Whether the options go together: 0, or -EINVAL and *error. */
int options_check(const struct options *o, struct error *error);
/*
 * Defaults, then argv. 0, or -EINVAL and *error. An
 * argument that is not an option is an error. Strings point into argv.
 */
int options_parse(struct options *o, int argc, char **argv, struct error *error);
