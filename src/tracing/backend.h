/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A backend loads and attaches the programs: tp_btf if the kernel has BTF (backend_btf.c), else
 * perf-event tracepoints (backend_classic.c). Both count in the same maps (bpf/series_cache.h).
 */
#pragma once

#include "base/error.h"
#include "model/snapshot.h"
#include "model/tracepoint.h"

struct backend;
struct follow_event;
struct bpf_link;
struct bpf_map;
struct bpf_object;
struct bpf_program;

#define BACKEND_CHECK TP_COUNT /* the empty program, `capability_check` */

/* The maps and variables of bpf/series_cache.h in the loaded object, and its programs by id. */
struct backend_object {
	struct bpf_program *program[TP_COUNT + 1]; /* NULL = not loaded */
	struct bpf_map *cpus, *counts, *infos, *slot_of, *free_slots, *events;
	const volatile __u64 *created, *events_lost;
	/* of bpf/follow_ring.h; NULL = this backend only counts */
	struct bpf_map *follow_cpus, *followed;
	__u32 *follow_now, *follow_default;
};

/* Sizes to load with: possible CPU ids, slots, followed events that all rings hold together. */
struct backend_size {
	uint32_t cpus, slots, follow_events;
	int cpu_map; /* fd of the map `cpus`, which all objects share */
};

struct backend_ops {
	const char *name; /* header.backend */
	/*
	 * Find this kernel's tracepoints without loading anything. Sets name, state (off, missing,
	 * failed) and reason of each tp. Returns 0, or as probe_open().
	 */
	int (*open)(struct backend **b, struct tp_count tp[TP_COUNT], struct error *error);
	/*
	 * Load the programs of `wanted` (bits 1 << id) and their maps, all or nothing. 0 and *to
	 * set, or -errno. Call unload() before the next load().
	 */
	int (*load)(struct backend *b, uint32_t wanted, const struct backend_size *size,
		    struct backend_object *to);
	void (*unload)(struct backend *b);
	/* Arguments of an event of TP_OTHER and up: "name=1 other=2". */
	void (*other_text)(const struct backend *b, const struct follow_event *e, char *buf,
			   size_t size);
	/* Attach the program. NULL and errno on failure. Any thread may call it. */
	struct bpf_link *(*attach)(struct backend *b, int id, struct bpf_program *program);
	void (*close)(struct backend *b);
};

extern const struct backend_ops backend_btf, backend_classic;

/* Used by load() before the object is loaded: find the maps and set their sizes. 0 or -errno. */
int backend_object_size(struct backend_object *o, struct bpf_object *object,
			const struct backend_size *size);
/* The program of a tracepoint, or of BACKEND_CHECK. */
struct bpf_program *backend_object_program(const struct bpf_object *object, int id);
/* Send libbpf's messages to stderr, or nowhere. Call it before any use of libbpf. */
void backend_log(bool verbose);
