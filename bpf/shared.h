/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/*
 * Shared by the BPF programs and user space: tracepoint ids, the key and the counters of a series,
 * and the layout of the maps. All types have a fixed width. The programs write, and user space
 * reads through mmap(), and writes only slots that no program can reach, and series_info.followed.
 */
#pragma once

#ifndef __BPF__
#include <linux/types.h>
#endif

/*
 * One id for each row of src/model/tracepoint.c, in the same order. The tracepoints before
 * TP_VERDICTS are known by name.
 */
enum tracepoint_id {
	TP_XDP_EXCEPTION,
	TP_XDP_REDIRECT_ERR,
	TP_XDP_REDIRECT,
	TP_XDP_DEVMAP_XMIT,
	TP_XDP_BULK_TX,
	TP_XDP_CPUMAP_ENQUEUE,
	TP_XDP_CPUMAP_KTHREAD,
	TP_NET_DEV_QUEUE,
	TP_LINK_ATTACH_FAILED,
	TP_NETLINK_EXTACK,
	TP_MEM_CONNECT,
	TP_MEM_DISCONNECT,
	TP_VERDICTS, /* not a tracepoint: programs at the end of XDP programs, with --verdicts */
	TP_FOLLOW,   /* not a tracepoint: the part of programs that writes followed events */
	TP_OTHER,    /* first of TP_OTHERS xdp tracepoints without a row of their own */
	TP_OTHERS = 4,
	TP_COUNT = TP_OTHER + TP_OTHERS,
};

#define SERIES_NAME_LEN 16 /* IFNAMSIZ = BPF_OBJ_NAME_LEN = TASK_COMM_LEN */
#define SERIES_TEXT_LEN 128

/* enum bpf_map_type, include/uapi/linux/bpf.h */
#define SERIES_MAP_NONE        0
#define SERIES_MAP_DEVMAP      14
#define SERIES_MAP_CPUMAP      16
#define SERIES_MAP_XSKMAP      17
#define SERIES_MAP_DEVMAP_HASH 25
/* Not in the kernel: the record of a perf-event tracepoint has no map type. */
#define SERIES_MAP_SOME_DEVMAP 0xfffffffe /* devmap or devmap_hash; target = ifindex */
#define SERIES_MAP_UNKNOWN     0xffffffff /* any map; target = map index */
/* bpf_redirect() to an ifindex: map_id is INT_MAX (net/core/filter.c, bpf_xdp_redirect) */
#define SERIES_MAP_ID_IFINDEX 0x7fffffff

/*
 * Identity of a series within its tracepoint. Only values: the memory behind pointers is reused.
 * Fields that the tracepoint does not have are 0 (`has` in struct tracepoint).
 */
struct series_key {
	__u32 netns;    /* dev_net(dev)->ns.inum */
	__u32 ifindex;  /* unique within netns only */
	__u32 to_netns; /* of the target device; 0 = no device, or unknown */
	__u32 target;   /* to_ifindex; CPU number for a cpumap; map index for an xskmap */
	__u32 prog_id;
	__u32 map_type; /* enum bpf_map_type; 0 = no map */
	__u32 map_id;   /* SERIES_MAP_ID_IFINDEX for bpf_redirect() */
	__s32 code;     /* act for xdp_exception, err (negative errno or 0) for all others */
};

/* Key of the hash of series; no padding. */
struct series_index {
	struct series_key key;
	__u32 tracepoint;
	__u32 zero;
};

/* One cache line per series and CPU, written by one program: no atomics. */
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

/* The series in a slot. Names are raw bytes, as of the first event. */
struct series_info {
	struct series_key key;
	__u32 tracepoint;
	__u32 live; /* 0 = free; written last by series_new() */
	char ifname[SERIES_NAME_LEN];
	char to_ifname[SERIES_NAME_LEN];
	char prog_name[SERIES_NAME_LEN];
	/* Program of the devmap entry when a CPU last looked; 0 = none, or unknown. */
	__u32 to_prog_id;
	__u32 to_prog_changes; /* how often a look found another program */
	__u32 followed;        /* follow_now while its events are followed; user space sets it */
	__u32 lost;            /* followed events of all CPUs that found the ring full; wraps */
};

/* Cache of series: two ways in eight sets, for each tracepoint and CPU. */
#define SERIES_SETS_LOG 3
#define SERIES_SETS     (1 << SERIES_SETS_LOG)
#define SERIES_WAYS     2
#define SERIES_TAG      6 /* words of the longest tag */

/*
 * The cache set for the first two words of a tag. The first word has an ifindex in its lower or
 * upper half. The halves of the factor are the fractions of sqrt(2) and of the golden ratio, so
 * that consecutive ifindexes get different sets, and so do alternate ifindexes (the ends of veth
 * pairs alternate).
 */
static inline __u32 series_set(__u64 first, __u32 second)
{
	return (first + second) * 0x6a09e6679e3779b1ULL >> (64 - SERIES_SETS_LOG);
}

struct series_entry {
	__u64 tag[SERIES_TAG]; /* struct key_ops in bpf/series_cache.h */
	__u64 jiffy;           /* valid in this jiffy only */
	__u32 index;           /* index of this CPU's counters in the map `counts` */
	__u32 spare;
};

struct series_cache {
	struct series_entry entry[SERIES_SETS][SERIES_WAYS];
};

/* Events of one tracepoint on one CPU, and their cost. */
struct series_meter {
	__u64 events;   /* counted by any series */
	__u64 timed;    /* events that were timed */
	__u64 timed_ns; /* time that the program took for the timed events */
	__u64 started;  /* start of the event being timed; else 0 */
	__u64 spare;
};

/* Rate limit of failures in the ring: only the first in each round of jiffies is reported. */
struct failure_limit {
	__u32 round;    /* in which a failure was last reported */
	__u32 left_out; /* failures since then, counted but not reported; saturates */
};

struct series_cpu {
	struct series_meter meter[TP_COUNT];
	struct failure_limit failures[TP_COUNT];
	struct series_cache cache[TP_COUNT] __attribute__((aligned(64)));
};

#define SERIES_QUEUE_UNKNOWN 0xffffffff

/* A rare event or a failure in the ring buffer. */
struct series_event {
	__u64 ktime_ns; /* CLOCK_MONOTONIC */
	__u32 tracepoint;
	__u32 cpu;
	struct series_key key;
	__u32 pid;
	__u32 queue;    /* mem_connect: rxq->queue_index, or SERIES_QUEUE_UNKNOWN */
	__u32 mem_type; /* mem_*: enum xdp_mem_type */
	__u32 mem_id;
	__u32 left_out; /* as in struct failure_limit */
	__s32 sent;     /* failures of bulks */
	__s32 drops;
	char comm[SERIES_NAME_LEN];
	char ifname[SERIES_NAME_LEN];
	char to_ifname[SERIES_NAME_LEN];
	char prog_name[SERIES_NAME_LEN];
	char text[SERIES_TEXT_LEN]; /* "" = the kernel gave no message */
};

_Static_assert(sizeof(struct series_key) == 32, "the key is compared as four u64");
_Static_assert(sizeof(struct series_counters) == 64, "one cache line");
_Static_assert(sizeof(struct series_entry) == 64, "one cache line");
_Static_assert(__builtin_offsetof(struct series_cpu, cache) % 64 == 0, "aligned entries");
_Static_assert(sizeof(struct series_info) == 104, "layout shared with the BPF side");
