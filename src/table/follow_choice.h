/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events are followed: those of the series that an expression of the filter language matches
 * (--follow), or of a row (key l). The programs write the events of series that are marked, and of
 * series that are new; here events of other series are dropped.
 */
#pragma once

#include "base/error.h"
#include "model/followed.h"
#include "table/table.h"

#define FOLLOW_TEXT_LEN 256

struct follow_choice {
	uint32_t tracepoints;    /* bits 1 << id */
	struct filter *filter;   /* NULL = all series, or a row */
	const struct view *view; /* of the row; NULL = not a row */
	uint64_t row;
	char text[FOLLOW_TEXT_LEN]; /* for display */
	uint64_t *id;               /* series of the last snapshot, ascending */
	size_t n, cap;
	uint64_t others[TP_COUNT]; /* lost events of other series, still in what will be reported */
};

/*
 * Set *c to an expression that compares fields of series. A word is a tracepoint. The snapshot
 * names tracepoints without a row, NULL = they are unknown. 0; or -EINVAL and *error.
 */
int follow_choice_parse(struct follow_choice *c, const char *expr, const struct snapshot *s,
			struct error *error);
/*
 * Set *c to a row: the tracepoints of its view that are on, or all if none is, and the series that
 * the view groups in it. For rows of other kinds, to the device or program that they are about. 0;
 * or -ENOENT, and c->text says why the row cannot be followed.
 */
int follow_choice_row(struct follow_choice *c, const struct table *t, const struct row *row);
void follow_choice_free(struct follow_choice *c);
/* Find the series of a snapshot. Returns them for struct source_ops. */
struct follow_filter follow_choice_series(struct follow_choice *c, const struct snapshot *s,
					  struct netns_names *names);
/* Drop the other events of that snapshot, and what was lost of them. */
void follow_choice_keep(struct follow_choice *c, struct snapshot *s, struct netns_names *names);
