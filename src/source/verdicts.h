/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source verdicts: what the attached XDP programs returned, by RX queue and CPU. Only with
 * --verdicts: programs at fexit count it (src/tracing/verdict_traces.h). Whether a program is
 * traced is in its row of source/programs.h.
 */
#ifndef XDPTOP_VERDICTS_H
#define XDPTOP_VERDICTS_H

#include "bpf/verdict.h"
#include "model/snapshot.h"

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
	/* since the trace began; bytes as the program left the frame, all of its fragments */
	uint64_t packets, bytes;
};

/* Rows of the snapshot, in the order of the members. */
const struct verdict *verdicts(const struct snapshot *s, size_t *n);
/* "ABORTED", "DROP", "PASS", "TX", "REDIRECT", "UNKNOWN" */
const char *verdict_name(uint32_t act);

#endif
