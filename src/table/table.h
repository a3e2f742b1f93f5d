/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a view over rates: grouped, filtered, sorted. Cells are computed on demand, so hidden
 * ones cost nothing. The screen and text batch show the same table.
 */
#pragma once

#include "base/format.h"
#include "diagnose/no_data.h"
#include "table/view.h"

enum cell_type {
	CELL_TEXT,
	CELL_COUNT,
	CELL_RATE,
	CELL_PERCENT,
	CELL_AVERAGE,
	CELL_AGE,
	CELL_GAP,
};

/* How a value is highlighted. */
enum cell_tone { TONE_PLAIN, TONE_LOST, TONE_WARN, TONE_GOOD, TONE_DIM };

#define OLD_NUMBER "~" /* after a number that was read before the interval */

struct cell {
	const struct column *column;
	enum cell_state state;
	enum cell_type type;
	enum cell_tone tone;
	union {
		uint64_t count; /* for a text its rank for sorting; 0 = sort as text */
		double real;
	};
	double age; /* > 0: the number was read before the interval, this many seconds ago */
	char text[SNAPSHOT_TEXT_LEN]; /* CELL_TEXT */
	uint32_t netns; /* in a cell with a namespace: filters also match its full inode */
};

struct filter;     /* src/table/filter.h */
struct findings;   /* src/diagnose/findings.h */
struct event;      /* src/model/snapshot.h */
struct event_log;  /* src/model/event_log.h */
struct follow_log; /* src/model/follow_log.h */
struct timeline;   /* src/model/timeline.h */
struct finding;    /* src/model/finding.h */
struct row;

struct table_options {
	const struct view *view;
	const struct filter *filter; /* hides rows; NULL = none */
	int sort;                    /* enum column_id, -1 = table order */
	bool descending;
	/* Value of a caller's column (sort >= COLUMN_COUNT): a rate; NAN = unknown. */
	double (*sort_value)(const void *ctx, const struct row *row);
	const void *sort_ctx;
	/* Rows of the last build of this table keep their order. */
	bool keep_order;
	/*
	 * How many rows of each block (view->block) that lose packets or warn come first; a line
	 * on tracepoints then comes last. 0 = no blocks.
	 */
	size_t block_rows;
	bool all;                  /* include rows without activity since the start or baseline */
	bool per_cpu;              /* each row is followed by its CPUs */
	uint64_t drill;            /* != 0: only the CPUs of the row with this id */
	bool fold;                 /* with more than TABLE_FOLD CPUs, omit CPUs without events */
	bool keys;                 /* for texts: the user has a keyboard */
	enum switch_by switch_by;  /* for texts */
	struct netns_names *netns; /* NULL = namespaces are shown by inode */
	const struct findings *findings;   /* rows of that view, and warnings; NULL = none */
	const struct event_log *events;    /* rows of that view; NULL = none */
	const struct follow_log *followed; /* rows of that view; NULL = none */
	const struct timeline *timeline;   /* rows of that view; NULL = none */
};

/* Up to this many CPUs are all shown, even without events, in their order. */
#define TABLE_FOLD 16

struct table_counts {
	struct series_counters sum;
	uint64_t offered; /* packets handed over at this tracepoint, whether sent or dropped; 0 if
			     it does not count bulks */
};

struct row_tp_counts {
	uint32_t tracepoint;
	struct table_counts delta; /* in the interval; zero if there is none */
	struct table_counts since; /* since the baseline */
};

struct row {
	uint64_t id; /* same in every snapshot: the selection follows it; CPU rows have their own */
	uint64_t parent; /* CPU row: id of the row it belongs to; else 0 */
	int tracepoint;  /* enum tracepoint_id, -1 = several */
	int cpu;         /* -1 = all */
	bool from;       /* cpu is the source of the packets: table_options.view->from_cpus */
	uint32_t netns, ifindex; /* GROUP_LOCATION */
	uint32_t prog_id;        /* of the first series; in rows_programs, the row's program */
	size_t item;             /* row_kind.list: index of the entry */
	uint8_t block; /* i + 1 = row `item` of table.block[i], or a summary of its other rows; else
			  0 */
	size_t more;   /* number of omitted rows that it summarizes: table_more_text() */
	size_t series_idx, n_series;   /* in table.series_idx; see row_series() */
	size_t tp_counts, n_tp_counts; /* in table.tp_counts: one per tracepoint, ascending */
	size_t all_cpus; /* CPU row: index in table.tp_counts of the sums over all CPUs */
	uint32_t n_cpus; /* CPU row: number of CPUs of its row */
	/*
	 * 1 + index in table.verdict, 0 = none; all_verdicts is for a CPU row: sum over its row's
	 * CPUs
	 */
	size_t verdicts, all_verdicts;
	size_t path;    /* 1 + index in table.path, 0 = none */
	uint64_t order; /* place in table order */
};

