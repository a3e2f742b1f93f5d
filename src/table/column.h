/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns: one table for the screen, text batch, sorting, the filter, help and completion. A
 * column is a row of table/columns.def. Its value comes from the series of a row (table/column.c)
 * or from the kind of row (table/row_kind.h).
 */
#ifndef XDPTOP_COLUMN_H
#define XDPTOP_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/tracepoint.h"

/* Their order is that of help and completion. */
enum column_id {
#define COLUMN(id, ...) id,
#include "table/columns.def"
#undef COLUMN
	COLUMN_COUNT,
};

/* The time that rates, shares and averages are over. */
enum rate_unit { UNIT_PER_SECOND, UNIT_PER_INTERVAL, UNIT_SINCE_BASELINE };

enum cell_state {
	CELL_VALUE,
	CELL_NOT_YET, /* `·`: no interval yet */
	CELL_OFF,     /* `off`: its tracepoint is off, failed or shed */
	CELL_MISSING, /* `n/a`: not in this kernel or mode, or a device of which nothing is known */
	CELL_NONE,    /* `-`: does not apply */
};

/* What a number counts; CELL_NONE for tracepoints that do not count it. */
enum quantity {
	QUANTITY_NONE,
	QUANTITY_EVENTS,
	QUANTITY_PACKETS,
	QUANTITY_DROPS,
	QUANTITY_BYTES,
	QUANTITY_OFFERED, /* packets handed to the stage: sent or dropped there */
	QUANTITY_ERRORS,  /* drops, or events of a tracepoint that fires for failures alone */
	QUANTITY_SCHED,
	QUANTITY_XDP_PASS,
	QUANTITY_XDP_DROP,
	QUANTITY_XDP_REDIRECT,
};

struct series;
struct table;
struct row;
struct cell;

/* Fill a cell, whose column is set; returns its state. */
typedef enum cell_state cell_fn(const struct table *t, const struct row *row, struct cell *cell);

struct column {
	const char *name;  /* for -s and `FIELD=`: snake_case, the JSON name where there is one */
	const char *title; /* header of the column; of a rate the one per second */
	uint8_t width;     /* least useful width; SI numbers never exceed it */
	uint8_t share;     /* sixteenths of a line that a text may take before others are placed */
	bool number;       /* right-aligned, compared as a number */
	bool rate;         /* follows the unit: per second, per interval, since baseline */
	bool descending;   /* first press of sort puts the largest on top */
	const char *unit;  /* "1/s", "B/s", "%", "" */
	const char *help;  /* what the number means, and from which tracepoint, one line */
	bool identity;     /* tells rows apart: never changes in a row */
	bool lost;         /* a value above 0 is lost packets */
	bool bar;          /* percent of a whole, which the screen draws as a bar, too */
	bool letter;       /* shown as the first letter of its text, - for one that is dim */
	bool of_verdicts;  /* only with --verdicts: table_shows() */
	bool of_pods;      /* only where a pod is known; by the location of any kind of row */
	cell_fn *cell;     /* from the series of a row; NULL = they do not have it */
	/*
	 * A number (number_cell): the quantity, over another one if that is set, of the tracepoint
	 * of the row. In a row of several tracepoints, of those at this stage that tell of it.
	 */
	enum quantity value, over;
	enum tp_stage stage;
	/* The rate to graph: beside a rate, one in the same unit; in place of what is none. */
	enum column_id beside;
	/*
	 * A text (series_text_cell): print that of one series into the cell, false where it has
	 * none; do two series have the same? NULL = when the texts are equal.
	 */
	bool (*print)(const struct table *t, const struct series *s, struct cell *cell);
	bool (*same)(const struct series *a, const struct series *b);
	uint16_t expected;    /* HAS_...: series of tracepoints with it have one, `n/a` = unknown */
	const char *overflow; /* text for a full table's series; NULL = `n/a` */
};

extern const struct column columns[COLUMN_COUNT];

/* By name, or by title in any case (what the user sees on the screen); -1 when unknown. */
int column_find(const char *name);
/* The names nearest to an unknown one, comma separated; "" when none is near. */
void column_suggest(const char *name, char *buf, size_t size);
/*
 * The title under a unit: "DROPS/S", "DROPS/I" (per interval), "DROPS" (since the baseline); never
 * wider than the per-second one. Returns the length.
 */
int column_title(enum column_id column, enum rate_unit unit, char *buf, size_t size);

#endif
