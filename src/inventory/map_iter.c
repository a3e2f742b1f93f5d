// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/map_iter.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include "inventory/bpf_iters.h"
#include "iters.skel.h"

/* Of maps of each class: half a millisecond at most. */
#define STEPS 4096

_Static_assert(!(sizeof(struct map_record) % 8), "a BPF array pads its values to 8 bytes");

struct map_iter {
	const struct iters_bpf *iterators;
	struct bpf_link *contents, *users;
	struct bpf_iters_array records;
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
	if (m->contents)
		return m;
	map_iter_close(m);
	return NULL;
}

void map_iter_close(struct map_iter *m)
{
	if (!m)
		return;
	bpf_iters_unmap(&m->records);
	bpf_link__destroy(m->contents);
	bpf_link__destroy(m->users);
	free(m);
}

int map_iter_read(struct map_iter *m, const struct map_record **record, size_t *n, bool *complete)
{
	struct iters_bpf__bss *bss = m->iterators->bss;
	int err;

	bss->map_records_n = 0;
	bss->maps_complete = 1;
	for (int i = 0; i < MAP_CLASSES; i++) {
		bss->map_steps[i] = STEPS;
		bss->map_begin[i] = bss->map_next[i];
		bss->map_begin_slot[i] = bss->map_next_slot[i];
		bss->map_next[i] = 0;
	}
	err = bpf_iters_fill(&m->records, m->contents, m->iterators->maps.map_records,
			     &bss->map_records_n);
	*record = m->records.record;
	*n = err ? 0 : bss->map_records_n;
	*complete = !err && bss->maps_complete;
	return err;
}

int map_iter_users(struct map_iter *m, void (*fn)(void *ctx, const void *user), void *ctx)
{
	return m->users ? bpf_iters_read(m->users, sizeof(struct map_user), fn, ctx) : -EOPNOTSUPP;
}
