/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of BPF programs and maps by id, and the processes of network namespaces, from BPF iterators
 * loaded at start. Reading them needs no privilege. A name that was looked up is kept after its
 * program or map is gone.
 */
#pragma once

#include "model/netns_owner.h"
#include "model/snapshot.h"

struct bpf_iters;
struct bpf_objects;

/* NULL = no iterators: names stay unknown. The iterators must outlive it and may be NULL. */
struct bpf_objects *bpf_objects_open(struct bpf_iters *iterators);
void bpf_objects_close(struct bpf_objects *o);
/*
 * The full, printable name; "" = no such program, or it has no name; NULL = not known yet. A new id
 * causes a read of the iterator, at most once a second. `o` may be NULL. The result is valid until
 * the next call.
 */
const char *bpf_objects_program(struct bpf_objects *o, uint32_t id);
/*
 * Replace a name that is empty or that the kernel cut (BPF_OBJ_NAME_LEN) by the full one. False =
 * not known yet.
 */
bool bpf_objects_full_name(struct bpf_objects *o, uint32_t prog_id, char name[SNAPSHOT_NAME_LEN]);
/*
 * When the program was loaded, in ns since boot (CLOCK_BOOTTIME), and by which user. False = not
 * known yet, or the program is gone.
 */
bool bpf_objects_loaded(struct bpf_objects *o, uint32_t prog_id, uint64_t *load_time,
			uint32_t *uid);
/*
 * Read all programs, and call fn with each one that is loaded as an XDP program, ascending by id. 0
 * or -errno.
 */
typedef void bpf_objects_xdp_fn(void *ctx, uint32_t id, const char *name, uint64_t load_time);
int bpf_objects_xdp(struct bpf_objects *o, bpf_objects_xdp_fn *fn, void *ctx);
const char *bpf_objects_map(struct bpf_objects *o, uint32_t id);
/* Add the processes outside the initial network namespace to `owners`. 0 or -errno. */
int bpf_objects_owners(struct bpf_objects *o, struct netns_owners *owners);
/* Inode of the initial network namespace (init_net); 0 = unknown. */
uint32_t bpf_objects_init_netns(const struct bpf_objects *o);
/*
 * How often XDP programs ran, and for how long: fn gets a struct prog_run_record for each program
 * of the next part, because on a machine with many programs and CPUs each reading is limited. 0 or
 * -errno.
 */
int bpf_objects_runs(struct bpf_objects *o, void (*fn)(void *ctx, const void *record), void *ctx);
