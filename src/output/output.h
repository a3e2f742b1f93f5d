/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of batch output. They write to a FILE; src/output/batch.c opens and flushes it. */
#pragma once

#include <stdio.h>
#include "diagnose/findings.h"
#include "model/event_log.h"
#include "model/source.h"
#include "schema/record.h"
#include "table/filter.h"
#include "table/table.h"

/*
 * Which sample rows JSON, CSV and Prometheus have: rows that match -f, and in CSV only rows of the
 * view of -v. To match as on the screen it builds a table with one row per series. Words match the
 * columns that name a series.
 */
struct sample_filter {
	struct filter *filter;
	struct view view;
	struct table table; /* the matching rows, in the order of the series */
	size_t at;          /* the row that the next call returns */
	/* the matching rows of their views */
	struct table findings, devices;
};

/*
 * expr: a valid expression, "" = none; view: only rows of this view, NULL = of any. NULL if all
 * rows are wanted.
 */
struct sample_filter *sample_filter_new(const char *expr, const struct view *view);
void sample_filter_free(struct sample_filter *f);

/* Matches findings and devices as their views do. 0 or -ECANCELED; f NULL matches all. */
int sample_filter_set_lists(struct sample_filter *f, const struct rates *r,
			    struct netns_names *netns, const struct findings *findings);
bool sample_filter_wants_finding(const struct sample_filter *f, size_t index);
bool sample_filter_wants_device(const struct sample_filter *f, uint32_t netns, uint32_t ifindex);

struct data_source; /* source/data_source.h */
struct output_format;

struct output_config {
	const struct output_format *format; /* NULL = text */
	const char *to;                     /* the file; NULL = stdout */
	enum view_id view;
	bool view_given;              /* -v: csv has the rows of the overview */
	int sort;                     /* enum column_id; -1 = the view's own */
	int sort_descending;          /* -1 = the column's own */
	char filter[FILTER_SIZE];     /* a valid expression; "" = none */
	char ifname[NETDEV_NAME_LEN]; /* of -i; "" = none, or a pattern */
	bool per_cpu, all, ascii;
	bool follows;             /* --follow: writes the events that match `follow` */
	char follow[FILTER_SIZE]; /* a valid expression of follow_choice_parse() */
	bool check;               /* --check: findings of check_from or worse */
	enum finding_severity check_from;
};

struct output {
	FILE *file;
	const struct output_config *config;
	const struct snapshot_host *host;
	struct netns_names *netns;
	const struct event_log *events;  /* of the snapshot to write; NULL = not needed */
	const struct findings *findings; /* of the snapshot to write; NULL = not needed */
	const struct timeline *timeline; /* to write in place of a snapshot; NULL = none */
	struct sample_filter *filter;    /* of sample rows; NULL = no filter */
	bool live;                       /* not a replay: tracepoints can be switched */
	bool first;                      /* no snapshot is written yet */
	bool quiet;                      /* stderr gets only failures */
	int status;        /* exit code after success; EXIT_DONE unless --check sets it */
	bool open_metrics; /* prometheus: in OpenMetrics format */
	void *state;       /* private to the format */
};

/* A format, defined at the end of its file. */
struct output_format {
	const char *name;
	const char *help;
	/*
	 * Each returns 0 or -errno (of the write); snapshot() also -ECANCELED: see struct rates.
	 * begin may be NULL; `last` marks the final snapshot.
	 */
	int (*begin)(struct output *o);
	int (*snapshot)(struct output *o, const struct rates *r, bool last);
	int (*end)(struct output *o, const struct snapshot *last, const char *reason);
	/*
	 * NULL: snapshot() writes. Otherwise snapshot() only adds up, and this prints the totals of
	 * the last one, as often as it is called.
	 */
	int (*print)(struct output *o, const struct snapshot *last);
	/* --list in this format; NULL = text */
	int (*list)(struct output *o, const struct tp_count tp[TP_COUNT]);
	void (*free)(struct output *o);
	/*
	 * For the man page: the name of metric i (NULL = no more), the names of its labels,
	 * separated by blanks, and what it counts. NULL = no metrics.
	 */
	const char *(*metric)(size_t i, char *label_names, size_t size, const char **help);
	bool of_view;    /* writes only sample rows of the view */
	bool whole_file; /* --to is replaced by rename at each snapshot (prometheus) */
	bool only_end;   /* writes only at its end, with or without a reader */
};

/* For formats that list rows: the state of a format begins with it. */
struct output_rows {
	struct table table;
	struct filter *filter;
};

/* Sets o->state to `size` zeroed bytes with the filter of -f, and returns it. */
void *output_rows_open(struct output *o, size_t size);
void output_rows_free(struct output *o);
/* The index in the table of the row to write as number i: a log begins with the oldest. */
size_t output_row(const struct table *t, size_t i);
/* A table of the view with the filter and direction of the options; sort -1 = table order. */
struct table_options output_rows_options(const struct output *o, const struct view *view, int sort);

extern const struct output_format output_text, output_json, output_csv, output_prometheus;
/* --check; not a format of -o. */
extern const struct output_format output_check;
/* --follow as text; not a format of -o. */
extern const struct output_format output_follow;

/* The formats of -o. The first one is the default. */
extern const struct output_format *const output_formats[];
extern const size_t n_output_formats;

/*
 * The rows of a snapshot, in order, for all formats that write records. Both functions call `write`
 * with each record; 0, or the error of `write`.
 */
typedef int (*output_write)(struct output *o, const struct record *record);
/*
 * Seconds as printed, in microseconds. Rates are computed from these, so that events / interval_s
 * of a row is its events_per_s, and a replay gives the same numbers.
 */
double output_seconds(double seconds);
/* Writes one JSON object. Call output_json.free() after the last. 0 or -errno. */
int output_write_json(struct output *o, const struct record *record);
/*
 * Set the name of the network namespace, and the pods of device and target: from record->series,
 * from a finding, which becomes the row, and from record->row.
 */
void output_set_series(struct output *o, struct record *record, const struct snapshot *s);
void output_set_finding(struct output *o, struct record *record, const struct snapshot *s,
			const struct finding *f);
void output_set_row(struct output *o, struct record *record, const struct snapshot *s,
		    const struct data_source *source);
/* Every named tracepoint. */
int output_each_tracepoint(struct output *o, const struct rates *r, output_write write);
/*
 * Series that changed in the interval and match the filter, each followed by its CPUs with -C. All
 * series if `last` or -a. The first snapshot also has series that counted before it.
 */
int output_each_sample(struct output *o, const struct rates *r, bool last, output_write write);
