/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The AF_XDP sockets of all network namespaces, read by a BPF iterator from the kernel's lists
 * (bpf/xdp_socket_iter.bpf.c). It holds no reference, takes no lock and needs no capability.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "bpf/iter_records.h"

struct bpf_iters;

/* False = not supported (*error says why) or refused (*error is unchanged). Takes NULL. */
bool xdp_socket_iter_works(struct bpf_iters *it, struct error *error);
/*
 * Walk once, if it works. fn gets the newest `limit` sockets of each namespace that are open as a
 * file, grouped by namespace with raw text, and how many more it has. 0, what fn returned, or
 * -errno if some may be missing: -EINTR = the lists changed during the walk, or are too long.
 */
int xdp_socket_iter_run(struct bpf_iters *it, uint32_t limit,
			int (*fn)(void *ctx, const struct socket_record *record), void *ctx);
