/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What only ethtool tells of a device: its driver's counters, channels, rings and offloads. Every
 * call waits for rtnl_lock, and may ask firmware or wake the device.
 */
#ifndef XDPTOP_NETDEV_ETHTOOL_H
#define XDPTOP_NETDEV_ETHTOOL_H

#include "inventory/netdev_socket.h"
#include "model/ethtool_stat.h"

struct netdev_ethtool;

/* Counters of a driver that have no name here. */
struct netdev_others {
	struct ethtool_stat stat[ETHTOOL_STATS_OF_DEVICE];
	size_t n;
};

/* NULL = no memory. */
struct netdev_ethtool *netdev_ethtool_open(void);
/* Takes NULL. */
void netdev_ethtool_close(struct netdev_ethtool *e);
/*
 * Channels, rings and offloads of a device, those that it has, into d. 0; -EAGAIN = it was renamed
 * meanwhile, ask again.
 */
int netdev_ethtool_settings(struct netdev_ethtool *e, const struct netdev_socket *s,
			    uint32_t ifindex, struct netdev *d);
/*
 * The counters of a driver with driver_counters_known() into d, and `others`. Where they stand and
 * what they were is remembered by netns, ifindex and generation until their number changes. 0 or
 * -errno, -EAGAIN as above.
 */
int netdev_ethtool_counts(struct netdev_ethtool *e, const struct netdev_socket *s, uint32_t netns,
			  uint32_t ifindex, uint64_t generation, const char *driver,
			  struct netdev *d, struct netdev_others *others);

#endif
