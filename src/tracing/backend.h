/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How programs get at tracepoints: tp_btf programs where the kernel has BTF
 * (src/tracing/backend_btf.c), perf-event tracepoints else (src/tracing/backend_perf.c). Both count
 * in the same memory (bpf/series_cache.h), so all behind the probe is the same.
 */
#ifndef XDPTOP_BACKEND_H
#define XDPTOP_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include "model/snapshot.h"
#include "model/tracepoint.h"

struct backend;
struct bpf_link;
struct bpf_map;
struct bpf_object;
struct bpf_program;

/* What bpf/series_cache.h and bpf/event_ring.h declare, in whichever object is loaded. */
struct backend_object {
	struct bpf_object *object;
	struct bpf_map *cpus, *counts, *infos, *slot_of, *free_slots, *events;
	const volatile __u64 *created, *events_lost;
};

struct backend_ops {
	const char *name; /* header.backend */
	/*
	 * What this kernel has, without loading anything: name, state (off, missing, failed) and
	 * reason of every tp. 0, or as probe_open().
	 */
	int (*open)(struct backend **b, struct tp_count tp[TP_COUNT], int *exit_code, char *why,
		    size_t size);
	/*
	 * Load the programs of the set `wanted` (bits) with memory for so many CPUs and slots, all
	 * or nothing: 0 and *to set, or -errno. Once loaded, unload() comes before the next load().
	 */
	int (*load)(struct backend *b, uint32_t wanted, uint32_t cpus, uint32_t slots,
		    struct backend_object *to);
	void (*unload)(struct backend *b);
	/* Of those wanted; BACKEND_CHECK = a program that does nothing. NULL = not loaded. */
	struct bpf_program *(*program)(struct backend *b, int id);
	/* NULL and errno; may be called in any thread. */
	struct bpf_link *(*attach)(struct backend *b, int id);
	/* Takes NULL. */
	void (*close)(struct backend *b);
};

#define BACKEND_CHECK (-1)

extern const struct backend_ops backend_btf, backend_perf;

/* For their load(): find the maps and give them their sizes, before the object is loaded. */
int backend_object_size(struct backend_object *o, struct bpf_object *object, uint32_t cpus,
			uint32_t slots);
/* The function of a registry's tracepoint, or `capability_check`. */
struct bpf_program *backend_object_program(const struct bpf_object *object, int id);
/* Whether the library says all it does on stderr; before anything of it is used, in any thread. */
void backend_log(bool verbose);
/* Print into why. */
void backend_say(char *why, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
