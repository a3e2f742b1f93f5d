/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The series of a recording. A line of it speaks of one series that changed; a snapshot holds all
 * of them: this keeps what was last said of each.
 */
#ifndef XDPTOP_RECORDING_SERIES_H
#define XDPTOP_RECORDING_SERIES_H

#include <stddef.h>
#include <stdint.h>
#include "schema/record.h"

/* Known at a time: what a monitor's table can hold, and its rows for what did not fit. */
#define RECORDING_SERIES_MAX (65536 + TP_COUNT)
#define RECORDING_CPUS_MAX   (1u << 20) /* CPU rows of all of them */

struct recording_series;

/* NULL = out of memory. */
struct recording_series *recording_series_new(void);
void recording_series_free(struct recording_series *r);
/* A new run begins: none is known any more. Ids are not used again. */
void recording_series_clear(struct recording_series *r);
/* The next snapshot begins. */
void recording_series_next(struct recording_series *r);
/*
 * Take a sample record, of all CPUs or of one; `late`: of the snapshot before. Counts that fell
 * mean that it was recycled and is another series now. When there is no room, those that have not
 * changed for longest are forgotten. 0; -EEXIST = this snapshot has given that row already; -ENOSPC
 * = it has more than can be kept; -ENOMEM.
 */
int recording_series_take(struct recording_series *r, const struct record *record, bool late);
/* The monitor knew no others than those that this snapshot has given: forget the rest. */
void recording_series_keep_given(struct recording_series *r);
/* Append all to a snapshot, as they were before the last records (`before`) or as they are. */
int recording_series_give(const struct recording_series *r, struct snapshot *to, bool before);

#endif
