/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device names of series: captured by the program that creates a series, updated from the device
 * table.
 */
#pragma once

#include "inventory/netdev_table.h"
#include "tracing/series_table.h"

/*
 * Series of a renamed device take its new name. Series of a deleted device keep the last name and
 * become SLOT_GONE, or SLOT_IFINDEX_REUSED if another device got the ifindex.
 *
 * The first look binds a series to the device that then has its (netns, ifindex). That needs a
 * `fresh` table, read after the series was found, because an older one may still have the previous
 * device.
 */
void series_names_update(struct series_table *s, const struct netdev_table *t, bool fresh);
