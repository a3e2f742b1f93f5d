/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs of model/iter.h: iterators (*_iter.bpf.c), and the one that reports changes.
 * They share one object because libbpf parses the kernel's BTF once per object, which takes most of
 * the time. A thread loads them, each once, while the tracing programs load. A program that the
 * kernel refuses leaves the others as they are, and the reason is kept.
 */
#pragma once

#include <linux/types.h>
#include "model/iter.h"

struct bpf_iters;
struct iters_bpf;

/*
 * Start loading, before other threads use libbpf. `verbose` prints the log of what is refused. NULL
 * = the thread could not be created.
 */
struct bpf_iters *bpf_iters_start(bool verbose);
/* Waits until loading has ended. Takes NULL. */
void bpf_iters_close(struct bpf_iters *it);
/*
 * Wait until loading has ended and return the object with maps and variables, or NULL if it could
 * not be loaded. Its programs are empty. `it` may be NULL.
 */
struct iters_bpf *bpf_iters_object(struct bpf_iters *it);
/* What the kernel refused, when loading has ended. Takes NULL. */
void bpf_iters_refused(struct bpf_iters *it, struct refusal to[ITER_COUNT]);
/* Whether it can be run. Call this and the next functions after bpf_iters_object(). Takes NULL. */
bool bpf_iters_has(const struct bpf_iters *it, enum iter_id id);
/* Attach an fexit program, with the initial privileges. 0, or -EOPNOTSUPP = it is refused. */
int bpf_iters_trace(struct bpf_iters *it, enum iter_id id);
/*
 * Run an iterator, and call fn with each record of `size` bytes that it writes. 0 or -errno:
 * -EOPNOTSUPP = it is refused. Needs no privileges.
 */
int bpf_iters_read(const struct bpf_iters *it, enum iter_id id, size_t size,
		   void (*fn)(void *ctx, const void *record), void *ctx);
/* Call a program that returns ITER_ONCE. 0 or -errno as above. Needs no privileges. */
int bpf_iters_once(const struct bpf_iters *it, enum iter_id id);

enum bpf_iters_array {
	ITERS_DEVICES,
	ITERS_SOCKETS,
	ITERS_MAPS,
	ITERS_MAP_LINKS,
	ITERS_MAP_FILLS,
	ITERS_ARRAYS,
};

/*
 * Map an array to which a run wrote n records. *record is valid until the array is mapped again,
 * which only one thread may do. 0 or -errno. Needs no privileges.
 */
int bpf_iters_map(struct bpf_iters *it, enum bpf_iters_array array, size_t n, const void **record);
