/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page pool of a device (6.8): a row of a snapshot. After a driver has given a pool up, at an
 * attach or detach for example, it lives on until all its pages have come back. For pools that are
 * visible here the kernel writes no warning about that.
 */
#pragma once

#include "model/snapshot.h"

#define PAGE_POOLS_MAX 16384 /* rows in all; each namespace with a pool has at least one */

struct page_pool {
	uint32_t netns, id;
	bool gone;         /* only in a recording: the last row of the pool */
	uint32_t ifindex;  /* the last known one; 0 = unknown */
	uint32_t napi_id;  /* 0 = none */
	uint32_t left_out; /* pools of the namespace without a row, the same in each of its rows */
	/*
	 * Readings in a row, 5 s or more apart, in which the pages of a detached pool did not get
	 * fewer.
	 */
	uint32_t stuck;
	uint64_t inflight;           /* pages that have not come back */
	uint64_t inflight_mem;       /* bytes */
	struct timespec detached_at; /* when the driver gave it up; 0 = in use */
	char ifname[SNAPSHOT_NAME_LEN];
};
