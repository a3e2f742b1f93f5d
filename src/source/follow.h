/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following on the live machine: marks the series whose events the programs report, and adds these
 * events to snapshots. Rare events are reported in any case, so they are taken from there.
 */
#pragma once

#include "base/error.h"
#include "model/followed.h"

struct live;
struct live_follow;
struct probe;
struct series_table;

/* For a probe with probe_follow(). */
struct live_follow *live_follow_open(struct live *live, struct probe *probe,
				     const struct series_table *table);
void live_follow_close(struct live_follow *f);
/* Call it before the drop of privileges. */
void live_follow_ready(struct live_follow *f);
/* As struct source_ops.follow. */
int live_follow(struct live_follow *f, const struct follow_filter *filter, struct error *error);
/* As struct source_ops.follow_series. */
void live_follow_series(struct live_follow *f, const struct follow_filter *filter);
/* Add a rare event (*event is the same) if its tracepoint is followed. Call before the sample. */
void live_follow_rare(struct live_follow *f, const struct series_event *e,
		      const struct event *event, struct snapshot *to);
/*
 * As struct source_ops.look. In a sample, call it before series_table_find(), which then knows the
 * series of these events.
 */
void live_follow_read(struct live_follow *f);
/* Add the events that were read since the last sample. */
void live_follow_sample(struct live_follow *f, struct snapshot *to);
