/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/* Shared by user space and the programs that follow events: the choices that select events, and the
 * records of events. */
#ifndef XDPTOP_BPF_FOLLOW_H
#define XDPTOP_BPF_FOLLOW_H

#include "shared.h"

/*
 * An event is compared by its key, as struct series_key is in memory, then by the kernel's names of
 * its device, target device and program, 16 bytes each.
 */
#define FOLLOW_KEY_WORDS 4
#define FOLLOW_IFNAME    4
#define FOLLOW_TO_IFNAME 6
#define FOLLOW_PROG_NAME 8
#define FOLLOW_WORDS     10
/* An event matches when (word & mask) == value in all words of one choice. */
#define FOLLOW_CHOICES 8

struct follow_choice {
	__u64 value[FOLLOW_WORDS];
	__u64 mask[FOLLOW_WORDS];
};

/* The ifindex and code common to all matches, which are compared before the key is built. */
struct follow_first {
	__u32 ifindex, ifindex_mask;
	__u32 code, code_mask;
};

struct follow_choices {
	__u32 n;       /* 0 = each event matches */
	__u32 by_name; /* some mask has bits of a name */
	struct follow_choice choice[FOLLOW_CHOICES];
};

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
			char ifname[SERIES_NAME_LEN];
			union {
				char to_ifname[SERIES_NAME_LEN];
				char comm[SERIES_NAME_LEN]; /* of pid; such events have no target */
			};
			char prog_name[SERIES_NAME_LEN];
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
	__u64 events;          /* seen by its program */
	__u64 lost;            /* matched, but the ring was full */
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

#endif
