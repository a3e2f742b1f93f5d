/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The series of a recording. A row has one changed series, but a snapshot has all of them: this
 * keeps the last counts of each.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "schema/record.h"

/*
 * Limit of series, including an overflow row per tracepoint, so that a screen stays below 64 MB. If
 * --max-series was larger, series that did not change recently are lost.
 */
#define RECORDING_SERIES_MAX (16384 + TP_COUNT)
#define RECORDING_COUNTS_MAX (1u << 17) /* of series and of CPUs: 40 MB with the snapshots */

struct recording_series;

struct recording_series *recording_series_new(void);
void recording_series_free(struct recording_series *r);
/* Begin a run: remove all series. Ids are not reused. */
void recording_series_clear(struct recording_series *r);
/* Start the next snapshot. */
void recording_series_next(struct recording_series *r);
/*
 * Add a sample row, of one CPU or of all; `previous` = it belongs to the previous snapshot. If
 * counts have fallen, the slot was reused for another series, which gets a new id. The least
 * recently changed series make room. 0; -EEXIST = the snapshot already has the row; -ENOSPC = the
 * snapshot has too many rows.
 */
int recording_series_add(struct recording_series *r, const struct record *record, bool previous);
/* Remove series without a row in this snapshot: the writer has no others. */
void recording_series_keep_current(struct recording_series *r);
/*
 * Append all series to a snapshot with their counts at the start (`before`) or end of the interval.
 */
void recording_series_copy(struct recording_series *r, struct snapshot *to, bool before);
