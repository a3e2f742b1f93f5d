/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps that XDP redirects through (devmap, devmap_hash, cpumap, xskmap), their entries and the
 * programs that use them, read by BPF iterators. A reading takes a limited number of steps, so
 * large maps are read in parts. Also the number of entries in their other maps. All functions need
 * bpf_iters_has(ITER_MAP_CONTENTS), and no privileges.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bpf/iter_records.h"

struct bpf_iters;

/* Valid until the next reading. */
struct map_reading {
	/* Ascending by id. A map is followed by its entries in the slots that were read. */
	const struct map_record *record;
	size_t n;
	bool complete; /* no map is missing */
	/* Ascending by map. */
	const struct map_link *link;
	size_t n_links;
	bool links_complete; /* false = there was no room for all links; if true, each map whose
				links are incomplete has a link with `more` set */
};

/* Read the next part. 0 or -errno. */
int map_iter_read(struct bpf_iters *it, struct map_reading *r);
/* The next reading begins at the first map. */
void map_iter_restart(struct bpf_iters *it);
/* Read only the links that lead to hashes and tries: r has no records. 0 or -errno. */
int map_iter_read_fill_links(struct bpf_iters *it, struct map_reading *r);
/*
 * fn gets a struct map_user for each program and map of the kinds that it uses directly. 0 or
 * -errno.
 */
int map_iter_users(struct bpf_iters *it, enum map_kinds kinds,
		   void (*fn)(void *ctx, const void *user), void *ctx);
/*
 * Count the entries of these n maps, ascending, at most MAP_FILLS_MAX. *record has the *n_records
 * of them that still exist, valid until the next reading. 0 or -errno.
 */
int map_iter_count(struct bpf_iters *it, const uint32_t *id, size_t n,
		   const struct map_fill_record **record, size_t *n_records);
