/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns and views: two tables of declarations. The screen, text batch, help, completion and the
 * tests read them. A view says which series, grouped by what, which columns, sorted how.
 */
#ifndef XDPTOP_VIEW_H
#define XDPTOP_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include "tracepoint.h"

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
	COLUMN_COUNT,
};

struct column {
	const char *name;  /* as -s and `FIELD=` take it: snake_case, JSON names where one exists */
	const char *title; /* head of the column, short */
	uint8_t width;     /* least useful width; numbers never exceed it */
	uint8_t grow;      /* share of the spare width, 0 = fixed */
	bool number;       /* right-aligned, compared as a number */
	bool rate;         /* follows the unit: per second, per interval, since baseline */
	bool descending;   /* first press of sort puts the largest on top */
	const char *unit;  /* "1/s", "B/s", "%", "" */
	const char *help;  /* what the number means, and from which tracepoint, one line */
};

extern const struct column columns[COLUMN_COUNT];
/* By name, -1 when unknown. */
int column_find(const char *name);

/* Identity fields that tell the rows of a view apart. */
enum {
	GROUP_TRACEPOINT = 1 << 0,
	GROUP_DEVICE = 1 << 1, /* netns and ifindex */
	GROUP_TARGET = 1 << 2, /* to_netns, target, map */
	GROUP_PROG = 1 << 3,
	GROUP_CODE = 1 << 4,
};

enum view_id {
	VIEW_OVERVIEW,
	VIEW_FLOWS,
	VIEW_ERRORS,
	VIEW_QUEUES,
	VIEW_COUNT,
};

#define VIEW_COLUMNS 16

struct view {
	const char *name;
	const char *title;
	const char *help;
	uint32_t tracepoints; /* whose series it shows: bits 1 << id */
	uint32_t group;
	bool always;        /* a row for each tracepoint even without a series */
	bool failures_only; /* only series that lost packets: err or act says so, or drops > 0 */
	enum column_id column[VIEW_COLUMNS]; /* n_columns of them, most important first */
	uint8_t n_columns;
	int sort; /* column, -1 = table order */
};

extern const struct view views[VIEW_COUNT];
/* Columns that a CPU row adds in front when a row is drilled into: COL_CPU, COL_SHARE, COL_SKEW. */
int view_find(const char *name);

#endif
