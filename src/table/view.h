/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The views: one table for the screen, text batch, help and completion. A view says which series
 * are shown, how they are grouped and sorted, and in which columns.
 */
#pragma once

#include "model/iter.h"
#include "table/column.h"

struct location;      /* model/location.h */
struct snapshot_host; /* model/snapshot.h */

/* A new kind of row is a file that defines a struct row_kind, and a view that uses it. */
struct row_kind {
	/* Rows are entries of a list in its order, without series, rates and CPUs. */
	bool list;
	/* Entries do not expand to CPUs: they belong to no CPU, or are one. */
	bool alone;
	/* Text output prints each row in full below the table, because it may not fit in a line. */
	bool details;
	/*
	 * Batch output prints a row once, in order of time. Text has what happened; CSV also has
	 * what lasts, whenever its severity changes.
	 */
	bool log;
	/* Append all rows of the view except rows of single CPUs. */
	void (*add)(struct table *t);
	/* Set a cell by its column; NULL = cell_of_series(). */
	cell_fn *cell;
	/*
	 * Set the device or program of a row in *location, which is initialised; NULL = from its
	 * series.
	 */
	void (*locate)(const struct table *t, const struct row *row, struct location *location);
	/* Print the row as a sentence; NULL = not supported. */
	void (*sentence)(const struct table *t, const struct row *row, char *buf, size_t size);
	/*
	 * Print what a row with `more` omits, and return the length. NULL = such a row omits
	 * tracepoints. If the row's `item` is 0, key a and option -a show what is omitted.
	 */
	int (*more)(const struct table *t, const struct row *row, char *buf, size_t size);
	/* Print a line about all rows in `width` cells, or leave `buf` empty; NULL = none. */
	void (*summary)(const struct table *t, int width, char *buf, size_t size);
	/*
	 * Print why rows may be missing, one sentence per line. For a list it is called only if
	 * the list is empty. Returns the length, 0 = none is missing; NULL = none is ever missing.
	 */
	int (*missing)(const struct table *t, const struct snapshot_host *host, char *buf,
		       size_t size);
};

extern const struct row_kind rows_series;   /* groups of series */
extern const struct row_kind rows_devices;  /* also attached devices that counted nothing */
extern const struct row_kind rows_paths;    /* diagnose/device_path.h: devices with XDP */
extern const struct row_kind rows_programs; /* programs, even attached ones that counted nothing */
extern const struct row_kind rows_cpus;     /* source/softnet.h: a row per CPU */
extern const struct row_kind rows_events;   /* model/event_log.h */
extern const struct row_kind rows_changes;  /* the changes among them: model/change.h */
extern const struct row_kind rows_followed; /* model/follow_log.h */
extern const struct row_kind rows_findings; /* diagnose/findings.h */
extern const struct row_kind rows_timeline; /* model/timeline.h */
extern const struct row_kind rows_maps;     /* source/maps.h: maps and their entries */
extern const struct row_kind rows_sockets;  /* source/sockets.h */
extern const struct row_kind rows_queues;   /* source/queues.h */
extern const struct row_kind rows_packets;  /* source/packet_kinds.h */

/* Identity fields that distinguish the rows of a view. */
enum {
	GROUP_TRACEPOINT = 1 << 0,
	GROUP_DEVICE = 1 << 1, /* netns and ifindex */
	GROUP_TARGET = 1 << 2, /* model/target.h: a device is one target, through any map */
	GROUP_PROG = 1 << 3,
	GROUP_CODE = 1 << 4,
	GROUP_LOCATION = 1 << 5, /* the device that received or sent it */
	GROUP_SERIES = 1 << 6,   /* a row for each series */
};

/* In the order of the digits, which choose the first VIEW_DIGITS. */
enum view_id {
	VIEW_OVERVIEW,
	VIEW_FINDINGS,
	VIEW_FLOWS,
	VIEW_ERRORS,
	VIEW_DEVICES,
	VIEW_PROGRAMS,
	VIEW_MAPS,
	VIEW_SOCKETS,
	VIEW_EVENTS,
	VIEW_CPUMAP,
	VIEW_QUEUES,
	VIEW_CPUS,
	VIEW_STACK,
	VIEW_PACKETS,
	VIEW_TRACEPOINTS,
	VIEW_CHANGES,
	VIEW_TIMELINE, /* of a replay only */
	VIEW_FOLLOW,   /* last: the screen has it only after something was followed */
	VIEW_COUNT,
};

struct view {
	const char *name;
	const char *title;
	const char *help;
	const struct row_kind *rows;
	uint32_t stages; /* stages of its tracepoints: bits 1 << enum tp_stage; 0 = all */
	uint16_t has;    /* HAS_...: its tracepoints have all of these */
	uint32_t group;
	/*
	 * BPF programs that it shows something from, bits 1 << enum iter_id; and those without
	 * which it cannot say that there is nothing.
	 */
	uint32_t iters, needs;
	bool always;        /* a row for each tracepoint, even without a series */
	bool from_cpus;     /* each row is followed by the CPUs that fill its queue */
	bool failures_only; /* only series with failures, by err or act, or with drops > 0 */
	const enum column_id *column; /* n_columns, most important first */
	uint8_t n_columns;
	int sort;             /* column, -1 = table order */
	enum column_id trend; /* the screen puts the last minute before it; COL_KEY = nowhere */
	/*
	 * n_blocks views whose worst rows precede its own. The last n_tails of them list what is
	 * new and come after its own.
	 */
	const enum view_id *block;
	uint8_t n_blocks, n_tails;
};

/* Views that a digit chooses. The others are in the menu. */
#define VIEW_DIGITS 9
#define VIEW_BLOCKS 2 /* limit per view */

extern const struct view views[VIEW_COUNT];

/* The tracepoints of a view: bits 1 << id. */
uint32_t view_tracepoints(const struct view *view);
/* The view's column with the title of this one. Without one, `column` itself. */
int view_sort(const struct view *view, int column);
/* -1 = unknown */
int view_find(const char *name);
/* The name of the ith view; NULL = no more. */
const char *view_name(size_t i);

#define CPU_COLUMNS 2
/* Columns of CPU rows, in front of the view's. */
extern const enum column_id cpu_columns[CPU_COLUMNS];
