/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What attached programs returned on their devices: in the interval, and over windows of time, as
 * findings need it that speak of all packets.
 */
#ifndef XDPTOP_VERDICT_PAST_H
#define XDPTOP_VERDICT_PAST_H

#include "model/rates.h"
#include "source/verdicts.h"

/*
 * A window: so many seconds and intervals at least, and so many packets a second, also without its
 * fullest interval: a counter that is read late grows once, for packets of before. On a quiet
 * device all of 10 s can be broadcasts, scans, or frames for the NIC's firmware, which are meant to
 * be dropped or never reach the host; 100 a second are traffic. A program that lets 1 % through
 * drops 1,000 in a row by chance once in 23,000 windows (0.99^1000).
 */
#define VERDICT_WINDOW_S         10
#define VERDICT_WINDOW_INTERVALS 3
#define VERDICT_WINDOW_PER_S     100

struct verdict_window {
	uint64_t since_ns;                 /* CLOCK_MONOTONIC */
	struct verdict_counters all, drop; /* packets; those of XDP_DROP */
	uint32_t intervals;
	uint64_t most; /* packets of the fullest interval */
	double most_s; /* its length */
	/* The last whole window had enough packets, and nothing has come since that speaks against
	 * it. */
	bool holds;
	struct verdict_counters last, last_drop; /* of that window */
	double seconds;
};

/* A program on a device. It has none where an interval is not known as a whole. */
struct verdict_past {
	uint32_t netns, ifindex, prog_id;
	struct verdict_counters act[VERDICT_ACTS]; /* in the interval */
	uint64_t received;                         /* by the device, in native mode; else 0 */
	struct verdict_window dropped;             /* all packets that it ran for */
	struct verdict_window unseen; /* packets of the device: it ran for none, in native mode */
};

struct verdict_pasts {
	struct verdict_past *past; /* ascending by netns, ifindex, prog_id */
	size_t n, cap;
	struct verdict_past *before; /* memory of the update */
	size_t cap_before;
};

/* Whether all that a program returned in the interval is counted. */
bool verdict_past_knows(const struct rates *r, const struct program *p);
/* Takes in an interval. 0 or -ENOMEM. */
int verdict_pasts_update(struct verdict_pasts *p, const struct rates *r);
/* Of a device and its program in the snapshot of the last update; NULL = not known. */
const struct verdict_past *verdict_past_find(const struct verdict_pasts *p, const struct netdev *d,
					     uint32_t prog_id);
void verdict_pasts_free(struct verdict_pasts *p);

#endif
