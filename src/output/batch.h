/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xdptop -b: sample, write, until the count, a signal, or a closed pipe ends it. */
#ifndef XDPTOP_BATCH_H
#define XDPTOP_BATCH_H

#include "cli/options.h"
#include "model/source.h"

#define BATCH_HELD_MAX 4096 /* events kept of snapshots that a slow reader did not get */

/* Runs to the end and returns the exit code; messages went to stderr. */
int batch_run(struct source *source, const struct options *options);
/* --list; returns the exit code. */
int batch_list(const struct tp_count tp[TP_COUNT], const struct options *options);

#endif
