/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --follow in batch mode: which events are written, and how many were lost. */
#pragma once

#include "model/source.h"
#include "table/follow_choice.h"

struct follow_run {
	struct follow_choice choice;
	struct source *source;
	struct netns_names *names;
	uint64_t written; /* events, except lost ones */
};

/*
 * Starts after the first snapshot. 0; or -EINVAL or what source_ops.follow() returns, and
 * *error. To be ended in any case.
 */
int follow_run_begin(struct follow_run *f, const char *expr, struct source *source,
		     struct netns_names *names, const struct snapshot *first, struct error *error);
void follow_run_end(struct follow_run *f);
void follow_run_choose(struct follow_run *f, struct snapshot *s);
/* Counts the events; true if `max` (0 = no limit) is reached, and removes the rest. */
bool follow_run_cut(struct follow_run *f, struct snapshot *s, uint64_t max);
