/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/* Shared by user space and the programs: the records of followed events, and their rings. */
#pragma once

#include "shared.h"

/* Indexes in arg[] of arguments that are not in the key, by tracepoint. */
enum {
	/* xdp_redirect, xdp_redirect_err */
	FOLLOW_MAP_INDEX = 0,
	/* xdp_devmap_xmit, xdp_bulk_tx */
	FOLLOW_SENT = 0,
	FOLLOW_DROPS = 1,
	/* xdp_cpumap_enqueue and xdp_cpumap_kthread; drops as above */
	FOLLOW_PROCESSED = 0,
	FOLLOW_SCHED = 2,
	FOLLOW_XDP_PASS = 3,
	FOLLOW_XDP_DROP = 4,
	FOLLOW_XDP_REDIRECT = 5,
	/* net_dev_queue */
	FOLLOW_LEN = 0,
	FOLLOW_PROTOCOL = 1, /* in host byte order */
	FOLLOW_QUEUE_MAPPING = 2,
	FOLLOW_GSO_SEGS = 3,
	/* mem_connect, mem_disconnect; the queue is SERIES_QUEUE_UNKNOWN without one */
	FOLLOW_MEM_ID = 0,
	FOLLOW_MEM_TYPE = 1,
	FOLLOW_QUEUE = 2,
	FOLLOW_ARGS = 6,
};

#define FOLLOW_OTHER_ARGS 10

/* Kind of an argument of TP_OTHER and up. */
enum follow_word {
	FOLLOW_WORD_NONE, /* no argument, or a pointer, whose value says nothing */
	FOLLOW_WORD_NUMBER,
	FOLLOW_WORD_DEVICE, /* struct net_device *: its ifindex is written */
	FOLLOW_WORD_PROG,   /* struct bpf_prog *: its id */
};

struct follow_event {
	__u64 ktime_ns; /* CLOCK_MONOTONIC */
	__u64 lost;     /* total of this tracepoint and CPU: events that found the ring full */
	union {
		struct {
			struct series_key key;
			char comm[SERIES_NAME_LEN]; /* of pid */
			__u32 slot;                 /* of its series */
		};
		__u64 word[FOLLOW_OTHER_ARGS]; /* arguments of TP_OTHER and up */
	};
	__u16 known; /* bits 1 << index of arg[], or of word[] */
	__u16 tracepoint;
	__u32 pid; /* net_dev_queue in process context; else 0 */
	__u32 arg[FOLLOW_ARGS];
};

/* Counters of one tracepoint and CPU since load, in one cache line that one program writes. */
struct follow_count {
	__u64 events;          /* of followed series */
	__u64 lost;            /* of these, those that found the ring full */
	__u64 timed, timed_ns; /* as in struct series_meter */
	__u64 zero;
	__u64 ring; /* index of the ring that its program writes; set by user space */
	__u64 spare[2];
};

/*
 * A ring of events. The programs that write it never interrupt each other, so it needs no lock, no
 * atomics.
 */
struct follow_ring {
	/* cache line written by the programs */
	__u64 written; /* events, since load */
	__u32 at;      /* slot of the next event */
	__u32 rest[13];
	/* cache line written by user space */
	__u64 taken;        /* events that were read */
	__u32 first, slots; /* its part of the map `followed`; 0 slots = always full */
	__u64 spare[6];
};

#define FOLLOW_RINGS 32 /* per CPU; a power of two, for the verifier */

struct follow_cpu {
	struct follow_count count[TP_COUNT];
	struct follow_ring ring[FOLLOW_RINGS];
};

_Static_assert(TP_COUNT <= FOLLOW_RINGS, "each program may have one");

_Static_assert(sizeof(struct follow_event) == 128, "two cache lines");
_Static_assert(sizeof(struct follow_count) == 64, "one cache line");
_Static_assert(sizeof(struct follow_ring) == 128, "two cache lines");
