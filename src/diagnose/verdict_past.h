/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What attached programs returned on their devices: in the interval, and in windows of time. */
#pragma once

#include "diagnose/finding_code.h"
#include "source/verdicts.h"

/*
 * Minimum seconds and intervals of a window, and minimum packets per second, even without its
 * fullest interval: a counter that is read late grows once by earlier packets. On a quiet device
 * all packets of 10 s can be broadcasts, scans, or frames for the NIC's firmware, which are dropped
 * on purpose or never reach the host; 100 per second are traffic. A program that lets 1 % through
 * drops 1,000 in a row by chance once in 23,000 windows (0.99^1000).
 */
#define VERDICT_WINDOW_S         10
#define VERDICT_WINDOW_INTERVALS 3
#define VERDICT_WINDOW_PER_S     100

struct verdict_window {
	uint64_t since_ns, first_ns;       /* begin, end of its first interval; CLOCK_MONOTONIC */
	struct verdict_counters all, drop; /* packets; dropped by XDP_DROP */
	uint32_t intervals;
	uint64_t most; /* packets of the fullest interval */
	double most_s; /* its length in seconds */
	/* The last complete window had enough packets, and no interval since contradicts it. */
	bool holds;
	struct verdict_counters last, last_drop; /* of that window */
	uint64_t last_since_ns, last_first_ns;
	double seconds;
};

/* A program on a device. It exists only if all verdicts of the interval are known. */
struct verdict_past {
	uint32_t netns, ifindex, prog_id;          /* the key, first */
	struct verdict_counters act[VERDICT_ACTS]; /* in the interval */
	uint64_t received;                         /* by the device, in native mode; else 0 */
	struct verdict_window dropped;             /* all packets that the program ran for */
	struct verdict_window unseen; /* native mode: packets for which the program did not run */
};

struct verdict_pasts {
	struct verdict_past *past; /* ascending by netns, ifindex, prog_id */
	size_t n, cap;
	struct verdict_past *before; /* reused by the update */
	size_t cap_before;
};

void verdict_pasts_update(struct verdict_pasts *p, const struct rates *r);
/* For a device and program of the last snapshot; NULL = unknown. */
const struct verdict_past *verdict_past_find(const struct verdict_pasts *p, const struct netdev *d,
					     uint32_t prog_id);
void verdict_pasts_free(struct verdict_pasts *p);

/*
 * Conditions of rules that look at what programs returned. The first program of a device that
 * `holds` accepts; sets evidence.program. NULL = none known.
 */
const struct verdict_past *verdict_evidence(struct evidence *e,
					    bool (*holds)(const struct verdict_past *p));
/* The same for programs that returned `act` in the interval. Sets evidence.count and lost_per_s. */
const struct verdict_past *verdict_evidence_act(struct evidence *e, uint32_t act);
/*
 * What an exception's program returned on its device in the interval: *all packets, *n of this act.
 * False = unknown. Shares use these two, because the exceptions are read a moment earlier: some can
 * belong to the interval before, while *n is 0.
 */
bool verdict_numbers(const struct evidence *e, uint32_t act, uint64_t *n, uint64_t *all);
/* "for at most 3.0 % of its packets ", with `most` before the number; "" if `all` is 0 */
const char *verdict_share(uint64_t count, uint64_t all, const char *most, char *buf, size_t size);