struct row_verdicts;  /* src/table/table_verdicts.c */
struct device_path;   /* src/diagnose/device_path.h */
struct cpumap_losses; /* src/diagnose/cpumap_losses.h */
struct table_scratch;

struct table {
	struct table_options options;
	const struct rates *rates;
	uint32_t tracepoints;               /* of the view */
	uint32_t at_stage[STAGE_STACK + 1]; /* tracepoints_at(), computed once for all cells */
	struct row *row;
	size_t n_rows, cap_rows;
	size_t *series_idx; /* into rates->to->series */
	size_t n_series, cap_series;
	struct row_tp_counts *tp_counts;
	size_t n_tp_counts, cap_tp_counts;
	struct row_verdicts *verdict;
	size_t n_verdicts, cap_verdicts;
	struct device_path *path;
	size_t n_paths, cap_paths;
	uint32_t counted_stages;       /* of some path: bits 1 << enum path_stage */
	struct cpumap_losses *cpumaps; /* set with the paths */
	bool has_verdicts;             /* verdicts of some program are counted, or could not be */
	bool has_pods;                 /* some pods are known */
	bool has_fills;                /* programs have hashes or tries */
	bool has_runs;                 /* whether BPF statistics are on is known */
	bool has_skipped;              /* events of a row are not listed */
	size_t hidden;                 /* rows hidden by the filter */
	size_t folded;                 /* CPU rows omitted */
	struct table *block; /* tables of view->block; rows of theirs that are shown are also rows
				of this table */
	struct table_scratch *scratch;
};

/*
 * Build *t, which is zeroed before its first use and reuses its memory. `rates` and its snapshots
 * must stay valid while *t is read. Unknown cells sort last in both directions. Equal rows keep the
 * table order: by tracepoint, else by first appearance. CPU rows follow their row by CPU number.
 * With drill they are sorted. The filter tests each row by its own cells. 0 or
 * -ECANCELED and a table without rows.
 */
int table_build(struct table *t, const struct rates *rates, const struct table_options *options);
/* Build a table of the findings that pass the filter, in their order. */
int table_build_findings(struct table *t, const struct rates *rates,
			 const struct table_options *options);
void table_free(struct table *t);

/*
 * Print why rows are missing or all zero, a sentence per line; "" = none. Names attached programs
 * that counted nothing.
 */
void table_missing(const struct table *t, const struct snapshot_host *host, char *buf, size_t size);
/* Set value, state and tone of *cell. */
void table_cell(const struct table *t, size_t row, enum column_id column, struct cell *cell);
/*
 * Whether a column of the view is shown. Verdict columns need --verdicts and pod columns a known
 * pod, unless the rows are sorted by the column.
 */
bool table_shows(const struct table *t, enum column_id column);
/* The table that *row comes from (a block or t itself); *row becomes the row in that table. */
static inline const struct table *table_of(const struct table *t, const struct row **row)
{
	if (!(*row)->block || (*row)->more)
		return t;
	t = &t->block[(*row)->block - 1];
	*row = &t->row[(*row)->item];
	return t;
}
/* Sets *l to the location of a row. False = rows of this kind have none, and *l is unknown. */
bool row_locate(const struct table *t, const struct row *row, struct location *l);
/*
 * Print what a row with row.more summarizes: "3 more in findings", or, without a block, the states
 * of the tracepoints. Returns the length.
 */
int table_more_text(const struct table *t, const struct row *row, char *buf, size_t size);
static inline const struct series *row_series(const struct table *t, const struct row *row,
					      size_t i)
{
	return &t->rates->to->series[t->series_idx[row->series_idx + i]];
}

/* The newest series of a row, which has the current name of a renamed device; NULL = no series. */
const struct series *table_series(const struct table *t, const struct row *row);
/* The incident that a row of the timeline lists: model/timeline.h. */
const struct finding *table_incident(const struct table *t, const struct row *row);
/* The event that a row lists; NULL = it is not an event. */
const struct event *table_event(const struct table *t, const struct row *row);
/* The index of the row with this id; -1 = none. */
long table_find(const struct table *t, uint64_t id);
/*
 * Print a cell without padding: a number in `style`, or ·, off, n/a, -. `ascii` = print `.` for
 * `·`. Returns the length as snprintf() does.
 */
int cell_text(const struct cell *cell, char *buf, size_t size, enum number_style style, bool ascii);
