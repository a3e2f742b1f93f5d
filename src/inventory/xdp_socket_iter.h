/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The AF_XDP sockets of all network namespaces, read by a BPF iterator from the kernel's lists
 * (bpf/xdp_socket_iter.bpf.c). Once open it holds no reference, takes no lock and needs no
 * capability.
 */
#ifndef XDPTOP_XDP_SOCKET_ITER_H
#define XDPTOP_XDP_SOCKET_ITER_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "bpf/iter_records.h"

struct xdp_socket_iter;
struct bpf_iters;

/*
 * NULL = not supported or refused; *error says why. The iterators must outlive it and may be NULL.
 */
struct xdp_socket_iter *xdp_socket_iter_open(struct bpf_iters *iterators, struct error *error);
/* Takes NULL. */
void xdp_socket_iter_close(struct xdp_socket_iter *w);
/*
 * Walk once. fn gets the newest `limit` sockets of each namespace that are open as a file, grouped
 * by namespace with raw text, and how many more it has. 0, what fn returned, or -errno if some may
 * be missing: -EINTR = the lists changed during the walk, or are too long.
 */
int xdp_socket_iter_run(struct xdp_socket_iter *w, uint32_t limit,
			int (*fn)(void *ctx, const struct socket_record *record), void *ctx);

#endif
