// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/holders.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <sys/stat.h>
#include "base/array.h"
#include "base/clock.h"
#include "inventory/bpf_iters.h"
#include "iters.skel.h"

/* How often files are read. */
#define FILES_NS (10 * NSEC_PER_SEC)
/* Reading files takes at most 1/FILES_PART of the time, or 1/FILES_PART_URGENT if it is urgent. */
#define FILES_PART        200
#define FILES_PART_URGENT 20

/* PROC_PID_INIT_INO of include/linux/proc_ns.h */
#define INIT_PID_NS 0xeffffffcU

struct holders {
	const struct iters_bpf *iterators;
	const struct bpf_iters *iters;
	struct holder_record *record; /* of files, sorted by holder_compare() */
	size_t n, cap;
	uint64_t read_ns; /* when files were read; 0 = never */
	uint64_t cost_ns; /* how long the last read took */
	int err;          /* result of that read */
	bool sees_all;
};

struct holders *holders_open(struct bpf_iters *iterators)
{
	const struct iters_bpf *object = bpf_iters_object(iterators);
	struct holders *h = object ? memory_new(1, sizeof(*h)) : NULL;
	struct stat own;

	if (!h)
		return NULL;
	h->iterators = object;
	h->iters = iterators;
	h->sees_all = !stat("/proc/self/ns/pid", &own) && own.st_ino == INIT_PID_NS;
	return h;
}

void holders_close(struct holders *h)
{
	if (!h)
		return;
	free(h->record);
	free(h);
}

static int compare_held(const struct holder_record *a, enum held_kind kind, uint32_t id)
{
	return ORDER(a->kind, kind) ?: ORDER(a->id, id);
}

COMPARE(holder_compare, struct holder_record,
	compare_held(x, y->kind, y->id) ?: ORDER(x->pid, y->pid))

static void holder_add(void *ctx, const void *record)
{
	struct holders *h = ctx;

	*array_append(h->record, h->n, h->cap) = *(const struct holder_record *)record;
}

static void read_files(struct holders *h, uint64_t now)
{
	size_t kept = 0;

	h->n = 0;
	h->read_ns = now;
	h->err = bpf_iters_read(h->iters, ITER_FILES, sizeof(struct holder_record), holder_add, h);
	array_sort(h->record, h->n, sizeof(*h->record), holder_compare);
	/* a process may have the same object open several times */
	for (size_t i = 0; i < h->n; i++)
		if (!kept || holder_compare(&h->record[kept - 1], &h->record[i]))
			h->record[kept++] = h->record[i];
	h->n = kept;
	h->cost_ns = clock_ns() - now;
}

bool holders_read_files(struct holders *h, uint64_t since, bool urgent)
{
	uint64_t now = clock_ns(), age;

	if (!h || !bpf_iters_has(h->iters, ITER_FILES))
		return false;
	age = now - h->read_ns;
	if (!h->read_ns ||
	    (h->read_ns < since && (urgent ? age >= FILES_PART_URGENT * h->cost_ns
					   : age >= FILES_NS && age >= FILES_PART * h->cost_ns)))
		read_files(h, now);
	return h->read_ns >= since && !h->err;
}

const struct holder_record *holders_of(const struct holders *h, enum held_kind kind, uint32_t id,
				       size_t *n)
{
	size_t from, to;

	*n = 0;
	if (!h)
		return NULL;
	from = array_lower_bound(h->record, h->n, e, compare_held(e, kind, id) < 0);
	to = array_lower_bound(h->record, h->n, e, compare_held(e, kind, id) <= 0);
	*n = to - from;
	return h->record + from;
}

bool holders_see_all(const struct holders *h)
{
	return h->sees_all;
}

int holders_read_pins(struct holders *h)
{
	int err;

	if (!h)
		return -EOPNOTSUPP;
	err = bpf_iters_once(h->iters, ITER_PINS);
	if (err)
		return err;
	if (h->iterators->bss->pins_n > PINS_MAX)
		return -E2BIG;
	return h->iterators->bss->pins_complete ? 0 : -EAGAIN;
}

bool holders_is_pinned(const struct holders *h, enum held_kind kind, uint32_t id)
{
	const struct iters_bpf__bss *bss = h->iterators->bss;

	for (size_t i = 0; i < PINS_MAX && i < bss->pins_n; i++)
		if (bss->pin_kind[i] == kind && bss->pin_id[i] == id)
			return true;
	return false;
}

int holders_read_links(struct holders *h, void (*fn)(void *ctx, const void *link), void *ctx)
{
	return h ? bpf_iters_read(h->iters, ITER_LINKS, sizeof(struct link_record), fn, ctx)
		 : -EOPNOTSUPP;
}
