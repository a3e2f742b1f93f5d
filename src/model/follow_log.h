/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ring of the newest events that were followed, of all snapshots: by time in each of them. */
#ifndef XDPTOP_FOLLOW_LOG_H
#define XDPTOP_FOLLOW_LOG_H

#include "model/snapshot.h"

#define FOLLOW_LOG_MAX 2048

struct follow_log {
	struct followed *event;          /* FOLLOW_LOG_MAX elements; NULL before the first */
	uint64_t taken;                  /* all so far = serial number of the next */
	uint64_t events;                 /* of them: the others tell of losses alone */
	uint64_t lost;                   /* events that are not listed */
	double per_s;                    /* events, over a second or longer; < 0 = not yet known */
	uint64_t since_ns, since_events; /* when that began, CLOCK_MONOTONIC; 0 = not yet */
};

void follow_log_free(struct follow_log *l);
/* Adds what a snapshot has of them. Out of memory drops them. */
void follow_log_take(struct follow_log *l, const struct snapshot *s);
/* A copy with the same serial numbers: 0 or -ENOMEM, and *to is empty. */
int follow_log_copy(struct follow_log *to, const struct follow_log *from);
size_t follow_log_count(const struct follow_log *l);
/* The one `back` steps before the newest; 0 = the newest. */
const struct followed *follow_log_get(const struct follow_log *l, size_t back);
/*
 * The time from the event before it, of whatever tracepoint and CPU: below 0 where a snapshot had
 * it earlier than that. False when that event is not known: it was lost, or is no longer kept.
 */
bool follow_log_gap(const struct follow_log *l, size_t back, int64_t *ns);

#endif
