/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device names of series: read by a program when it created the series, updated here from the
 * device table.
 */
#ifndef XDPTOP_SERIES_NAMES_H
#define XDPTOP_SERIES_NAMES_H

#include "inventory/netdev_table.h"
#include "tracing/series_table.h"

/*
 * Series of a renamed device take its new name. Those of a deleted device keep the last name and
 * become SLOT_GONE; when another device got its ifindex, SLOT_IFINDEX_REUSED.
 *
 * The first look binds a series to the device that has its (netns, ifindex) then. That takes a
 * `fresh` table, read after the series was found: an older one may still have the device that had
 * the ifindex before.
 */
void series_names_update(struct series_table *s, const struct netdev_table *t, bool fresh);

#endif
