/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of BPF programs and maps by id, and the processes of network namespaces, through iterators
 * that were loaded at start and need no privilege later. Names outlive what they name.
 */
#ifndef XDPTOP_BPF_OBJECTS_H
#define XDPTOP_BPF_OBJECTS_H

#include <stdint.h>
#include "bpf/objects_iter.h"

struct bpf_iters;
struct bpf_objects;

/*
 * NULL when the kernel has no such iterators, or refuses them: then names stay unknown. They must
 * live as long as what is opened; may be NULL.
 */
struct bpf_objects *bpf_objects_open(struct bpf_iters *iterators);
/* Takes NULL. */
void bpf_objects_close(struct bpf_objects *o);
/*
 * The whole name, printable, "" when there is no such program or it has none; NULL = not known yet,
 * ask again. The kernel is asked at most once a second, and only for ids that are new. `o` may be
 * NULL. Good until the next call.
 */
const char *bpf_objects_program(struct bpf_objects *o, uint32_t id);
const char *bpf_objects_map(struct bpf_objects *o, uint32_t id);
/* Every process outside of the first network namespace, as it is now. 0 or -errno. */
int bpf_objects_processes(struct bpf_objects *o,
			  void (*fn)(void *ctx, const struct object_process *p), void *ctx);
/* Inode of the network namespace that the kernel itself made; 0 = not known. */
uint32_t bpf_objects_init_netns(const struct bpf_objects *o);

#endif
