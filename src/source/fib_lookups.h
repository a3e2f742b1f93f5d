/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source fib_lookups: what bpf_fib_lookup() returned to XDP programs, by device. Only with
 * --verdicts, on Linux 5.17 and later.
 */
#pragma once

#include "bpf/fib.h"
#include "model/row_walk.h"

/* One result on one device. Results without a count have no row. */
struct fib_lookup {
	/* where the programs ran; 0, 0 = all devices that got no place in the table */
	uint32_t netns, ifindex;
	uint32_t result; /* BPF_FIB_LKUP_RET_..., FIB_ERROR or FIB_UNKNOWN */
	uint32_t spare;
	char ifname[SNAPSHOT_NAME_LEN];
	uint64_t lookups; /* since xdptop started */
};

/* "NO_NEIGH"; "ERROR", "UNKNOWN" */
const char *fib_lookup_name(uint32_t result);
/*
 * Add the growth of each result on a device: in the interval, and since the baseline or the start.
 */
void fib_lookups_add(const struct rates *r, uint32_t netns, uint32_t ifindex,
		     uint64_t delta[FIB_RESULTS], uint64_t since[FIB_RESULTS]);
