/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of BPF programs and maps by id, and the processes of network namespaces, through iterators
 * that were loaded at start and need no privilege later. Names outlive what they name.
 */
#ifndef XDPTOP_OBJECTS_H
#define XDPTOP_OBJECTS_H

#include <stdint.h>
#include "bpf/objects_iter.h"

struct iterators;
struct objects;

/*
 * NULL when the kernel has no such iterators, or refuses them: then names stay unknown. They must
 * live as long as what is opened; may be NULL.
 */
struct objects *objects_open(struct iterators *iterators);
/* Takes NULL. */
void objects_close(struct objects *o);
/*
 * The whole name, printable, "" when there is no such program or it has none; NULL = not known yet,
 * ask again. The kernel is asked at most once a second, and only for ids that are new. `o` may be
 * NULL. Good until the next call.
 */
const char *objects_program(struct objects *o, uint32_t id);
const char *objects_map(struct objects *o, uint32_t id);
/* Every process outside of the first network namespace, as it is now. 0 or -errno. */
int objects_processes(struct objects *o, void (*fn)(void *ctx, const struct object_process *p),
		      void *ctx);
/* Inode of the network namespace that the kernel itself made; 0 = not known. */
uint32_t objects_init_netns(const struct objects *o);

#endif
