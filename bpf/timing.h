/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/*
 * Shared by the programs that time one XDP program (bpf/timing.bpf.c) and user space: an array with
 * an element for each possible CPU. The programs write the element of their CPU. User space reads
 * through mmap().
 */
#ifndef XDPTOP_BPF_TIMING_H
#define XDPTOP_BPF_TIMING_H

#ifndef __BPF__
#include <linux/types.h>
#endif

/* One run in this many is timed, on each CPU. */
#define TIMING_EVERY 1024

/*
 * A histogram of ns: the numbers up to 7, then eight buckets for each power of two. The last one
 * has all from 4 s on.
 */
#define TIMING_SUB_LOG 3
#define TIMING_SUB     (1 << TIMING_SUB_LOG)
#define TIMING_BUCKETS (TIMING_SUB * 30)

struct timing_cpu {
	__u64 runs;  /* of the XDP program */
	__u64 began; /* start of a run that is timed, CLOCK_MONOTONIC; 0 = none */
	__u64 bucket[TIMING_BUCKETS];
};

static inline __attribute__((always_inline)) __u32 timing_bucket(__u64 ns)
{
	__u32 log = 0, v = (__u32)ns;

	if (ns >> 32)
		return TIMING_BUCKETS - 1;
	if (v < TIMING_SUB)
		return v;
	for (__u32 step = 16; step; step /= 2)
		if (v >> (log + step))
			log += step;
	return (log - TIMING_SUB_LOG + 1) * TIMING_SUB +
	       ((v >> (log - TIMING_SUB_LOG)) & (TIMING_SUB - 1));
}

#endif
