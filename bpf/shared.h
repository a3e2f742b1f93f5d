/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/*
 * What the BPF programs and the monitor share: the tracepoints' ids, the key that makes a series,
 * its counters, and the memory both map. Everything here is fixed width; the BPF side writes,
 * user space reads through mmap() (and writes only slots that no program can reach).
 */
#ifndef XDPTOP_SERIES_H
#define XDPTOP_SERIES_H

#ifndef __BPF__
#include <linux/types.h>
#endif

/* One id per row of the registry (src/model/tracepoint.c), in table order. */
enum tracepoint_id {
	TP_XDP_EXCEPTION,
	TP_XDP_REDIRECT_ERR,
	TP_XDP_REDIRECT,
	TP_XDP_REDIRECT_MAP_ERR,
	TP_XDP_REDIRECT_MAP,
	TP_XDP_DEVMAP_XMIT,
	TP_XDP_BULK_TX,
	TP_XDP_CPUMAP_ENQUEUE,
	TP_XDP_CPUMAP_KTHREAD,
	TP_NET_DEV_QUEUE,
	TP_LINK_ATTACH_FAILED,
	TP_MEM_CONNECT,
	TP_MEM_DISCONNECT,
	TP_OTHER, /* first of TP_OTHERS tracepoints that BTF shows and the registry does not know */
	TP_OTHERS = 4,
	TP_COUNT = TP_OTHER + TP_OTHERS,
};

#define SERIES_NAME_LEN 16 /* IFNAMSIZ = BPF_OBJ_NAME_LEN = TASK_COMM_LEN */
#define SERIES_TEXT_LEN 128

/* Mirrors of kernel constants, so that neither side needs the other's headers. */
#define SERIES_MAP_NONE        0
#define SERIES_MAP_DEVMAP      14
#define SERIES_MAP_CPUMAP      16
#define SERIES_MAP_XSKMAP      17
#define SERIES_MAP_DEVMAP_HASH 25
/* Where the record of a classic tracepoint does not say; neither is a number of the kernel's. */
#define SERIES_MAP_SOME_DEVMAP 0xfffffffe /* a devmap or devmap_hash; target is the device */
#define SERIES_MAP_UNKNOWN     0xffffffff /* any map; target is its index */
/* bpf_redirect() of an ifindex: map_id is INT_MAX (net/core/filter.c, bpf_xdp_redirect) */
#define SERIES_MAP_ID_IFINDEX 0x7fffffff

/*
 * What tells one series of a tracepoint from another. Values, never pointers: pointers are reused
 * (the cache may hold some, for a tick). A field that the tracepoint does not have is 0 (the
 * registry says which it has).
 */
struct series_key {
	__u32 netns;    /* dev_net(dev)->ns.inum */
	__u32 ifindex;  /* per netns: never a key by itself */
	__u32 to_netns; /* of the target device; 0 = not a device, or not known */
	__u32 target;   /* to_ifindex; CPU number for a cpumap; map index for an xskmap */
	__u32 prog_id;
	__u32 map_type; /* enum bpf_map_type; 0 = no map */
	__u32 map_id;   /* as the kernel says it; SERIES_MAP_ID_IFINDEX for bpf_redirect() */
	__s32 code;     /* act for xdp_exception, err (negative errno or 0) for all others */
};

/* What the hash of series is keyed by; no padding. */
struct series_index {
	struct series_key key;
	__u32 tracepoint;
	__u32 zero;
};

/* One cache line per series and CPU, written by one program only: no atomics needed. */
struct series_counters {
	__u64 events;
	__u64 packets; /* sent, processed or GSO segments; unused where packets = events */
	__u64 drops;
	__u64 bytes;
	__u64 sched;
	__u64 xdp_pass;
	__u64 xdp_drop;
	__u64 xdp_redirect;
};

/* Who a slot belongs to; names as they were when the series was first seen (raw bytes). */
struct series_info {
	struct series_key key;
	__u32 tracepoint;
	__u32 live; /* 0 = free; written last when a series is created */
	char ifname[SERIES_NAME_LEN];
	char to_ifname[SERIES_NAME_LEN];
	char prog_name[SERIES_NAME_LEN];
	__u64 spare;
};

/* Series counted last, with their slots: two ways in eight sets, for each tracepoint and CPU. */
#define SERIES_SETS_LOG 3
#define SERIES_SETS     (1 << SERIES_SETS_LOG)
#define SERIES_WAYS     2
#define SERIES_RAW      6

/*
 * The set of two words of an event; an ifindex is in the lower or upper half of the first. The
 * halves of the factor are the fractions of sqrt(2) and of the golden ratio: their multiples keep
 * apart from each other, also every second one (the other ends of veth pairs are in between).
 */
static inline __u32 series_set(__u64 first, __u32 second)
{
	return (first + second) * 0x6a09e6679e3779b1ULL >> (64 - SERIES_SETS_LOG);
}

struct series_entry {
	__u64 raw[SERIES_RAW]; /* what of the event tells the series; see bpf/series_cache.h */
	__u64 tick;            /* the entry holds only within this tick of the clock */
	__u32 index;           /* of its counters on this CPU */
	__u32 spare;
};

struct series_cache {
	struct series_entry entry[SERIES_SETS][SERIES_WAYS];
};

/* What a tracepoint costs on one CPU. */
struct series_meter {
	__u64 events;   /* every event of this tracepoint on this CPU */
	__u64 timed;    /* how many of them were timed */
	__u64 timed_ns; /* time inside the program in those */
	__u64 started;  /* while an event is timed: when it began */
	__u64 spare;
};

/* Failures that are listed one by one: the first in each so many ticks of the clock. */
struct series_listing {
	__u32 round;    /* of the one listed last */
	__u32 left_out; /* failures since that were counted, but not listed; stops at its end */
};

struct series_cpu {
	struct series_meter meter[TP_COUNT];
	struct series_listing listing[TP_COUNT];
	struct series_cache cache[TP_COUNT] __attribute__((aligned(64)));
};

#define SERIES_QUEUE_UNKNOWN 0xffffffff

/* A rare event with its text, or a failure, through the ring buffer. */
struct series_event {
	__u64 ktime_ns; /* CLOCK_MONOTONIC */
	__u32 tracepoint;
	__u32 cpu;
	struct series_key key;
	__u32 pid;
	__u32 queue;    /* mem_connect: rxq->queue_index, or SERIES_QUEUE_UNKNOWN */
	__u32 mem_type; /* mem_*: enum xdp_mem_type */
	__u32 mem_id;
	__u32 left_out; /* see struct series_listing */
	__s32 sent;     /* failures of bulks */
	__s32 drops;
	char comm[SERIES_NAME_LEN];
	char ifname[SERIES_NAME_LEN];
	char to_ifname[SERIES_NAME_LEN];
	char prog_name[SERIES_NAME_LEN];
	char text[SERIES_TEXT_LEN]; /* empty = the kernel gave no message */
};

_Static_assert(sizeof(struct series_key) == 32, "the key is compared as four u64");
_Static_assert(sizeof(struct series_counters) == 64, "one cache line");
_Static_assert(sizeof(struct series_entry) == 64, "one cache line");
_Static_assert(__builtin_offsetof(struct series_cpu, cache) % 64 == 0, "aligned entries");
_Static_assert(sizeof(struct series_info) == 96, "layout shared with the BPF side");

#endif
