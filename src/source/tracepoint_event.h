/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts events of the BPF programs to events of a snapshot. */
#ifndef XDPTOP_TRACEPOINT_EVENT_H
#define XDPTOP_TRACEPOINT_EVENT_H

#include "model/netns_names.h"
#include "model/snapshot.h"

/*
 * Fill *to, which is zeroed. The program's name is as the kernel cut it. `at` is the snapshot that
 * the event belongs to.
 */
void tracepoint_event_set(struct event *to, const struct series_event *e, const struct snapshot *at,
			  struct netns_names *names);

#endif
