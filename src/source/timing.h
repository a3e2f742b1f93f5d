/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Percentiles of the time that one program takes, from the histograms of bpf/timing.bpf.c. */
#ifndef XDPTOP_SOURCE_TIMING_H
#define XDPTOP_SOURCE_TIMING_H

#include "bpf/timing.h"
#include "source/programs.h"

/* The histogram of all CPUs at the last snapshot. All zero = begins now. */
struct timing {
	uint32_t prog_id;
	uint64_t bucket[TIMING_BUCKETS];
};

/* The middle of a bucket, in ns. */
double timing_bucket_ns(unsigned int bucket);
/*
 * Set p->timed_runs and p->pct_ns from what the histograms of the CPUs gained since the last call,
 * for another program since 0.
 */
void timing_set(struct timing *t, const struct timing_cpu *cpu, uint32_t cpus, struct program *p);

#endif
