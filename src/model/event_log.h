/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that the snapshots brought, the newest ones kept. */
#ifndef XDPTOP_EVENT_LOG_H
#define XDPTOP_EVENT_LOG_H

#include "model/snapshot.h"

#define EVENT_LOG_MAX 500

struct event_log {
	struct event *event; /* a ring of EVENT_LOG_MAX, made with the first event */
	uint64_t first;      /* those before it are forgotten */
	uint64_t taken;      /* events ever taken: the serial number of the next one */
};

void event_log_free(struct event_log *l);
/* Forgets all events; serial numbers go on. */
void event_log_clear(struct event_log *l);
/* The events of a snapshot; out of memory loses them. */
void event_log_take(struct event_log *l, const struct snapshot *s);
/* How many are kept of the first `taken` events ever taken (a paused screen knows no later ones).
 */
int event_log_count(const struct event_log *l, uint64_t taken);
/* The one `back` before the newest of those, 0 = the newest. */
const struct event *event_log_get(const struct event_log *l, uint64_t taken, int back);

#endif
