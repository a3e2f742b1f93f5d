/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps that XDP redirects through (devmap, devmap_hash, cpumap, xskmap), their entries and the
 * programs that use them, read by BPF iterators. A reading takes so many steps at most: large maps
 * are read in parts.
 */
#ifndef XDPTOP_MAP_ITER_H
#define XDPTOP_MAP_ITER_H

#include <stdbool.h>
#include <stddef.h>
#include "bpf/iter_records.h"

struct bpf_iters;
struct map_iter;

/* NULL = refused, or out of memory. The iterators must outlive it; may be NULL. */
struct map_iter *map_iter_open(struct bpf_iters *iterators);
/* Takes NULL. */
void map_iter_close(struct map_iter *m);

/* Of maps: valid until the next one. */
struct map_reading {
	/* Ascending by id, each with the entries in the slots that were read behind it. */
	const struct map_record *record;
	size_t n;
	bool complete; /* no map is missing */
	/* Ascending by map. */
	const struct map_link *link;
	size_t n_links;
	bool links_complete; /* each map that has more links than these says so */
};

/* Read on, without privileges. 0 or -errno. */
int map_iter_read(struct map_iter *m, struct map_reading *r);
/* fn gets each pair of a program and a map that it uses itself, struct map_user. 0 or -errno. */
int map_iter_users(struct map_iter *m, void (*fn)(void *ctx, const void *user), void *ctx);

#endif
