/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Batch outputs: one table of formats. Each writes to a FILE it is given; the batch loop owns
 * files, flushing and exit codes.
 */
#ifndef XDPTOP_OUTPUT_H
#define XDPTOP_OUTPUT_H

#include <stdio.h>
#include "model/event_log.h"
#include "model/netns_names.h"
#include "output/sample_filter.h"
#include "model/rates.h"
#include "schema/record.h"
#include "diagnose/findings.h"
#include "model/source.h"
#include "table/view.h"

struct output_format;

/* What to print, and how. */
struct output_config {
	const struct output_format *format; /* NULL = text */
	const char *to;                     /* file; NULL = stdout */
	enum view_id view;
	int sort;            /* enum column_id; -1 = the view's own */
	int sort_descending; /* -1 = the column's own */
	const char *filter;  /* an expression that parses; NULL = none */
	bool per_cpu, all, ascii;
};

struct output {
	FILE *file;
	const struct output_config *config;
	const struct snapshot_host *host;
	struct netns_names *netns;
	const struct event_log *events;  /* of the snapshot that is written; NULL = none wanted */
	const struct findings *findings; /* of the snapshot that is written; NULL = none wanted */
	struct sample_filter *filter;    /* of sample rows; NULL = all are wanted */
	bool first;                      /* nothing was written yet */
	void *state;                     /* the format's own */
};

/* All that is to be said of a format: its file ends with it. */
struct output_format {
	const char *name;
	const char *help;
	/* Each 0 or -errno (of the write). begin may write nothing; `last` marks the final
	 * snapshot. */
	int (*begin)(struct output *o);
	int (*snapshot)(struct output *o, const struct rates *r, bool last);
	int (*end)(struct output *o, const struct snapshot *last, const char *reason);
	/* --list in this format; NULL = text */
	int (*list)(struct output *o, const struct tp_count tp[TP_COUNT]);
	void (*free)(struct output *o);
	/*
	 * For the man page: the name of the ith metric that there can be (NULL = no more), the
	 * names of its labels with blanks between, and what it counts. NULL = no metrics.
	 */
	const char *(*metric)(size_t i, char *label_names, size_t size, const char **help);
	bool of_view;    /* its sample rows are those of the view */
	bool whole_file; /* --to is replaced by rename at each snapshot (prometheus) */
};

/* Each in its file, with its functions. */
extern const struct output_format output_text, output_json, output_csv, output_prometheus;

/* All of them; the first one is the default. */
extern const struct output_format *const output_formats[];
extern const size_t n_output_formats;
/* NULL = there is none of that name. */
const struct output_format *output_format_find(const char *name);

/*
 * What JSON and CSV have in common: which rows a snapshot gives, in which order. Each calls `write`
 * with the record filled; 0, or what write returned otherwise.
 */
typedef int (*output_write)(struct output *o, const struct record *record);
/* Every named tracepoint. */
int output_each_tracepoint(struct output *o, const struct rates *r, output_write write);
/*
 * Series that changed in the interval (all when `last` or -a, and those that had counted before in
 * the first snapshot), each followed by its CPUs with -C; of those what the filter wants.
 */
int output_each_sample(struct output *o, const struct rates *r, bool last, output_write write);

#endif
