/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What only ethtool reports: a driver's counters, channels, rings and offloads. Every call waits
 * for rtnl_lock, and may query firmware or wake the device.
 */
#pragma once

#include "inventory/netdev_socket.h"
#include "model/ethtool_stat.h"

struct netdev_ethtool;

/* Counters of a driver that driver_counters.c does not know. */
struct netdev_others {
	struct ethtool_stat stat[ETHTOOL_STATS_OF_DEVICE];
	size_t n;
};

struct netdev_ethtool *netdev_ethtool_open(void);
void netdev_ethtool_close(struct netdev_ethtool *e);
/*
 * Read channels, rings and offloads into d, as far as the device has them. 0; -EAGAIN = it was
 * renamed meanwhile: ask again.
 */
int netdev_ethtool_settings(struct netdev_ethtool *e, const struct netdev_socket *s,
			    uint32_t ifindex, struct netdev *d);
/*
 * Read the counters of a driver, for which driver_counters_known() is true, into d and `others`.
 * Names and last values are remembered by netns, ifindex and generation, until the number of
 * counters changes. 0 or -errno, -EAGAIN as above.
 */
int netdev_ethtool_counts(struct netdev_ethtool *e, const struct netdev_socket *s, uint32_t netns,
			  uint32_t ifindex, uint64_t generation, const char *driver,
			  struct netdev *d, struct netdev_others *others);
