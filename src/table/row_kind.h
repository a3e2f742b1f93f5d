/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The operations of a kind of row. A new kind is a file that defines a struct row_kind, and a view
 * that uses it.
 */
#pragma once

#include "table/column.h"

struct location;      /* model/location.h */
struct snapshot_host; /* model/snapshot.h */

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
	 * Print why rows may be missing, a sentence per line, but for a list only if it is empty.
	 * Returns the length, 0 = none is missing; NULL = none is ever missing.
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
