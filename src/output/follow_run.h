/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of a run in batch mode with --follow: which events are written, and how many could not be. */
#ifndef XDPTOP_FOLLOW_RUN_H
#define XDPTOP_FOLLOW_RUN_H

#include "model/followed.h"
#include "model/netns_names.h"
#include "model/source.h"

struct follow_run {
	struct follow_filter filter;
	/*
	 * Of a replay, else NULL: all its events come, and are chosen here. Its namespaces have
	 * their names only as they come.
	 */
	const char *expr;
	struct netns_names *names;
	uint64_t written;     /* events, without those that were lost */
	struct snapshot lost; /* its followed[]: for each tracepoint and CPU what was skipped */
};

/*
 * Begin behind the first snapshot. 0, or -EINVAL, -ENOMEM or what source_ops.follow() returned,
 * with a message in why.
 */
int follow_run_begin(struct follow_run *f, const char *expr, struct source *source,
		     struct netns_names *names, const struct snapshot *first, char *why,
		     size_t size);
void follow_run_free(struct follow_run *f);
/* The snapshot is not written: its events count as lost. 0 or -ENOMEM. */
int follow_run_skip(struct follow_run *f, const struct snapshot *s);
/*
 * Before a snapshot is written: leave in it what was asked for, with what was lost in front of it.
 * 0 or -ENOMEM.
 */
int follow_run_choose(struct follow_run *f, struct snapshot *s);
/* Count its events; true when `max` (0 = no end) are reached, and the rest is removed. */
bool follow_run_cut(struct follow_run *f, struct snapshot *s, uint64_t max);

#endif
