/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the counters of ethtool -S mean: each driver has names of its own for them. */
#ifndef XDPTOP_DRIVER_COUNTERS_H
#define XDPTOP_DRIVER_COUNTERS_H

#include "model/ethtool_stat.h"

#define DRIVER_COUNTER_NONE NETDEV_COUNTS       /* it has no name here */
#define DRIVER_NO_COUNTER   (NETDEV_COUNTS + 1) /* a number of another kind */

/* Whether some of them are known, by a name as netdev_driver() has it. */
bool driver_counters_known(const char *driver);
/*
 * Fill what[n], enum netdev_count or one of these, for n names of ETH_GSTRING_LEN bytes as
 * ETHTOOL_GSTRINGS gives them.
 */
void driver_counters_map(const char *driver, const char *names, size_t n, uint8_t *what);
/*
 * Fill `to` with ETHTOOL_STATS_OF_DEVICE of the others that are not 0 at most, by number, those
 * first that grew in `seconds`, since n values were `before`; NULL = not known. Returns how many.
 */
size_t driver_counters_others(const uint8_t *what, const char *names, const uint64_t *values,
			      const uint64_t *before, size_t n, double seconds,
			      struct ethtool_stat *to);
/* Set those of d's counters that are among n values, each the sum over the queues. */
void driver_counters_sum(const uint8_t *what, const uint64_t *values, size_t n, struct netdev *d);

#endif
