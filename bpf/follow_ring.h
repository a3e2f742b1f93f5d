/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the counting programs write followed events. counters_miss() in series_cache.h comes here
 * with each event of a followed series.
 *
 * Each counter is per CPU and written by one program only, as in series_cache.h, so plain adds are
 * exact, and followed = in the ring + lost. The programs that write one ring do not interrupt each
 * other on its CPU (bind_rings() in src/tracing/follow.c).
 */
#pragma once

#include "follow.h"
#include "series_cache.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* possible CPU ids */
	__type(key, __u32);
	__type(value, struct follow_cpu);
} follow_cpus SEC(".maps");

/*
 * The slots of all rings. User space gives each ring its part. The kernel's ring buffer would take
 * a lock, and more calls per event than all of this.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* slots; set before load */
	__type(key, __u32);
	__type(value, struct follow_event);
} followed SEC(".maps");

/* NULL only to satisfy the verifier. */
static __always_inline struct follow_count *follow_count(__u32 tracepoint)
{
	__u32 id = bpf_get_smp_processor_id();
	struct follow_cpu *cpu = bpf_map_lookup_elem(&follow_cpus, &id);

	return cpu && tracepoint < TP_COUNT ? &cpu->count[tracepoint] : NULL;
}

/* The slot of the next event; NULL = the ring is full. */
static __always_inline struct follow_event *next_slot(const struct follow_ring *r)
{
	__u32 index = r->first + r->at;

	if (r->written - r->taken >= r->slots)
		return NULL;
	return bpf_map_lookup_elem(&followed, &index);
}

/*
 * Publish the complete event. No release order: BPF has none before 6.15, and user space waits
 * where it needs one. User space polls, because a wakeup would cost more than the rest.
 */
static __always_inline void follow_submit(struct follow_ring *r)
{
	__u32 at = r->at + 1;

	r->at = at < r->slots ? at : 0;
	barrier();
	r->written++;
}

/*
 * Sets `known` and every field that follow_write() does not set. The pointer is a compile-time
 * constant, so that the function is inlined.
 */
typedef void (*follow_args_fn)(void *ctx, struct follow_event *e, struct follow_count *count);

static __always_inline void follow_write(void *ctx, const struct packed_key *key, __u32 slot,
					 __u32 tracepoint, struct follow_count *count,
					 follow_args_fn args)
{
	struct follow_cpu *cpu = (void *)(count - tracepoint);
	struct follow_ring *r = &cpu->ring[count->ring & (FOLLOW_RINGS - 1)];
	struct follow_event *e = next_slot(r);
	struct series_info *info;

	count->events++;
	if (unlikely(!e)) {
		count->lost++;
		info = bpf_map_lookup_elem(&infos, &slot);
		if (info)
			__sync_fetch_and_add(&info->lost, 1);
		return;
	}
	e->ktime_ns = bpf_ktime_get_ns();
	e->lost = count->lost;
	e->tracepoint = tracepoint;
	__builtin_memcpy(&e->key, key, sizeof(e->key));
	e->slot = slot;
	e->pid = 0;
	args(ctx, e, count);
	follow_submit(r);
}

/*
 * Write an event. If it is timed, its time counts for following and not for the tracepoint, so that
 * the budget ends what costs too much.
 */
static __always_inline void follow_event(void *ctx, const struct packed_key *key, __u32 slot,
					 __u32 tracepoint, struct series_meter *meter,
					 follow_args_fn args)
{
	struct follow_count *count = follow_count(tracepoint);
	__u64 started = 0, took;

	if (!count)
		return;
	if (unlikely(meter->started))
		started = bpf_ktime_get_ns();
	follow_write(ctx, key, slot, tracepoint, count, args);
	if (unlikely(started)) {
		took = bpf_ktime_get_ns() - started;
		meter->started += took;
		count->timed_ns += took;
		count->timed++;
	}
}

/* Define NAME_follow, for struct key_ops, of NAME_args. */
#define FOLLOW(name)                                                                       \
	static __always_inline void name##_follow(void *ctx, const struct packed_key *key, \
						  __u32 slot, __u32 tracepoint,            \
						  struct series_meter *meter)              \
	{                                                                                  \
		follow_event(ctx, key, slot, tracepoint, meter, name##_args);              \
	}
