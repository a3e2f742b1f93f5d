/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings of the newest events of all snapshots, and of the newest changes among them. */
#pragma once

#include "model/snapshot.h"

#define EVENT_LOG_MAX  500
#define CHANGE_LOG_MAX 4096

struct event_log {
	struct event *event;  /* EVENT_LOG_MAX elements; NULL before the first event */
	uint64_t first;       /* serial number of the oldest after a clear */
	uint64_t taken;       /* all events so far = serial number of the next */
	struct event *change; /* the same for changes: CHANGE_LOG_MAX elements */
	uint64_t first_change, taken_changes;
	uint64_t before[2]; /* taken_changes before the last two snapshots */
};

void event_log_free(struct event_log *l);
/* Drops all events. Serial numbers continue. */
void event_log_clear(struct event_log *l);
/*
 * Adds the events of a snapshot. A program that a device gets or loses changes XDP features and
 * offloads of the device and its peer: as changes these are only counted in event.settings.
 */
void event_log_take(struct event_log *l, const struct snapshot *s);
/* How many events with a serial number below `taken` are kept. A paused screen passes its own. */
int event_log_count(const struct event_log *l, uint64_t taken);
/* The event `back` steps before the newest of them; 0 = the newest. */
const struct event *event_log_get(const struct event_log *l, uint64_t taken, int back);
/* The same for changes. */
int event_log_changes(const struct event_log *l);
const struct event *event_log_change(const struct event_log *l, int back);
/* Deep copy with the serial numbers. */
void event_log_copy(struct event_log *to, const struct event_log *from);
