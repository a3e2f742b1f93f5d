/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Meaning of the counters that ethtool -S shows: each driver has its own names for them. */
#pragma once

#include "model/ethtool_stat.h"

#define DRIVER_COUNTER_NONE NETDEV_COUNTS       /* a counter without a name here */
#define DRIVER_NO_COUNTER   (NETDEV_COUNTS + 1) /* not a counter */

bool driver_counters_known(const char *driver);
/* The driver's names of a counter, comma separated; "" = the driver does not have the counter. */
const char *driver_counters_names(const char *driver, enum netdev_count which, char *buf,
				  size_t size);
/*
 * Fill what[n] for n names of ETH_GSTRING_LEN bytes as from ETHTOOL_GSTRINGS: an enum netdev_count
 * or either value above.
 */
void driver_counters_map(const char *driver, const char *names, size_t n, uint8_t *what);
/*
 * Fill `to` with at most ETHTOOL_STATS_OF_DEVICE counters that have no name here and are not 0, by
 * number. If there are more, counters that grew in `seconds` take precedence. `before` has the n
 * earlier values, NULL = unknown. Returns how many were filled in.
 */
size_t driver_counters_others(const uint8_t *what, const char *names, const uint64_t *values,
			      const uint64_t *before, size_t n, double seconds,
			      struct ethtool_stat *to);
/* Set those counters of d that are among the n values, each summed over the queues. */
void driver_counters_sum(const uint8_t *what, const uint64_t *values, size_t n, struct netdev *d);
