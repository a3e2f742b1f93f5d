/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of a perf-event tracepoint: its fields, and the key made from them. It has no network
 * namespace, and a device name only in net_dev_queue.
 */
#pragma once

#include <stdbool.h>
#include "perf.h"
#include "series_identity.h"

/* Offset of each field in the record of each tracepoint, set before load; 0 = no such field. */
const volatile __u8 offsets[TP_COUNT][FIELD_COUNT] = {};

/*
 * A copy of the record. Access to the context needs an offset in the instruction, but the offsets
 * are known only at start.
 */
struct record {
	__u8 byte[PERF_RECORD_SIZE] __attribute__((aligned(8)));
};

static __always_inline bool record_copy(struct record *r, const void *ctx)
{
	return !bpf_probe_read_kernel(r, sizeof(*r), ctx);
}

static __always_inline __u32 record_get(const struct record *r, __u32 tp, enum perf_field f)
{
	__u32 offset = offsets[tp][f];

	/* constant to the verifier, because .rodata is frozen, so it prunes the dead branch */
	return offset ? *(const __u32 *)&r->byte[offset] : 0;
}

/*
 * Address of a __data_loc string. Up to 5.10 the verifier refuses to add a variable to the context
 * pointer. Stored to `scalar` (any memory) and loaded again, it is a number.
 */
static __always_inline const void *record_text(const void *ctx, __u32 loc, volatile __u64 *scalar)
{
	__u64 at;

	*scalar = (__u64)ctx;
	at = *scalar;
	*scalar = 0;
	return (const void *)(at + (loc & 0xffff));
}

/* A field of the record `r` of tracepoint `tp`. OF() is for a pointer `r`. */
#define FIELD(f) record_get(&r, tp, FIELD_##f)
#define OF(f)    record_get(r, tp, FIELD_##f)

static __always_inline void redirect_key(struct series_identity *id, const struct record *r,
					 const __u32 tp)
{
	__u32 map_type = SERIES_MAP_NONE, map_id, to_ifindex, target;

	map_id = OF(MAP_ID);
	to_ifindex = target = OF(TO_IFINDEX);
	if (!map_id && to_ifindex)
		map_id = SERIES_MAP_ID_IFINDEX; /* as the kernel sets it since 5.13 */
	if (map_id && map_id != SERIES_MAP_ID_IFINDEX) {
		map_type = to_ifindex ? SERIES_MAP_SOME_DEVMAP : SERIES_MAP_UNKNOWN;
		target = to_ifindex ?: OF(MAP_INDEX);
	}
	id->key = pack(0, OF(IFINDEX), 0, target, OF(PROG_ID), map_type, map_id, OF(ERR));
}

static __always_inline void exception_key(struct series_identity *id, const struct record *r,
					  const __u32 tp)
{
	id->key = pack(0, OF(IFINDEX), 0, 0, OF(PROG_ID), 0, 0, OF(ACT));
}

/* xdp_devmap_xmit, and xdp_bulk_tx, which has neither FROM_IFINDEX nor TO_IFINDEX. */
static __always_inline void sent_key(struct series_identity *id, const struct record *r,
				     const __u32 tp)
{
	id->key = pack(0, tp == TP_XDP_DEVMAP_XMIT ? OF(FROM_IFINDEX) : OF(IFINDEX), 0,
		       OF(TO_IFINDEX), 0, 0, 0, OF(ERR));
}

/* The kthread is bound to the CPU that it serves. */
static __always_inline void cpumap_key(struct series_identity *id, const struct record *r,
				       const __u32 tp)
{
	id->key =
		pack(0, 0, 0, tp == TP_XDP_CPUMAP_ENQUEUE ? OF(TO_CPU) : bpf_get_smp_processor_id(),
		     0, SERIES_MAP_CPUMAP, OF(MAP_ID), 0);
}

/* splitmix64's finalizer */
static __always_inline __u64 mix(__u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/*
 * The record has only the name of the device, which does not fit into the key, so a 64-bit hash of
 * it is in map_id and code, which this tracepoint does not use.
 */
static __always_inline void queue_key(struct series_identity *id, const __u64 name[2])
{
	__u64 hash = mix(mix(name[0] + 1) ^ name[1]);

	id->key = pack(0, 0, 0, 0, 0, 0, hash >> 32, hash);
}
