/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source page_pools: the page pools of the devices in xdptop's own network namespace (6.8+).
 * After a driver has given a pool up, at an attach or detach for example, it lives on until all its
 * pages have come back. For pools that are visible here the kernel writes no warning about that.
 */
#ifndef XDPTOP_PAGE_POOLS_H
#define XDPTOP_PAGE_POOLS_H

#include "inventory/link_message.h"
#include "model/row_walk.h"

#define PAGE_POOLS_MAX 16384 /* limit of listed pools */

struct page_pool {
	uint32_t netns, id;
	bool gone;        /* only in a recording: the last row of the pool */
	uint32_t ifindex; /* the last known one; 0 = unknown */
	uint32_t napi_id; /* 0 = none */
	/* Readings in a row, 5 s apart, in which the pages of a detached pool did not get fewer. */
	uint32_t stuck;
	uint64_t inflight;           /* pages that have not come back */
	uint64_t inflight_mem;       /* bytes */
	struct timespec detached_at; /* when the driver gave it up; 0 = in use */
	char ifname[SNAPSHOT_NAME_LEN];
};

/* Rows of the snapshot, by namespace and id. */
const struct page_pool *page_pools(const struct snapshot *s, size_t *n);
/* Pools by device: row_number(netns, ifindex). */
extern const struct row_key page_pools_by_device;
/* Seconds since the driver gave it up; 0 = in use. */
double page_pool_age(const struct page_pool *p, const struct snapshot *s);
/* Whether it still has pages a minute after the driver gave it up, and their number does not fall.
 */
bool page_pool_is_stalled(const struct page_pool *p, const struct snapshot *s);

/*
 * Set a row from a message that was read at this time; `was` is the row of the last reading, NULL =
 * none.
 */
void page_pool_set(struct page_pool *to, const struct page_pool_message *m, uint32_t netns,
		   const struct page_pool *was, int64_t boot_ns, int64_t wall_ns);

#endif
