/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of skipped snapshots, for the next snapshot that is written. */
#ifndef XDPTOP_DEFERRED_EVENTS_H
#define XDPTOP_DEFERRED_EVENTS_H

#include "model/snapshot.h"

#define DEFERRED_EVENTS_MAX 4096 /* kept from snapshots that were skipped for a slow reader */

/* Keeps the events of a snapshot that was skipped. 0 or -ENOMEM. */
int deferred_events_add(struct snapshot *deferred, const struct snapshot *s);
/* Moves them to a snapshot that will be written, before its own. 0 or -ENOMEM. */
int deferred_events_put(struct snapshot *deferred, struct snapshot *to);

#endif
