/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What findings about a device need to know of the time before the interval: its driver's counters
 * are read less often than snapshots are taken, and a carrier comes back seconds after its program
 * changed.
 */
#ifndef XDPTOP_DEVICE_PAST_H
#define XDPTOP_DEVICE_PAST_H

#include "model/rates.h"

struct device_past {
	uint32_t netns, ifindex;
	/* Times (CLOCK_MONOTONIC) of the snapshots that showed it first; 0 = none did. */
	uint64_t programs_ns; /* its XDP programs changed */
	uint64_t lost_ns;     /* it has no carrier, though it is up */
	uint64_t back_ns;     /* it has it again; lost_ns when it went and came in one interval */
	bool had_program;     /* before programs_ns */
	bool is_new;          /* unknown before programs_ns: when the carrier went is not known */
	/* By enum netdev_count from NETDEV_DRIVER_COUNT on. */
	uint16_t known; /* BIT of each that was read */
	uint64_t count[NETDEV_DRIVER_COUNTS];
	float per_s[NETDEV_DRIVER_COUNTS];
	uint64_t grown[NETDEV_DRIVER_COUNTS]; /* between the last two readings */
	uint8_t times[NETDEV_DRIVER_COUNTS];  /* readings in a row in which it has grown */
	/* Packets that it has received: at the last reading, and between the last two. */
	uint64_t packets, received;
	/* Lost of what it was to send, as tracepoints tell: between the last two readings, and
	 * since. */
	uint64_t told, told_since;
};

struct device_pasts {
	struct device_past *past; /* ascending as devices of a snapshot */
	size_t n, cap;
	struct device_past *before; /* memory of the update */
	size_t cap_before;
};

/* Takes in an interval. 0 or -ENOMEM. */
int device_pasts_update(struct device_pasts *p, const struct rates *r);
/* Of a device in the snapshot of the last update; NULL = none. */
const struct device_past *device_past_find(const struct device_pasts *p, const struct netdev *d);
/*
 * Whether a counter of the driver has grown in the last two readings: by how much in the last one,
 * and how many a second. The arguments may be NULL.
 */
bool device_past_grows(const struct device_past *past, const struct netdev *d,
		       enum netdev_count which, uint64_t *grown, double *per_s);
void device_pasts_free(struct device_pasts *p);

#endif
