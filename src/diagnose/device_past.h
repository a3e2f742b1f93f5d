/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What findings about a device need from before the interval. Driver counters are read less often
 * than snapshots are taken, and a carrier returns seconds after the program changed. A device that
 * is gone has no past: netns inodes and ifindexes are used again.
 */
#pragma once

#include "model/rates.h"

#define DEVICE_REPLACED 3

struct device_past {
	uint32_t netns, ifindex; /* the key, first */
	/* CLOCK_MONOTONIC times of the first snapshot that showed each event; 0 = none. */
	uint64_t programs_ns; /* its XDP programs changed */
	uint64_t attached_ns; /* when the device got its program, or after a detach its last one */
	/* When the program was last replaced, or attached after a detach; newest first. */
	uint64_t replaced_ns[DEVICE_REPLACED];
	/* The last program of the device. */
	uint32_t prog_id;
	enum netdev_mode mode; /* NETDEV_NONE = not attached by netlink, or unknown */
	bool outlives; /* a pin or process holds the program itself, so a detach does not end it */
	char prog_name[SNAPSHOT_NAME_LEN];
	uint64_t lost_ns; /* the carrier was lost while the device was up */
	uint64_t back_ns; /* the carrier returned; = lost_ns if in the same interval */
	bool had_program; /* before programs_ns */
	bool is_new;      /* first seen at programs_ns: the time of the carrier loss is unknown */
	uint64_t read_ns, read_before_ns; /* the last two readings of the device's counters */
	/* Indexed by enum netdev_count, from NETDEV_DRIVER_COUNT. */
	uint32_t known; /* BIT of each counter that was read */
	uint64_t count[NETDEV_DRIVER_COUNTS];
	float per_s[NETDEV_DRIVER_COUNTS];
	uint64_t grown[NETDEV_DRIVER_COUNTS]; /* between the last two readings */
	uint8_t times[NETDEV_DRIVER_COUNTS];  /* consecutive readings in which it has grown */
	/* Packets received and sent: in total at the last reading, and between the last two. */
	uint64_t packets, received, tx_packets, sent;
	/* Unsent packets in tracepoints: between the last two readings, and since the last. */
	uint64_t told, told_since;
	/* The same for failures that the driver's counter of drops includes. */
	uint64_t failed, failed_since;
};

struct device_pasts {
	struct device_past *past; /* ordered as the devices of a snapshot */
	size_t n, cap;
	struct device_past *before; /* reused by the update */
	size_t cap_before;
};

void device_pasts_update(struct device_pasts *p, const struct rates *r);
/* What is remembered about a device of the last snapshot; NULL = not found. */
const struct device_past *device_past_find(const struct device_pasts *p, const struct netdev *d);
/*
 * Whether a driver counter grew in each of the last two readings. *grown is the growth in the last
 * reading, *per_s the rate per second. The pointers may be NULL.
 */
bool device_past_grows(const struct device_past *past, const struct netdev *d,
		       enum netdev_count which, uint64_t *grown, double *per_s);
void device_pasts_free(struct device_pasts *p);
