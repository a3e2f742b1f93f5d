/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source verdicts: what attached XDP programs returned, by RX queue and CPU. Only with
 * --verdicts: programs at fexit count them (src/tracing/verdict_traces.h). A program's row
 * (source/programs.h) says whether it is traced.
 */
#pragma once

#include "bpf/verdict.h"
#include "source/programs.h"

#define VERDICTS_MAX          65536 /* limit of known rows */
#define VERDICT_QUEUE_UNKNOWN UINT32_MAX

/* A verdict of a program on a CPU. Rows without counts are omitted. */
struct verdict {
	uint32_t prog_id;
	uint32_t netns, ifindex, queue; /* of xdp_rxq_info; 0, 0, VERDICT_QUEUE_UNKNOWN = all queues
					   that got no slot */
	uint32_t act;                   /* enum xdp_action, or VERDICT_UNKNOWN */
	uint32_t cpu;
	uint32_t trace; /* its number in this run, ascending; counts start at 0 with each trace */
	bool gone;      /* only in a recording: the trace has ended */
	struct timespec unseen_from, unseen_until; /* as in struct program */
	/* since the trace began; bytes include all fragments of the frame as the program left it */
	uint64_t packets, bytes;
};

/* Rows of the snapshot, sorted by the members in order. */
const struct verdict *verdicts(const struct snapshot *s, size_t *n);
/* "ABORTED", "DROP", "PASS", "TX", "REDIRECT", "UNKNOWN" */
extern const char *const verdict_names[VERDICT_ACTS];
const char *verdict_name(uint32_t act);
/* Whether the program was traced at `from` and ever since. If not, it has no rates yet. */
bool verdicts_known_since(const struct snapshot *to, const struct snapshot *from, uint32_t prog_id);

/*
 * A walk over the rows of one program: O(log n) to begin, O(1) for each row. Begin with
 * verdict_walk_program() or verdict_walk_device(), then call verdict_walk_next() until NULL. After
 * each call `delta` and `since` are the growth of the row it returned; verdict_sum_add() needs the
 * walk in that state, before the next call.
 */
struct verdict_walk {
	const struct verdict *row, *end;       /* the next row in rates->to */
	const struct verdict *from, *from_end; /* position in the earlier snapshots */
	const struct verdict *base, *base_end;
	bool known; /* verdicts_known_since(rates->from); else `delta` stays 0 */
	/*
	 * Growth of the row returned last: in the interval, and since the baseline (without one:
	 * since the trace began).
	 */
	struct verdict_counters delta, since;
};

void verdict_walk_program(struct verdict_walk *w, const struct rates *r, uint32_t prog_id);
/* Only the rows of one device. Rows without a device belong to ifindex 0. */
void verdict_walk_device(struct verdict_walk *w, const struct rates *r, uint32_t prog_id,
			 uint32_t netns, uint32_t ifindex);
/* Only the rows of one receive queue of a device. */
void verdict_walk_queue(struct verdict_walk *w, const struct rates *r, uint32_t prog_id,
			uint32_t netns, uint32_t ifindex, uint32_t queue);
/* The next row; NULL = no more. Rows are ascending by queue, act and CPU. */
const struct verdict *verdict_walk_next(struct verdict_walk *w);

/* Sums of rows by act. */
struct verdict_sum {
	bool known; /* `delta` is known */
	struct verdict_counters delta[VERDICT_ACTS], since[VERDICT_ACTS];
};

/* Add the row that verdict_walk_next() returned last. The caller zeroes `sum`, and sets `known`. */
void verdict_sum_add(struct verdict_sum *sum, const struct verdict_walk *w,
		     const struct verdict *row);
/*
 * Sum up a program. Returns whether its verdicts are counted. Only with PROGRAM_VERDICTS_ON is the
 * sum complete.
 */
enum program_verdicts verdict_sum_program(const struct rates *r, uint32_t prog_id,
					  struct verdict_sum *sum);
/*
 * The programs attached to a device, without the parts of dispatchers: their verdicts are the
 * device's. Returns how many.
 */
int verdict_programs(const struct netdev *d, uint32_t prog_id[2]);
/*
 * Sum up the programs attached to a device, not their parts. Also PROGRAM_VERDICTS_REFUSED if some
 * of a program's counts cannot be assigned to a device.
 */
enum program_verdicts verdict_sum_device(const struct rates *r, const struct netdev *d,
					 struct verdict_sum *sum);
/* Sum over all acts. */
void verdict_counters_add(struct verdict_counters *to, struct verdict_counters n);
struct verdict_counters verdict_total(const struct verdict_counters act[VERDICT_ACTS]);
