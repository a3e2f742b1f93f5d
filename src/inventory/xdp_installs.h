/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each change of a device's XDP program as the kernel makes it, and each refused attach or bind of
 * an AF_XDP socket, with the process that asked for it (bpf/install.bpf.c). Needs a kernel that
 * allows fexit programs.
 */
#pragma once

#include <stdint.h>
#include "bpf/iter_records.h"

struct bpf_iters;
struct xdp_installs;

/* Attach the program. Close it before the iterators. NULL = refused, or out of memory. */
struct xdp_installs *xdp_installs_open(struct bpf_iters *iters);
/*
 * Call fn for each change since the last call, oldest first. *lost is set to the number of changes
 * in that time for which the ring had no room; *told_lost to that of refused attaches which a
 * tracepoint reports where it is on. 0 or -errno. Needs no privileges.
 */
int xdp_installs_read(struct xdp_installs *x, void (*fn)(void *ctx, const struct install_record *r),
		      void *ctx, uint64_t *lost, uint64_t *told_lost);
/* Takes NULL. The program is attached until the iterators are closed. */
void xdp_installs_close(struct xdp_installs *x);
