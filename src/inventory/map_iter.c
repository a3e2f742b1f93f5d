// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/map_iter.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "inventory/bpf_iters.h"
#include "iters.skel.h"

/* Of maps of each class: half a millisecond at most. */
#define STEPS 4096

_Static_assert(!(sizeof(struct map_record) % 8), "a BPF array pads its values to 8 bytes");

struct map_iter {
	const struct iters_bpf *iterators;
	struct bpf_link *contents, *users;
	const struct map_record *record; /* map `map_records`, the first bytes of it */
	size_t bytes;
};

struct map_iter *map_iter_open(struct bpf_iters *iterators)
{
	const struct iters_bpf *object = bpf_iters_object(iterators);
	struct map_iter *m;

	if (!object || bpf_program__fd(object->progs.map_contents) < 0)
		return NULL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->iterators = object;
	m->contents = bpf_program__attach_iter(object->progs.map_contents, NULL);
	if (bpf_program__fd(object->progs.map_users) >= 0)
		m->users = bpf_program__attach_iter(object->progs.map_users, NULL);
	if (m->contents)
		return m;
	map_iter_close(m);
	return NULL;
}

void map_iter_close(struct map_iter *m)
{
	if (!m)
		return;
	if (m->record)
		munmap((void *)m->record, m->bytes);
	bpf_link__destroy(m->contents);
	bpf_link__destroy(m->users);
	free(m);
}

/* Map the first n records: few, as mmap() of a BPF array makes all pages resident. */
static int map_memory(struct map_iter *m, size_t n)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t bytes = (n * sizeof(*m->record) + page - 1) / page * page;
	void *record;

	if (bytes <= m->bytes)
		return 0;
	record = mmap(NULL, bytes, PROT_READ, MAP_SHARED,
		      bpf_map__fd(m->iterators->maps.map_records), 0);
	if (record == MAP_FAILED)
		return -errno;
	if (m->record)
		munmap((void *)m->record, m->bytes);
	m->record = record;
	m->bytes = bytes;
	return 0;
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
	err = bpf_iters_read(m->contents, 1, NULL, NULL);
	if (!err)
		err = map_memory(m, bss->map_records_n);
	*record = m->record;
	*n = err ? 0 : bss->map_records_n;
	*complete = !err && bss->maps_complete;
	return err;
}

int map_iter_users(struct map_iter *m, void (*fn)(void *ctx, const void *user), void *ctx)
{
	return m->users ? bpf_iters_read(m->users, sizeof(struct map_user), fn, ctx) : -EOPNOTSUPP;
}
