// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/map_iter.h"

#include <bpf/libbpf.h>
#include <string.h>
#include "inventory/bpf_iters.h"
#include "iters.skel.h"

/* Links between maps and programs that are read at a time, in at most half a millisecond. */
#define LINK_STEPS 8192

_Static_assert(!(sizeof(struct map_record) % 8 || sizeof(struct map_link) % 8 ||
		 sizeof(struct map_fill_record) % 8),
	       "a BPF array pads its values to 8 bytes");

static int read_maps(struct bpf_iters *it, enum map_kinds kinds, struct map_reading *r)
{
	struct iters_bpf__bss *bss = bpf_iters_object(it)->bss;
	const void *record = NULL, *link = NULL;
	int err;

	bss->map_records_n = bss->map_links_n = 0;
	bss->maps_complete = bss->map_links_complete = 1;
	bss->map_link_steps = LINK_STEPS;
	bss->map_kinds = kinds;
	*r = (struct map_reading){ 0 };
	/* the read itself returns nothing; the program writes to the maps */
	err = bpf_iters_read(it, ITER_MAP_CONTENTS, 1, NULL, NULL)
		      ?: bpf_iters_map(it, ITERS_MAPS, bss->map_records_n, &record)
		      ?: bpf_iters_map(it, ITERS_MAP_LINKS, bss->map_links_n, &link);
	if (err)
		return err;
	r->record = record;
	r->n = bss->map_records_n;
	r->complete = bss->maps_complete;
	r->link = link;
	r->n_links = bss->map_links_n;
	r->links_complete = bss->map_links_complete;
	return 0;
}

int map_iter_read(struct bpf_iters *it, struct map_reading *r)
{
	struct iters_bpf__bss *bss = bpf_iters_object(it)->bss;

	for (int i = 0; i < MAP_CLASSES; i++) {
		bss->map_steps[i] = MAP_STEPS;
		bss->map_begin[i] = bss->map_next[i];
		bss->map_begin_slot[i] = bss->map_next_slot[i];
		bss->map_next[i] = 0;
	}
	return read_maps(it, MAPS_REDIRECT, r);
}

void map_iter_restart(struct bpf_iters *it)
{
	struct iters_bpf__bss *bss = bpf_iters_object(it)->bss;

	memset(bss->map_next, 0, sizeof(bss->map_next));
}

int map_iter_read_fill_links(struct bpf_iters *it, struct map_reading *r)
{
	return read_maps(it, MAPS_FILL, r);
}

int map_iter_users(struct bpf_iters *it, enum map_kinds kinds,
		   void (*fn)(void *ctx, const void *user), void *ctx)
{
	bpf_iters_object(it)->bss->map_kinds = kinds;
	return bpf_iters_read(it, ITER_MAP_USERS, sizeof(struct map_user), fn, ctx);
}

int map_iter_count(struct bpf_iters *it, const uint32_t *id, size_t n,
		   const struct map_fill_record **record, size_t *n_records)
{
	struct iters_bpf__bss *bss = bpf_iters_object(it)->bss;
	const void *fill;
	int err;

	*n_records = 0;
	memcpy(bss->map_fill_ids, id, n * sizeof(*id));
	bss->map_fill_ids_n = (__u32)n;
	bss->map_fill_next = bss->map_fills_n = 0;
	err = bpf_iters_read(it, ITER_MAP_COUNTS, 1, NULL, NULL)
		      ?: bpf_iters_map(it, ITERS_MAP_FILLS, bss->map_fills_n, &fill);
	if (err)
		return err;
	*record = fill;
	*n_records = bss->map_fills_n;
	return 0;
}
