/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings of the newest events of all snapshots, and of the newest changes among them. */
#pragma once

#include "model/snapshot.h"

#define EVENT_LOG_MAX  500
#define CHANGE_LOG_MAX 4096

struct event_ring {
	struct event *event; /* NULL before the first one */
	uint64_t first;      /* serial number of the oldest after a clear */
	uint64_t taken;      /* all so far = serial number of the next */
};

struct event_log {
	struct event_ring all;     /* EVENT_LOG_MAX elements */
	struct event_ring changes; /* CHANGE_LOG_MAX elements */
	uint64_t before[2];        /* changes.taken before the last two snapshots */
};

void event_log_free(struct event_log *l);
/* Drops all events. Serial numbers continue. */
void event_log_clear(struct event_log *l);
/*
 * Adds the events of a snapshot. A program that a device gets or loses changes XDP features and
 * offloads of the device and its peer: as changes these are only counted in event.settings.
 */
void event_log_take(struct event_log *l, const struct snapshot *s);
int event_log_count(const struct event_log *l);
/* The event `back` steps before the newest; 0 = the newest. */
const struct event *event_log_get(const struct event_log *l, int back);
/* The same for changes. */
int event_log_changes(const struct event_log *l);
const struct event *event_log_change(const struct event_log *l, int back);
/* Deep copy with the serial numbers. */
void event_log_copy(struct event_log *to, const struct event_log *from);
