/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a view over rates: grouped, filtered, sorted. Cells are computed when asked for, so
 * hidden ones cost nothing. The screen and text batch show the same table.
 */
#ifndef XDPTOP_TABLE_H
#define XDPTOP_TABLE_H

#include "base/format.h"
#include "diagnose/no_data.h"
#include "model/netns_names.h"
#include "model/rates.h"
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

/* How to show a value apart from others. */
enum cell_tone { TONE_PLAIN, TONE_LOST, TONE_WARN, TONE_GOOD, TONE_DIM };

struct cell {
	const struct column *column;
	enum cell_state state;
	enum cell_type type;
	enum cell_tone tone;
	union {
		uint64_t count; /* of a text: its rank, by which it is sorted; 0 = as text */
		double real;
	};
	char text[SNAPSHOT_TEXT_LEN]; /* CELL_TEXT */
	struct id_span id;            /* for format_cut_id() */
	uint32_t netns;               /* of a namespace: filters match its whole inode, too */
};

struct filter;     /* src/table/filter.h */
struct findings;   /* src/diagnose/findings.h */
struct event;      /* src/model/snapshot.h */
struct event_log;  /* src/model/event_log.h */
struct follow_log; /* src/model/follow_log.h */
struct row;

struct table_options {
	const struct view *view;
	const struct filter *filter; /* hides rows; NULL = none */
	int sort;                    /* enum column_id, -1 = table order */
	bool descending;
	/* The value of a column of the caller (sort >= COLUMN_COUNT): a rate; NAN = unknown. */
	double (*sort_value)(const void *ctx, const struct row *row);
	const void *sort_ctx;
	/* Rows that the last build of the same table had keep their order. */
	bool keep_order;
	/*
	 * So many lines each for the rows of view->block that lose packets or warn; then
	 * tracepoints that are missing are one row. 0 = neither.
	 */
	size_t block_rows;
	bool all;       /* rows without activity since the start or baseline too */
	bool per_cpu;   /* after each row its CPUs */
	uint64_t drill; /* != 0: only the CPUs of the row with this id */
	bool fold;      /* of more than TABLE_FOLD CPUs those without events are left out */
	enum rate_unit unit;
	bool keys;                         /* for texts: there is a keyboard */
	enum switch_by switch_by;          /* for texts */
	struct netns_names *netns;         /* NULL = namespaces are shown by inode */
	const struct findings *findings;   /* rows of that view, and warnings; NULL = none */
	const struct event_log *events;    /* rows of that view; NULL = none */
	const struct follow_log *followed; /* the same */
};

/* So few CPUs are all shown, with or without events in the interval, and in their order. */
#define TABLE_FOLD 16

/* Counts of one tracepoint in one row. */
struct table_counts {
	struct series_counters sum;
	uint64_t offered; /* packets handed to that stage: sent or dropped there; 0 without bulks */
};

/* The same with its tracepoint. */
struct row_tp_counts {
	uint32_t tracepoint;
	struct table_counts delta; /* in the interval; zero without one */
	struct table_counts since; /* since the baseline */
};

struct row {
	uint64_t id; /* stable over snapshots: the selection follows it. CPU rows have their own */
	uint64_t parent;         /* of a CPU row: id of the row it belongs to; else 0 */
	int tracepoint;          /* enum tracepoint_id, -1 = several */
	int cpu;                 /* -1 = all */
	bool from;               /* cpu is where it came from: table_options.view->from_cpus */
	uint32_t netns, ifindex; /* GROUP_LOCATION */
	uint32_t prog_id;        /* of its first series; rows_programs: of all */
	size_t item;             /* row_kind.list: index of the entry */
	uint8_t block; /* i + 1: it is row `item` of table.block[i], or stands for some; else 0 */
	size_t more;   /* it stands for so many rows that are left out: table_more_text() */
	size_t series_idx, n_series;   /* in table.series_idx; see row_series() */
	size_t tp_counts, n_tp_counts; /* in table.tp_counts: one per tracepoint, in their order */
	size_t all_cpus; /* of a CPU row: its first in table.tp_counts, summed over CPUs */
	uint32_t n_cpus; /* of a CPU row: how many CPUs its row has */
	/* 1 + index in table.verdict, 0 = none; of a CPU row: of all CPUs of its row */
	size_t verdicts, all_verdicts;
	uint64_t order; /* place in table order */
};

struct row_verdicts; /* src/table/table_verdicts.c */
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
	bool has_verdicts;   /* some program's are counted, or could not be */
	bool has_pods;       /* some are known */
	size_t hidden;       /* rows that the filter left out */
	size_t folded;       /* CPU rows left out */
	struct table *block; /* of view->block; their rows that are shown are rows of this table */
	struct table_scratch *scratch;
};

/*
 * Build *t: zeroed at first use, its memory is reused. `rates` and its snapshots must outlive every
 * read of *t. Unknown cells sort last in both directions. Ties keep table order: by tracepoint,
 * else by first appearance. CPU rows follow their row by CPU number;
 * with drill they are sorted. The filter tests each row by its own cells. Returns 0, or -ENOMEM or
 * -ECANCELED and a table without rows.
 */
int table_build(struct table *t, const struct rates *rates, const struct table_options *options);
void table_free(struct table *t);

/*
 * Why rows are missing, or all zero: a sentence a line, "" = none is. Names attached programs of
 * which nothing was counted.
 */
void table_missing(const struct table *t, const struct snapshot_host *host, char *buf, size_t size);
/* Fill *cell: value, state and tone. */
void table_cell(const struct table *t, size_t row, enum column_id column, struct cell *cell);
/*
 * Whether a column of its view is shown: those of verdicts only where they were asked for, of pods
 * where one is known, or what the rows are sorted by.
 */
bool table_shows(const struct table *t, enum column_id column);
/* The table that *row is from, a block or t itself, and *row as it is there. */
static inline const struct table *table_of(const struct table *t, const struct row **row)
{
	if (!(*row)->block || (*row)->more)
		return t;
	t = &t->block[(*row)->block - 1];
	*row = &t->row[(*row)->item];
	return t;
}
/* Print what a row stands for that has row.more: "3 more in flows". Returns the length. */
int table_more_text(const struct table *t, const struct row *row, char *buf, size_t size);
/* Series i of row->n_series. */
static inline const struct series *row_series(const struct table *t, const struct row *row,
					      size_t i)
{
	return &t->rates->to->series[t->series_idx[row->series_idx + i]];
}

/*
 * The youngest series of a row: it has the present name of a renamed device. NULL when the row has
 * no series.
 */
const struct series *table_series(const struct table *t, const struct row *row);
/* The event that a row lists, NULL = it is a row of something else. */
const struct event *table_event(const struct table *t, const struct row *row);
/* The index of the row with this id, or -1. */
long table_find(const struct table *t, uint64_t id);
/*
 * Print a cell without padding: a number in `style`, or ·, off, n/a, -. `ascii` prints `.` for
 * `·`. Returns the length, as snprintf does.
 */
int cell_text(const struct cell *cell, char *buf, size_t size, enum number_style style, bool ascii);

#endif
