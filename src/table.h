/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a view over rates: grouped, filtered, sorted. Cells are computed when asked for, so what
 * is not shown costs nothing. Screen and text batch show the same table.
 */
#ifndef XDPTOP_TABLE_H
#define XDPTOP_TABLE_H

#include "format.h"
#include "rates.h"
#include "view.h"

enum cell_state {
	CELL_VALUE,
	CELL_NOT_YET, /* `·`: no interval yet */
	CELL_OFF,     /* `off`: its tracepoint is off, failed or shed */
	CELL_MISSING, /* `n/a`: not in this kernel, or not in this mode */
	CELL_NONE,    /* `-`: does not apply */
};

enum cell_type { CELL_TEXT, CELL_COUNT, CELL_RATE, CELL_PERCENT, CELL_AVERAGE, CELL_AGE };

struct cell {
	enum cell_state state;
	enum cell_type type;
	union {
		uint64_t count;
		double real;
	};
	char text[SNAPSHOT_TEXT_LEN]; /* CELL_TEXT */
};

enum rate_unit { UNIT_PER_SECOND, UNIT_PER_INTERVAL, UNIT_SINCE_BASELINE };

struct filter; /* src/filter.h */

struct table_options {
	const struct view *view;
	const struct filter *filter; /* NULL = all rows */
	int sort;                    /* enum column_id, -1 = table order */
	bool descending;
	bool all;       /* rows without activity since the start or baseline too */
	bool per_cpu;   /* after each row its CPUs */
	uint64_t drill; /* != 0: only the CPUs of the row with this id */
	enum rate_unit unit;
};

struct row {
	uint64_t id; /* stable over snapshots: the selection follows it. CPU rows have their own */
	uint64_t parent; /* of a CPU row: id of the row it belongs to; else 0 */
	int tracepoint;  /* enum tracepoint_id, -1 = several */
	int cpu;         /* -1 = all */
	size_t member;   /* first of n_members indices into rates.to->series, in table.member */
	size_t n_members;
};

struct table {
	struct table_options options;
	const struct rates *rates;
	struct row *row;
	size_t n_rows, cap_rows;
	size_t *member;
	size_t n_members, cap_members;
	size_t hidden; /* rows that the filter left out */
};

/*
 * Build *t (zeroed at first use, reused after). rates and what it points to must stay while t is
 * read. Sorting is stable; unknown cells last in both directions; ties by row id. 0 or -ENOMEM.
 */
int table_build(struct table *t, const struct rates *rates, const struct table_options *options);
void table_free(struct table *t);

/* The value of one cell. */
void table_cell(const struct table *t, size_t row, enum column_id column, struct cell *cell);
/* The index of the row with this id, or -1. */
long table_find(const struct table *t, uint64_t id);
/*
 * The cell as the screen shows it, unpadded: number in `style`, or ·, off, n/a, -. `ascii` uses
 * `.` for `·`. Returns the length.
 */
int cell_text(const struct cell *cell, char *buf, size_t size, enum number_style style, bool ascii);

#endif
