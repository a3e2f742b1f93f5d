/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of a row. Each is the sum over the tracepoints that its column names and no others, so
 * that no packet is counted twice. Without events it is 0 only if all of them were attached; else
 * it is off, missing, or not yet known.
 */
#pragma once

#include "table/table.h"

struct value {
	enum cell_state state;
	uint64_t count;
	double per_s; /* BASIS_INTERVAL only */
};

/* A quantity in a row, from the tracepoints of the column. */
struct value value_column(const struct table *t, const struct row *row, const struct column *column,
			  enum quantity quantity, enum basis basis);
/* The sum of a quantity in a row over these tracepoints (bits 1 << id). */
struct value value_sum(const struct table *t, const struct row *row, uint32_t of,
		       enum quantity quantity, enum basis basis);
/*
 * Tracepoints that define a CPU's share (bits 1 << id): the row's own, or in a flow the tracepoints
 * of the last stage with events. Two stages count the same packets, so they are not added.
 */
uint32_t share_tracepoints(const struct table *t, const struct row *row);
/* Events of these tracepoints in a CPU row or, with all_cpus, on all CPUs of its row. */
uint64_t value_cpu_events(const struct table *t, const struct row *row, bool all_cpus, uint32_t of);
/* Whether XDP runs in generic mode on the device that received the row's packets. */
bool row_is_generic(const struct table *t, const struct row *row);
/* The state of a cell without rates_watched(): CELL_MISSING, CELL_OFF or CELL_NOT_YET. */
enum cell_state value_unwatched(const struct rates *r, uint32_t tracepoint);
