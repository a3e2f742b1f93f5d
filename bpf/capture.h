/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/*
 * Shared by the program that copies the heads of packets at the end of one XDP program
 * (bpf/capture.bpf.c) and user space: which packets, how many, and the copies.
 */
#pragma once

#include <linux/filter.h>

#define CAPTURE_BYTES    128  /* at most, of each packet */
#define CAPTURE_RATE_MAX 1000 /* packets of a program in a second */
#define CAPTURE_NAME_LEN 16   /* IFNAMSIZ */
#define CAPTURE_CHOICES  8
#define CAPTURE_SLOTS    16         /* of an element */
#define CAPTURE_INSNS    256        /* of a pcap filter */
#define CAPTURE_LIMIT    0x7ca90000 /* + instructions: loaded, limits the loop of a filter */
#define CAPTURE_CODE     16         /* instructions of an element */
#define CAPTURE_RING     (1 << 20)  /* bytes; all programs share it */

/* Words of a packet that are compared. */
enum {
	CAPTURE_NETNS, /* and ifindex << 32 */
	CAPTURE_QUEUE,
	CAPTURE_IFNAME, /* 16 bytes */
	CAPTURE_WORDS = CAPTURE_IFNAME + 2,
};

/* A packet matches when (word & mask) == value in all words of one choice. */
struct capture_choice {
	__u64 value[CAPTURE_WORDS];
	__u64 mask[CAPTURE_WORDS];
};

/* The first six are written by user space. */
struct capture_control {
	__u32 acts;    /* verdicts, as bits 1 << verdict; 0 = no packet */
	__u32 rate;    /* packets in a second */
	__u32 choices; /* 0 = every packet */
	__u32 prog_id;
	__u32 insns;   /* of the filter; 0 = none */
	__u32 heads;   /* first element of a struct capture_head and bytes for each CPU; 0 = none */
	__u64 free_ns; /* from then on `slot` is free; UINT64_MAX = a CPU takes it */
	__u32 slot;    /* for the next packet */
	__u32 spare[23];
};

/* The state of classic BPF while a filter runs. */
struct filter_registers {
	__u32 a, x, mem[BPF_MEMWORDS];
};

/* Counters of one CPU. Packets that match = copied + refused + lost. */
struct capture_cpu {
	__u64 matched;
	__u64 refused; /* the rate was used up */
	__u64 lost;    /* the ring was full */
	__u64 events;  /* runs of the program */
	__u64 timed, timed_ns;
	__u64 unread; /* do not match: a byte that the filter compares cannot be read */
	struct filter_registers registers;
};

/* The packet before the program, for --capture-both. The next element has its bytes. */
struct capture_head {
	__u64 of; /* the address of its struct xdp_buff; 0 = no packet */
	__u32 n, length;
};

/* Elements of the array of one program. */
enum {
	CAPTURE_CONTROL,
	CAPTURE_CHOICE,
	CAPTURE_SLOT = CAPTURE_CHOICE + CAPTURE_CHOICES, /* `rate` times of packets */
	/* instructions of the filter */
	CAPTURE_INSN = CAPTURE_SLOT + CAPTURE_RATE_MAX / CAPTURE_SLOTS + 1,
	CAPTURE_CPU = CAPTURE_INSN + CAPTURE_INSNS / CAPTURE_CODE, /* + CPU id; then the heads */
};

static inline __u32 capture_size(__u32 cpus, _Bool both)
{
	return CAPTURE_CPU + cpus * (both ? 3 : 1);
}

union capture_element {
	struct capture_control control;
	struct capture_choice choice;
	__u64 slot[CAPTURE_SLOTS];
	struct sock_filter insn[CAPTURE_CODE];
	struct capture_cpu cpu;
	struct capture_head head;
	__u8 bytes[CAPTURE_BYTES];
};

enum capture_stage {
	CAPTURE_AFTER, /* the program; nothing is known of the packet before it */
	CAPTURE_PAIR_BEFORE,
	CAPTURE_PAIR_AFTER, /* as the last PAIR_BEFORE with the same time and CPU */
};

struct capture_record {
	__u64 ktime_ns; /* CLOCK_MONOTONIC */
	__u32 prog_id, netns, ifindex, queue, cpu;
	__u32 act;    /* what the program returned, even if it is invalid */
	__u32 length; /* of the packet, with all fragments */
	__u32 n;      /* in bytes[] */
	__u32 stage;  /* enum capture_stage */
	__u32 spare;
	char ifname[CAPTURE_NAME_LEN];
	__u8 bytes[CAPTURE_BYTES];
};

_Static_assert(sizeof(union capture_element) == 128, "two cache lines");
_Static_assert(sizeof(struct capture_record) == 192, "no padding");
