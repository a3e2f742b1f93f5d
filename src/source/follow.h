/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following on the live machine: hands the filter to the programs and adds the events that they
 * report to snapshots. Rare events are reported in any case, so they are taken from there.
 */
#ifndef XDPTOP_SOURCE_FOLLOW_H
#define XDPTOP_SOURCE_FOLLOW_H

#include "base/error.h"
#include "bpf/shared.h"
#include "model/followed.h"

struct live;
struct live_follow;
struct probe;

/* For a probe that has programs to follow events. NULL = out of memory. */
struct live_follow *live_follow_open(struct live *live, struct probe *probe);
/* Takes NULL. */
void live_follow_close(struct live_follow *f);
/* Call it before the drop of privileges. */
void live_follow_ready(struct live_follow *f);
/* As struct source_ops.follow. */
int live_follow(struct live_follow *f, const struct follow_filter *filter, struct error *error);
/* Add a rare event if the filter selects it. Call it before the sample. */
void live_follow_rare(struct live_follow *f, const struct series_event *e, struct snapshot *to);
/* As struct source_ops.look. */
void live_follow_read(struct live_follow *f);
/* Add the events followed since the last sample. 0 or -ENOMEM. */
int live_follow_sample(struct live_follow *f, struct snapshot *to);

#endif
