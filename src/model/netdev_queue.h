/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A receive queue of a device with XDP: a row of a snapshot. Which NAPI, interrupt or thread, and
 * CPU serve it.
 */
#pragma once

#include "model/snapshot.h"

#define NETDEV_QUEUES_OF_DEVICE 256   /* rows of a device; the others are counted in left_out */
#define NETDEV_QUEUES_MAX       16384 /* rows of all devices, but each has one */

struct netdev_queue {
	uint32_t netns, ifindex;
	uint32_t queue;
	uint32_t left_out; /* queues of the device without a row, the same in each of its rows */
	uint32_t napi;     /* id; 0 = unknown */
	uint32_t irq;      /* 0 = none, or unknown */
	uint32_t pid;      /* of the thread that runs a threaded NAPI; 0 = none */
	int32_t cpu;       /* the only one of `cpus`; -1 = several, or unknown */
	int32_t cpu_node;  /* NUMA node of `cpu`; -1 = unknown */
	int32_t node;      /* NUMA node of the device; -1 = unknown */
	/*
	 * A list as in cpu_set_parse(): CPUs that the interrupt goes to or, for a thread, the CPU
	 * that it last ran on. "" = unknown.
	 */
	char cpus[64];
	bool gone;           /* in a recording: the row no longer exists */
	bool xsk;            /* an AF_XDP socket is bound to it, as the driver says (6.14) */
	bool counts_packets; /* the driver has the counter (qstats, 6.9) */
	bool counts_drops;
	uint64_t packets;    /* received since the device was created, with those taken by XDP */
	uint64_t hw_drops;   /* lost in the NIC, on their way to the queue */
	float packets_per_s; /* between the last two readings; negative = unknown */
	float drops_per_s;
};

/* All rows, ascending by netns, ifindex and queue. */
const struct netdev_queue *netdev_queues(const struct snapshot *s, size_t *n);
/* The rows of a device; *n is set to how many. */
const struct netdev_queue *netdev_queues_of(const struct snapshot *s, uint32_t netns,
					    uint32_t ifindex, size_t *n);
