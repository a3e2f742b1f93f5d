/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The series of a recording. A line of it speaks of one series that changed; a snapshot holds all
 * of them: this keeps what was last said of each.
 */
#ifndef XDPTOP_REPLAY_SERIES_H
#define XDPTOP_REPLAY_SERIES_H

#include <stddef.h>
#include <stdint.h>
#include "schema/record.h"

/* Known at a time: what a monitor's table can hold, and its rows for what did not fit. */
#define REPLAY_SERIES_MAX (65536 + TP_COUNT)
#define REPLAY_CPUS_MAX   (1u << 20) /* CPU rows of all of them */

struct replay_series;

/* NULL = out of memory. */
struct replay_series *replay_series_new(void);
void replay_series_free(struct replay_series *r);
/* A new run begins: none is known any more. Ids are not used again. */
void replay_series_clear(struct replay_series *r);
/* The next snapshot begins. */
void replay_series_next(struct replay_series *r);
/*
 * Take a sample record, of all CPUs or of one; `late`: of the snapshot before. Counts that fell
 * mean that it was recycled and is another series now. When there is no room, those that have not
 * changed for longest are forgotten. 0; -EEXIST = this snapshot has given that row already; -ENOSPC
 * = it has more than can be kept; -ENOMEM.
 */
int replay_series_take(struct replay_series *r, const struct record *record, bool late);
/* The monitor knew no others than those that this snapshot has given: forget the rest. */
void replay_series_keep_given(struct replay_series *r);
/* Append all to a snapshot, as they were before the last records (`before`) or as they are. */
int replay_series_give(const struct replay_series *r, struct snapshot *to, bool before);

#endif
