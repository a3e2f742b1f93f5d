/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF iterators behind names and device facts (bpf/objects_iter.bpf.c, bpf/netdev_iter.bpf.c),
 * loaded as one object: each object that is opened parses the kernel's BTF again, which takes
 * longer than all else about it. They load in a thread of their own, beside the programs that
 * count.
 */
#ifndef XDPTOP_BPF_ITERS_H
#define XDPTOP_BPF_ITERS_H

struct bpf_program;
struct bpf_iters;
struct iters_bpf;

/* Begin to load them. NULL = out of memory, or no thread. */
struct bpf_iters *bpf_iters_start(void);
/* Takes NULL; waits. */
void bpf_iters_close(struct bpf_iters *it);
/*
 * The loaded object, after a wait for it; NULL when the kernel has no such iterators, or refuses
 * them all. Those that it refuses are not loaded in it. `it` may be NULL.
 */
struct iters_bpf *bpf_iters_object(struct bpf_iters *it);

#endif
