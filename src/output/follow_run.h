/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --follow in batch mode: which events are written, and how many were lost. */
#ifndef XDPTOP_FOLLOW_RUN_H
#define XDPTOP_FOLLOW_RUN_H

#include "base/error.h"
#include "model/followed.h"
#include "model/netns_names.h"
#include "model/source.h"

struct follow_run {
	struct follow_filter filter;
	/*
	 * NULL, except in a replay: the source then has all events, and they are chosen here. The
	 * names of its namespaces are not known at the start.
	 */
	const char *expr;
	struct netns_names *names;
	uint64_t written;     /* events, except lost ones */
	struct snapshot lost; /* its followed[] has the skipped events of each tracepoint and CPU */
};

/*
 * Starts after the first snapshot. 0; or -EINVAL, -ENOMEM or what source_ops.follow() returns, and
 * *error.
 */
int follow_run_begin(struct follow_run *f, const char *expr, struct source *source,
		     struct netns_names *names, const struct snapshot *first, struct error *error);
void follow_run_free(struct follow_run *f);
/* Counts the events of a skipped snapshot as lost. 0 or -ENOMEM. */
int follow_run_skip(struct follow_run *f, const struct snapshot *s);
/*
 * Keeps the requested events of a snapshot, after rows that count the lost events of skipped
 * snapshots. 0 or -ENOMEM.
 */
int follow_run_choose(struct follow_run *f, struct snapshot *s);
/* Counts the events; true if `max` (0 = no limit) is reached, and removes the rest. */
bool follow_run_cut(struct follow_run *f, struct snapshot *s, uint64_t max);

#endif
