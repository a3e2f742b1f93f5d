// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/map_iter.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "inventory/bpf_iters.h"
#include "iters.skel.h"

/* Links between maps and programs read at a time. Like MAP_STEPS, half a millisecond at most. */
#define LINK_STEPS 8192

_Static_assert(!(sizeof(struct map_record) % 8 || sizeof(struct map_link) % 8 ||
		 sizeof(struct map_fill_record) % 8),
	       "a BPF array pads its values to 8 bytes");

struct map_iter {
	const struct iters_bpf *iterators;
	struct bpf_link *contents, *users, *counts;
	struct bpf_iters_array records, links, fills;
};

struct map_iter *map_iter_open(struct bpf_iters *iterators)
{
	const struct iters_bpf *object = bpf_iters_object(iterators);
	struct map_iter *m;

	if (!object)
		return NULL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->iterators = object;
	m->contents = bpf_iters_attach(object->progs.map_contents);
	m->users = bpf_iters_attach(object->progs.map_users);
	m->counts = bpf_iters_attach(object->progs.map_counts);
	if (m->contents)
		return m;
	map_iter_close(m);
	return NULL;
}

void map_iter_close(struct map_iter *m)
{
	if (!m)
		return;
	/* the next reader begins at the first map */
	memset(m->iterators->bss->map_next, 0, sizeof(m->iterators->bss->map_next));
	bpf_iters_unmap(&m->records);
	bpf_iters_unmap(&m->links);
	bpf_iters_unmap(&m->fills);
	bpf_link__destroy(m->contents);
	bpf_link__destroy(m->users);
	bpf_link__destroy(m->counts);
	free(m);
}

static int read_maps(struct map_iter *m, enum map_kinds kinds, struct map_reading *r)
{
	struct iters_bpf__bss *bss = m->iterators->bss;
	int err;

	bss->map_records_n = bss->map_links_n = 0;
	bss->maps_complete = bss->map_links_complete = 1;
	bss->map_link_steps = LINK_STEPS;
	bss->map_kinds = kinds;
	*r = (struct map_reading){ 0 };
	err = bpf_iters_fill(&m->records, m->contents, m->iterators->maps.map_records,
			     &bss->map_records_n);
	if (!err)
		err = bpf_iters_map(&m->links, m->iterators->maps.map_links, bss->map_links_n);
	if (err)
		return err;
	r->record = m->records.record;
	r->n = bss->map_records_n;
	r->complete = bss->maps_complete;
	r->link = m->links.record;
	r->n_links = bss->map_links_n;
	r->links_complete = bss->map_links_complete;
	return 0;
}

int map_iter_read(struct map_iter *m, struct map_reading *r)
{
	struct iters_bpf__bss *bss = m->iterators->bss;

	for (int i = 0; i < MAP_CLASSES; i++) {
		bss->map_steps[i] = MAP_STEPS;
		bss->map_begin[i] = bss->map_next[i];
		bss->map_begin_slot[i] = bss->map_next_slot[i];
		bss->map_next[i] = 0;
	}
	return read_maps(m, MAPS_REDIRECT, r);
}

int map_iter_read_fill_links(struct map_iter *m, struct map_reading *r)
{
	return read_maps(m, MAPS_FILL, r);
}

int map_iter_users(struct map_iter *m, enum map_kinds kinds,
		   void (*fn)(void *ctx, const void *user), void *ctx)
{
	m->iterators->bss->map_kinds = kinds;
	return m->users ? bpf_iters_read(m->users, sizeof(struct map_user), fn, ctx) : -EOPNOTSUPP;
}

int map_iter_count(struct map_iter *m, const uint32_t *id, size_t n,
		   const struct map_fill_record **record, size_t *n_records)
{
	struct iters_bpf__bss *bss = m->iterators->bss;
	int err;

	*n_records = 0;
	if (!m->counts)
		return -EOPNOTSUPP;
	memcpy(bss->map_fill_ids, id, n * sizeof(*id));
	bss->map_fill_ids_n = (__u32)n;
	bss->map_fill_next = bss->map_fills_n = 0;
	err = bpf_iters_fill(&m->fills, m->counts, m->iterators->maps.map_fills, &bss->map_fills_n);
	if (err)
		return err;
	*record = m->fills.record;
	*n_records = bss->map_fills_n;
	return 0;
}
