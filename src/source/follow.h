/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following on the live machine: the filter goes to the programs, and what they report into the
 * snapshots. Rare events are reported in any case, and taken from there.
 */
#ifndef XDPTOP_SOURCE_FOLLOW_H
#define XDPTOP_SOURCE_FOLLOW_H

#include "bpf/shared.h"
#include "model/followed.h"

struct live;
struct live_follow;
struct probe;

/* Of a probe that has programs for it. NULL = out of memory. */
struct live_follow *live_follow_open(struct live *live, struct probe *probe);
/* Takes NULL. */
void live_follow_close(struct live_follow *f);
/* Before the privileges go. */
void live_follow_ready(struct live_follow *f);
/* As struct source_ops.follow. */
int live_follow(struct live_follow *f, const struct follow_filter *filter, char *why, size_t size);
/* A rare event, which may be one of those that are followed; before the sample. */
void live_follow_rare(struct live_follow *f, const struct series_event *e, struct snapshot *to);
/* As struct source_ops.look. */
void live_follow_read(struct live_follow *f);
/* Add what was followed since the sample before. 0 or -ENOMEM. */
int live_follow_sample(struct live_follow *f, struct snapshot *to);

#endif
