/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A driver's counter under the driver's own name: a row of a snapshot. Each device with XDP has a
 * few of them, the growing ones first.
 */
#pragma once

#include "model/snapshot.h"

#define ETHTOOL_STATS_OF_DEVICE 8
#define ETHTOOL_STATS_MAX       16384

struct ethtool_stat {
	uint32_t netns, ifindex;
	uint32_t number;   /* position in ethtool -S, from 0 */
	uint32_t left_out; /* other nonzero counters of the device, without a row */
	uint64_t total;
	float per_s; /* between the last two readings; negative = unknown */
	bool gone;   /* in a recording: the row no longer exists */
	char name[SNAPSHOT_NAME_LEN];
};

/* The rows of a device, ascending by number; *n is set to how many. */
const struct ethtool_stat *ethtool_stats_of(const struct snapshot *s, uint32_t netns,
					    uint32_t ifindex, size_t *n);
