/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A number of a row. It is taken from the tracepoints that a column names and from no other, so
 * that no packet is counted twice; where none of them was watched it is not 0 but off, missing, or
 * not yet known.
 */
#ifndef XDPTOP_VALUE_H
#define XDPTOP_VALUE_H

#include "table/table.h"

/* Over what time: the last interval, or since the baseline (else the start). */
enum basis { BASIS_INTERVAL, BASIS_BASELINE };

struct value {
	enum cell_state state;
	uint64_t count;
	double per_s; /* BASIS_INTERVAL only */
};

/* A quantity as a column shows it in a row: of the tracepoints that tell of it there. */
struct value value_column(const struct table *t, const struct row *row, const struct column *column,
			  enum quantity q, enum basis basis);
/* The sum of a quantity of these tracepoints in a row (bits 1 << id). */
struct value value_sum(const struct table *t, const struct row *row, uint32_t of, enum quantity q,
		       enum basis basis);
/*
 * The tracepoint, or in a flow those of the stage furthest on that saw anything, by whose events a
 * CPU's share is told: the events of two stages are not added up.
 */
uint32_t share_tracepoints(const struct table *t, const struct row *row, enum basis basis);
/* Events of these tracepoints in a CPU row, or (all_cpus) on all CPUs of its row. */
uint64_t value_cpu_events(const struct table *t, const struct row *row, bool all_cpus, uint32_t of,
			  enum basis basis);
/* Does XDP run in generic mode on the device that the packets of the row came in on? */
bool row_is_generic(const struct table *t, const struct row *row);
/*
 * Would it have been seen? Attached for the whole interval (what fired before it was switched on,
 * or after it was shed, nobody counted), or at any time since the start or baseline.
 */
bool value_watched(const struct rates *r, uint32_t tracepoint, enum basis basis);
/* What a 0 of it is when not: CELL_MISSING, CELL_OFF or CELL_NOT_YET. */
enum cell_state value_unwatched(const struct rates *r, uint32_t tracepoint);

#endif
