/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF iterators (*_iter.bpf.c). They share one object because libbpf parses the kernel's BTF
 * once per object, which takes most of the time. A thread loads them while the tracing programs
 * load.
 */
#ifndef XDPTOP_BPF_ITERS_H
#define XDPTOP_BPF_ITERS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct bpf_link;
struct bpf_map;
struct bpf_program;
struct bpf_iters;
struct iters_bpf;

/* Start loading. NULL = out of memory, or the thread could not be created. */
struct bpf_iters *bpf_iters_start(void);
/* Waits until loading has ended. Takes NULL. */
void bpf_iters_close(struct bpf_iters *it);
/*
 * Wait until loading has ended and return the object, or NULL if the kernel refused all programs.
 * Programs that it refused have no fd. `it` may be NULL.
 */
struct iters_bpf *bpf_iters_object(struct bpf_iters *it);
/* Why the kernel withholds the memory that the iterators read; NULL = it does not, or unknown. */
const char *bpf_iters_withheld(const struct bpf_iters *it);
/* Only wait until loading has ended. Other threads may call this. Takes NULL. */
void bpf_iters_wait(struct bpf_iters *it);
/*
 * Whether this process may load fexit programs. Needs the initial privileges, and does not need
 * the iterators.
 */
bool bpf_iters_fexit_allowed(void);
/* Why an iterator has no fd, for the user. Call it after bpf_iters_object(). Takes NULL. */
const char *bpf_iters_why(const struct bpf_iters *it);
/* NULL = the program has no fd, or the kernel refused to attach it. */
struct bpf_link *bpf_iters_attach(const struct bpf_program *program);
/* The same for a program that iterates by itself: each read runs it once. */
struct bpf_link *bpf_iters_attach_once(const struct iters_bpf *o,
				       const struct bpf_program *program);
/*
 * Run an iterator, and call fn with each record of `size` bytes that it writes. 0 or -errno. Needs
 * no privileges.
 */
int bpf_iters_read(const struct bpf_link *link, size_t size,
		   void (*fn)(void *ctx, const void *record), void *ctx);

/* Mapped memory of a BPF array that iterators write records to. All zero = not mapped yet. */
struct bpf_iters_array {
	const void *record;
	size_t bytes;
};

/*
 * Run an iterator that writes *n records to `map`. a->record is valid until the next run. 0 or
 * -errno. Needs no privileges.
 */
int bpf_iters_fill(struct bpf_iters_array *a, const struct bpf_link *link,
		   const struct bpf_map *map, const __u32 *n);
/* Map another array to which the same run wrote n records. 0 or -errno. */
int bpf_iters_map(struct bpf_iters_array *a, const struct bpf_map *map, size_t n);
void bpf_iters_unmap(struct bpf_iters_array *a);

#endif
