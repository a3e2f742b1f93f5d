/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/*
 * Shared by the program that counts the results of bpf_fib_lookup() (bpf/fib.bpf.c) and user
 * space: an array with an element for each possible CPU. The program writes the element of its CPU.
 * User space reads through mmap().
 */
#pragma once

#ifndef __BPF__
#include <linux/types.h>
#endif

/* enum BPF_FIB_LKUP_RET_..., include/uapi/linux/bpf.h, then: */
#define FIB_ERROR   10 /* -errno */
#define FIB_UNKNOWN 11 /* a result that came after these headers */
#define FIB_RESULTS 12

/* Places of one CPU for devices, a power of two; then the common place of all others. */
#define FIB_DEVICES 128
#define FIB_PROBES  8

/* Results of the programs that ran for this device on this CPU. */
struct fib_device {
	__u32 netns, ifindex;
	__u32 used; /* 0 = a free place; written last */
	__u32 spare;
	__u64 result[FIB_RESULTS];
};

struct fib_cpu {
	__u64 events;   /* lookups */
	__u64 timed;    /* lookups that were timed */
	__u64 timed_ns; /* time inside the counting program in those */
	__u64 spare;
	struct fib_device device[FIB_DEVICES + 1];
};

_Static_assert(sizeof(struct fib_device) == 112, "no padding");
_Static_assert(!(FIB_DEVICES & (FIB_DEVICES - 1)), "a mask");
