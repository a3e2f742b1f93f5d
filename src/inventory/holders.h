/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds AF_XDP sockets, XDP programs and their links: files of processes, and pins in a bpffs.
 * Read by BPF iterators (bpf/holder_iter.bpf.c) that were loaded at start, without privileges. The
 * files of all processes take time: they are read every some seconds, once for all who ask.
 */
#ifndef XDPTOP_HOLDERS_H
#define XDPTOP_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bpf/iter_records.h"

struct bpf_iters;
struct holders;

/* NULL = out of memory, or there are no iterators. They must outlive it; may be NULL. */
struct holders *holders_open(struct bpf_iters *iterators);
/* Takes NULL. */
void holders_close(struct holders *h);
/*
 * Read the files of all processes, if it is due, sooner with `urgent`. True = what is known now was
 * read at `since` (clock_ns()) or later. Takes NULL.
 */
bool holders_read_files(struct holders *h, uint64_t since, bool urgent);
/* The processes that have this open, ascending by pid, *n of them. Takes NULL. */
const struct holder_record *holders_of(const struct holders *h, enum held_kind kind, uint32_t id,
				       size_t *n);
/* Whether it sees all processes; else those of its own pid namespace. */
bool holders_see_all(const struct holders *h);
/*
 * Read the pins of XDP programs and of their links, in all mount namespaces. 0, or -errno: not all
 * are known. -EAGAIN = the walk was cut short, -E2BIG = there are more than PINS_MAX, -EOPNOTSUPP =
 * this kernel refused. Takes NULL.
 */
int holders_read_pins(struct holders *h);
/* Whether one of those is of this program or link. */
bool holders_is_pinned(const struct holders *h, enum held_kind kind, uint32_t id);
/* fn gets each link of an XDP program, struct link_record. 0 or -errno, as above. Takes NULL. */
int holders_read_links(struct holders *h, void (*fn)(void *ctx, const void *link), void *ctx);

#endif
