/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns: one table for the screen, text batch, sorting, the filter, help and completion. A
 * column is a row of table/columns.def. Its value comes from the series of a row (table/column.c)
 * or from the kind of row (table/view.h).
 */
#pragma once

#include <stddef.h>
#include "model/tracepoint.h"

/* In the order of help and completion. */
enum column_id {
#define COLUMN(id, ...) id,
#include "table/columns.def"
#undef COLUMN
	COLUMN_COUNT,
};

enum cell_state {
	CELL_VALUE,
	CELL_NOT_YET, /* `·`: no interval yet */
	CELL_OFF,     /* `off`: its tracepoint is off, failed or shed */
	CELL_MISSING, /* `n/a`: not in this kernel or mode, or its device is unknown */
	CELL_NONE,    /* `-`: does not apply */
};

/* What a number counts; CELL_NONE for tracepoints that do not count it. */
enum quantity {
	QUANTITY_NONE,
	QUANTITY_EVENTS,
	QUANTITY_PACKETS,
	QUANTITY_DROPS,
	QUANTITY_BYTES,
	QUANTITY_OFFERED, /* packets handed over at the tracepoint, whether sent or dropped */
	QUANTITY_ERRORS,  /* drops, or events of tracepoints that fire only for failures */
	QUANTITY_SLEEPS,
	QUANTITY_XDP_PASS,
	QUANTITY_XDP_DROP,
	QUANTITY_XDP_REDIRECT,
};

struct series;
struct table;
struct row;
struct cell;

/* Fill a cell whose column is set. Returns its state. */
typedef enum cell_state cell_fn(const struct table *t, const struct row *row, struct cell *cell);

struct column {
	const char *name;  /* for -s and `FIELD=`: snake_case, the JSON name if there is one */
	const char *title; /* column header */
	uint8_t width;     /* minimum useful width; SI numbers always fit */
	uint8_t share;     /* sixteenths of the line for a text before other columns are placed */
	bool number;       /* right-aligned, compared as a number */
	bool rate;         /* per second of the last interval */
	bool descending;   /* when first sorted by it, the largest comes first */
	const char *unit;  /* "1/s", "B/s", "%", "" */
	const char *help;  /* what the number means and which tracepoint counts it, in one line */
	bool identity;     /* distinguishes rows: never changes in a row */
	bool lost;         /* a value above 0 means lost packets */
	bool not_by_xdp;   /* in the NIC, the backlog or the stack: the row gets no `!` */
	bool bar;          /* percent of a whole, also drawn as a bar */
	bool stays;        /* shown in every line that can hold it */
	bool letter;       /* shown as the first letter of its text, or as - if dim */
	bool of_verdicts;  /* shown only with --verdicts: table_shows() */
	bool of_pods;      /* shown only if a pod is known; uses the location of any kind of row */
	bool of_fills;     /* shown only if programs have hashes or tries */
	bool of_runs;      /* shown only if it is known whether BPF statistics are on */
	cell_fn *cell;     /* computes it from the series of a row; NULL = not available there */
	/*
	 * For number_cell: the quantity, divided by `over` if that is set. It is that of the row's
	 * tracepoint or, if the row has several, the sum over those at this stage.
	 */
	enum quantity value, over;
	enum tp_stage stage;
	/*
	 * The rate to graph with this one, in the same unit; or, if this is not a rate, instead of
	 * it.
	 */
	enum column_id beside;
	/*
	 * For series_text_cell: print the text of a series, false = it has none; compare two series
	 * (NULL = compare their texts).
	 */
	bool (*print)(const struct table *t, const struct series *s, struct cell *cell);
	bool (*same)(const struct series *a, const struct series *b);
	uint16_t expected; /* HAS_... bits: a series has a text if its tracepoint has all of these.
			    * If the text is unknown, the cell is `n/a`. */
	const char *overflow; /* text for the series of a full table; NULL = `n/a` */
};

extern const struct column columns[COLUMN_COUNT];

/*
 * Find by name, or by title in upper or lower case, which is what the screen shows; -1 = unknown.
 */
int column_find(const char *name);
/* The names most similar to an unknown one, comma separated; "" = none is similar. */
void column_suggest(const char *name, char *buf, size_t size);
