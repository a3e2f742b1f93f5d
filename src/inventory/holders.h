/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keeps AF_XDP sockets, XDP programs and their links: open files of processes, and pins in a
 * bpffs. Read without privileges by BPF iterators (bpf/holder_iter.bpf.c) that were loaded at
 * start. Reading the files of all processes takes time, so it is done every few seconds for all
 * callers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bpf/iter_records.h"

struct bpf_iters;
struct holders;

/* NULL = out of memory, or no iterators. The iterators must outlive it and may be NULL. */
struct holders *holders_open(struct bpf_iters *iterators);
void holders_close(struct holders *h);
/*
 * Read the files of all processes if that is due; `urgent` makes it due sooner. True = the
 * known holders were read at `since` (clock_ns()) or later. Takes NULL.
 */
bool holders_read_files(struct holders *h, uint64_t since, bool urgent);
/* The *n processes that have this object open, ascending by pid. Takes NULL. */
const struct holder_record *holders_of(const struct holders *h, enum held_kind kind, uint32_t id,
				       size_t *n);
/* Whether it sees all processes, or only processes of its own pid namespace. */
bool holders_see_all(const struct holders *h);
/*
 * Read the pins of XDP programs and of their links in all mount namespaces. 0, or -errno if some
 * may be unknown: -EAGAIN = the walk was cut short, -E2BIG = more than PINS_MAX, -EOPNOTSUPP = the
 * kernel refused the iterator. Takes NULL.
 */
int holders_read_pins(struct holders *h);
/* Whether holders_read_pins() found a pin of this program or link. */
bool holders_is_pinned(const struct holders *h, enum held_kind kind, uint32_t id);
/* fn gets each link of an XDP program as a struct link_record. 0 or -errno as above. Takes NULL. */
int holders_read_links(struct holders *h, void (*fn)(void *ctx, const void *link), void *ctx);
