/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The views: one table for the screen, text batch, help and completion. A view says which series
 * are shown, how they are grouped and sorted, and in which columns.
 */
#pragma once

#include "model/iter.h"
#include "table/row_kind.h"

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
