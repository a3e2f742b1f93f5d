/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A counter of a driver that has no other name here than the driver's own: a row of a snapshot.
 * Each device with XDP has a few, those that grow first.
 */
#ifndef XDPTOP_ETHTOOL_STAT_H
#define XDPTOP_ETHTOOL_STAT_H

#include "model/snapshot.h"

#define ETHTOOL_STATS_OF_DEVICE 8
#define ETHTOOL_STATS_MAX       16384

struct ethtool_stat {
	uint32_t netns, ifindex;
	uint32_t number;   /* its place in ethtool -S, from 0 on */
	uint32_t left_out; /* others of the device that are not 0 and have no row */
	uint64_t total;
	float per_s; /* between the last two readings; negative = not known */
	bool gone;   /* in a recording: it has no row any more */
	char name[SNAPSHOT_NAME_LEN];
};

/* Those of a device, ascending by number; *n is how many. */
const struct ethtool_stat *ethtool_stats_of(const struct snapshot *s, uint32_t netns,
					    uint32_t ifindex, size_t *n);

#endif
