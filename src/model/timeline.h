/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The incidents of a recording, as its findings tell them: one row for each time that a cause was
 * there. Times with less than TIMELINE_JOIN_S between them are one incident.
 */
#pragma once

#include "model/finding.h"

#define TIMELINE_JOIN_S 60
#define TIMELINE_MAX    2048 /* times of causes; further ones are counted */

struct timeline {
	/*
	 * The latest first: `first` to `last`, `active` if it continues at the end of what was
	 * asked for, `total` - `before` events or packets in that time, loss.per_s NAN = no loss.
	 */
	struct finding *incident;
	size_t n, cap;
	bool pipe;                 /* it cannot be read, because what was read is gone */
	int64_t first_ns, last_ns; /* what was asked for, CLOCK_REALTIME; 0 = all, or unknown */
	bool complete;             /* all of it was read; else: */
	bool reading;              /* it is being read */
	int64_t unread_ns;         /* what was recorded before has not been read; 0 = unknown */
	unsigned int percent;      /* read, of the bytes asked for */
	size_t damaged;            /* files that could not be read to their end, or at all */
	size_t bad_lines;          /* that could not be read */
	size_t left_out;           /* times of causes beyond TIMELINE_MAX */
};

/*
 * "not read: before 2026-11-20 03:00:00", with all other reasons why an incident may be
 * missing; "" = none. Returns the length.
 */
int timeline_gaps_text(const struct timeline *t, char *buf, size_t size);
