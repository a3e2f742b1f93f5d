/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF iterators (*_iter.bpf.c). They are one object, because libbpf parses the kernel's BTF
 * once per object, and that dominates. A thread loads them in parallel to the tracing programs.
 */
#ifndef XDPTOP_BPF_ITERS_H
#define XDPTOP_BPF_ITERS_H

#include <linux/types.h>
#include <stddef.h>

struct bpf_link;
struct bpf_map;
struct bpf_program;
struct bpf_iters;
struct iters_bpf;

/* Start loading. NULL = out of memory, or no thread. */
struct bpf_iters *bpf_iters_start(void);
/* Takes NULL. Waits until loading has ended. */
void bpf_iters_close(struct bpf_iters *it);
/*
 * Wait until loading has ended. The object, in which programs that the kernel refused have no fd;
 * NULL when it refused all. `it` may be NULL.
 */
struct iters_bpf *bpf_iters_object(struct bpf_iters *it);
/* Why the kernel withholds from them what they walk through; NULL = it does not, or unknown. */
const char *bpf_iters_withheld(const struct bpf_iters *it);
/* Wait until loading has ended, and no more: for other threads. Takes NULL. */
void bpf_iters_wait(struct bpf_iters *it);
/* Why a program that walks has no fd, for the user. Behind bpf_iters_object(); takes NULL. */
const char *bpf_iters_why(const struct bpf_iters *it);
/* NULL = it has no fd, or refused. */
struct bpf_link *bpf_iters_attach(const struct bpf_program *program);
/* The same of one that walks by itself: it runs once when it is read. */
struct bpf_link *bpf_iters_attach_once(const struct iters_bpf *o,
				       const struct bpf_program *program);
/* Run one; fn gets each record of `size` bytes that it writes. 0 or -errno. Without privileges. */
int bpf_iters_read(const struct bpf_link *link, size_t size,
		   void (*fn)(void *ctx, const void *record), void *ctx);

/* Memory of a BPF array that an iterator writes records to. All zero = nothing is mapped yet. */
struct bpf_iters_array {
	const void *record;
	size_t bytes;
};

/*
 * Run one that writes *n records to this map: a->record are these, until the next run. 0 or -errno.
 * Without privileges.
 */
int bpf_iters_fill(struct bpf_iters_array *a, const struct bpf_link *link,
		   const struct bpf_map *map, const __u32 *n);
/* The same of another map that it has written n records to. */
int bpf_iters_map(struct bpf_iters_array *a, const struct bpf_map *map, size_t n);
void bpf_iters_unmap(struct bpf_iters_array *a);

#endif
