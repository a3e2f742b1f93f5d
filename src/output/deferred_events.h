/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of snapshots that are not written: the next one that is has them. */
#ifndef XDPTOP_DEFERRED_EVENTS_H
#define XDPTOP_DEFERRED_EVENTS_H

#include "model/snapshot.h"

#define DEFERRED_EVENTS_MAX 4096 /* kept of snapshots that were skipped for a slow reader */

/* The snapshot is not written. 0 or -ENOMEM. */
int deferred_events_add(struct snapshot *deferred, const struct snapshot *s);
/* Put them before those of a snapshot that is, and forget them. 0 or -ENOMEM. */
int deferred_events_put(struct snapshot *deferred, struct snapshot *to);

#endif
