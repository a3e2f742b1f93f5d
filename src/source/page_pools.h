/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source page_pools: the page pools of devices in the network namespaces that xdptop entered
 * at start (inventory/netns_sockets.h).
 */
#pragma once

#include "model/page_pool.h"
#include "model/row_walk.h"

/* Rows of the snapshot, by namespace and id. */
const struct page_pool *page_pools(const struct snapshot *s, size_t *n);
/* How many pools of a namespace have no row. */
uint32_t page_pools_left_out(const struct snapshot *s, uint32_t netns);
/* Pools by device: row_number(netns, ifindex). */
extern const struct row_key page_pools_by_device;
/* Seconds since the driver gave the pool up; 0 = in use. */
double page_pool_age(const struct page_pool *p, const struct snapshot *s);
/* Whether pages are missing a minute after the driver gave the pool up, and do not come back. */
bool page_pool_is_stalled(const struct page_pool *p, const struct snapshot *s);
