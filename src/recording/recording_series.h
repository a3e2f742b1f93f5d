/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The series of a recording. A row has one series that changed, a snapshot has all of them: this
 * keeps the last counts of each.
 */
#ifndef XDPTOP_RECORDING_SERIES_H
#define XDPTOP_RECORDING_SERIES_H

#include <stddef.h>
#include <stdint.h>
#include "schema/record.h"

/*
 * Series at a time, and the overflow row of each tracepoint: a screen stays below 64 MB. A table
 * that was made larger with --max-series loses those that did not change of late.
 */
#define RECORDING_SERIES_MAX (16384 + TP_COUNT)
#define RECORDING_CPUS_MAX   (1u << 17) /* CPU rows of all series: 40 MB with the snapshots */

struct recording_series;

/* NULL = out of memory. */
struct recording_series *recording_series_new(void);
void recording_series_free(struct recording_series *r);
/* A new run: remove all. Ids are not reused. */
void recording_series_clear(struct recording_series *r);
/* Start the next snapshot. */
void recording_series_next(struct recording_series *r);
/*
 * Add a sample row, of all CPUs or of one; `previous`: it is of the previous snapshot. Counts that
 * fell mean that the slot was reused: it is another series with a new id. The least recently
 * changed series make room. 0; -EEXIST = the snapshot has that row already; -ENOSPC = the snapshot
 * has more than fits; -ENOMEM.
 */
int recording_series_add(struct recording_series *r, const struct record *record, bool previous);
/* Remove series without a row in this snapshot: the monitor has no others. 0 or -ENOMEM. */
int recording_series_keep_current(struct recording_series *r);
/*
 * Append all to a snapshot, with their counts at the start of the interval (`before`) or at its
 * end. 0 or -ENOMEM.
 */
int recording_series_copy(struct recording_series *r, struct snapshot *to, bool before);

#endif
