/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/*
 * Shared by the program that counts the verdicts of one XDP program (bpf/verdict.bpf.c) and user
 * space: the memory of one trace, an array with an element for each possible CPU. The program
 * writes the element of its CPU. User space reads through mmap().
 */
#pragma once

#ifndef __BPF__
#include <linux/types.h>
#endif

/* enum xdp_action, include/uapi/linux/bpf.h; VERDICT_UNKNOWN is any other value. */
#define VERDICT_UNKNOWN 5
#define VERDICT_ACTS    6

/* Places of one CPU for the RX queues that the program ran for there, a power of two. */
#define VERDICT_QUEUES 128
/* The common place of the queues that found no free one. It has no identity. */
#define VERDICT_REST VERDICT_QUEUES
/* Places that are tried for a queue. */
#define VERDICT_PROBES 8

#define VERDICT_CACHE_LOG 4
#define VERDICT_CACHE     (1 << VERDICT_CACHE_LOG)

struct verdict_counters {
	__u64 packets, bytes;
};

/* What the program returned for one RX queue on this CPU. */
struct verdict_queue {
	__u32 netns, ifindex, queue;
	__u32 used; /* 0 = a free place; written last */
	struct verdict_counters act[VERDICT_ACTS];
};

/* Caches the place of a queue by pointers; valid in this jiffy only, as in struct series_entry. */
struct verdict_entry {
	__u64 rxq, dev;
	__u64 jiffy;
	__u32 place;
	__u32 spare;
};

struct verdict_cpu {
	__u64 events;   /* runs of the program */
	__u64 timed;    /* runs that were timed */
	__u64 timed_ns; /* time inside the counting program in those runs */
	__u64 spare;
	struct verdict_entry cache[VERDICT_CACHE];
	struct verdict_queue queue[VERDICT_QUEUES + 1];
};

_Static_assert(sizeof(struct verdict_queue) == 112, "no padding");
_Static_assert(!(VERDICT_QUEUES & (VERDICT_QUEUES - 1)), "a mask");
