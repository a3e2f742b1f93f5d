/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source verdicts: what the attached XDP programs returned, by RX queue and CPU. Only with
 * --verdicts: programs at fexit count it (src/tracing/verdict_traces.h). Whether a program is
 * traced is in its row of source/programs.h.
 */
#ifndef XDPTOP_VERDICTS_H
#define XDPTOP_VERDICTS_H

#include "bpf/verdict.h"
#include "model/rates.h"
#include "source/programs.h"

#define VERDICTS_MAX          65536 /* rows that are known at a time */
#define VERDICT_QUEUE_UNKNOWN UINT32_MAX

/* One verdict of one program on one CPU. Rows of which nothing was counted are left out. */
struct verdict {
	uint32_t prog_id;
	uint32_t netns, ifindex, queue; /* of xdp_rxq_info; 0, 0, VERDICT_QUEUE_UNKNOWN: of the
					   queues for which there was no place left */
	uint32_t act;                   /* enum xdp_action, or VERDICT_UNKNOWN */
	uint32_t cpu;
	uint32_t trace; /* of a run of xdptop, ascending: counts begin at 0 with each trace */
	bool gone;      /* only in a recording's row: the trace has ended */
	struct timespec unseen_from, unseen_until; /* as in struct program */
	/* since the trace began; bytes as the program left the frame, all of its fragments */
	uint64_t packets, bytes;
};

/* Rows of the snapshot, in the order of the members. */
const struct verdict *verdicts(const struct snapshot *s, size_t *n);
/* "ABORTED", "DROP", "PASS", "TX", "REDIRECT", "UNKNOWN" */
const char *verdict_name(uint32_t act);
/*
 * Whether all that this program's trace has counted since `from` is known: the trace was there
 * then. If not, it has no rates yet.
 */
bool verdicts_known_since(const struct snapshot *to, const struct snapshot *from, uint32_t prog_id);

/* A walk over the rows of one program, and what they have grown by: O(log n) + O(1) a row. */
struct verdict_walk {
	const struct verdict *row, *end;       /* the next one, of rates->to */
	const struct verdict *from, *from_end; /* of the snapshots before */
	const struct verdict *base, *base_end;
	bool known; /* there are rates: verdicts_known_since(rates->from) */
	/* Of the row that verdict_walk_next() returned: in the interval, since the baseline, else
	 * since the trace began. */
	struct verdict_counters delta, since;
};

void verdict_walk_program(struct verdict_walk *w, const struct rates *r, uint32_t prog_id);
/* Those of one device: not what found no place, which has none. */
void verdict_walk_device(struct verdict_walk *w, const struct rates *r, uint32_t prog_id,
			 uint32_t netns, uint32_t ifindex);
/* The next row; NULL = no more. */
const struct verdict *verdict_walk_next(struct verdict_walk *w);

/* What was added up of rows, by act. */
struct verdict_sum {
	bool known; /* delta is */
	struct verdict_counters delta[VERDICT_ACTS], since[VERDICT_ACTS];
};

/* Add the row that verdict_walk_next() returned. */
void verdict_sum_add(struct verdict_sum *sum, const struct verdict_walk *w,
		     const struct verdict *row);
/* Of a program. Returns whether its verdicts are counted: only PROGRAM_VERDICTS_ON has a sum. */
enum program_verdicts verdict_sum_program(const struct rates *r, uint32_t prog_id,
					  struct verdict_sum *sum);
/* The programs whose verdicts are those of a device: attached to it, no parts. How many. */
int verdict_programs(const struct netdev *d, uint32_t prog_id[2]);
/*
 * Of a device: of the programs attached to it, not of their parts. Also PROGRAM_VERDICTS_REFUSED
 * where it cannot be told what of a program's is of this device.
 */
enum program_verdicts verdict_sum_device(const struct rates *r, const struct netdev *d,
					 struct verdict_sum *sum);
/* All acts together. */
struct verdict_counters verdict_total(const struct verdict_counters act[VERDICT_ACTS]);

#endif
