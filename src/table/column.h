/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns: one table of declarations, read by the screen, text batch, sorting, the filter,
 * help, completion and the tests. What a cell holds is computed in src/table/cell.c.
 */
#ifndef XDPTOP_COLUMN_H
#define XDPTOP_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum column_id {
	COL_KEY,
	COL_TRACEPOINT,
	COL_STATE,
	COL_EVENTS_RATE,
	COL_PACKETS_RATE,
	COL_DROPS_RATE,
	COL_BYTES_RATE,
	COL_EVENTS,
	COL_PACKETS,
	COL_DROPS,
	COL_BYTES,
	COL_DROP_PERCENT,
	COL_BULK,
	COL_SIZE,
	COL_NS,
	COL_CPU_PERCENT,
	COL_LAST_SEEN,
	COL_NETNS,
	COL_DEVICE,
	COL_TARGET,
	COL_PROGRAM,
	COL_ERROR,
	COL_MEANING,
	COL_REASON,
	COL_CPU,
	COL_SHARE,
	COL_SKEW,
	COL_QUEUED_RATE, /* flows: xdp_redirect only */
	COL_FAILED_RATE, /* flows: xdp_redirect_err only */
	COL_ERRORS_RATE, /* errors: drops, or events of what counts no packets */
	COL_ERRORS,
	COL_PROG_ID,
	COL_EXCEPTIONS_RATE, /* devices, programs: xdp_exception only */
	COL_MODE,            /* devices: what netlink tells */
	COL_LINK,
	COL_MTU,
	COL_PEER,
	COL_FEATURES,
	COL_WARNING,
	COL_DEVICES, /* programs */
	COL_FROM,    /* cpumap */
	COL_MAP,
	COL_TAKEN_RATE, /* cpumap: xdp_cpumap_kthread only */
	COL_TAKEN_DROPS_RATE,
	COL_SLEEPS,
	COL_PASS_RATE,
	COL_XDP_DROP_RATE,
	COL_REDIRECT_RATE,
	COL_TIME, /* events */
	COL_ON_CPU,
	COL_PROCESS,
	COL_LEFT_OUT,
	COL_TEXT,     /* events, findings */
	COL_SEVERITY, /* findings */
	COL_FINDING,
	COL_COUNT,
	COL_SINCE,
	COLUMN_COUNT,
};

/* What rate columns, and shares and averages with them, are over. */
enum rate_unit { UNIT_PER_SECOND, UNIT_PER_INTERVAL, UNIT_SINCE_BASELINE };

struct table;
struct row;
struct cell;

/* Fill a cell of a row, which has its column set and CELL_NONE as its state. */
typedef void cell_fn(const struct table *t, const struct row *row, struct cell *cell);

struct column {
	const char *name;  /* as -s and `FIELD=` take it: snake_case, JSON names where one exists */
	const char *title; /* head of the column, short; of a rate, per second */
	uint8_t width;     /* least useful width; SI numbers never exceed it */
	uint8_t grow;      /* share of the spare width, 0 = fixed */
	bool id;           /* holds numbers that are cut at their begin: format_cut_id() */
	bool number;       /* right-aligned, compared as a number */
	bool rate;         /* follows the unit: per second, per interval, since baseline */
	bool descending;   /* first press of sort puts the largest on top */
	const char *unit;  /* "1/s", "B/s", "%", "" */
	const char *help;  /* what the number means, and from which tracepoint, one line */
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
