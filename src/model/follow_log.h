/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ring of the newest followed events of all snapshots, sorted by time within each snapshot. */
#pragma once

#include "model/snapshot.h"

#define FOLLOW_LOG_MAX 2048

struct follow_log {
	struct followed *event; /* FOLLOW_LOG_MAX elements; NULL before the first */
	uint64_t taken;         /* all so far = serial number of the next */
	uint64_t events;        /* real events among these; the others only report losses */
	uint64_t lost;          /* events that are not listed */
	double per_s;           /* events, over a second or longer; < 0 = unknown yet */
	uint64_t since_ns, since_events; /* start of that time, CLOCK_MONOTONIC; 0 = not yet */
};

void follow_log_free(struct follow_log *l);
void follow_log_take(struct follow_log *l, const struct snapshot *s);
/* A copy with the same serial numbers. */
void follow_log_copy(struct follow_log *to, const struct follow_log *from);
size_t follow_log_count(const struct follow_log *l);
/* The event `back` steps before the newest; 0 = the newest. */
const struct followed *follow_log_get(const struct follow_log *l, size_t back);
/*
 * Time since the previous event of any tracepoint and CPU; negative if an earlier snapshot had a
 * later event. False = the previous event was lost or is no longer kept.
 */
bool follow_log_gap(const struct follow_log *l, size_t back, int64_t *ns);
