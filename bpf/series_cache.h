/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a tracepoint's arguments to the counters of its series on this CPU.
 *
 * Fast path: one array lookup for this CPU's memory, a compare with one or two cache entries of the
 * tracepoint, one array lookup for the counters. An entry is compared by its cache tag, which has
 * the pointers of the arguments, because each dereference may miss the CPU's cache. The full key is
 * built and looked up in a hash only on a miss. Only a new series takes a slot. The slow paths are
 * noinline, because otherwise their callers spill registers on every event. Nothing on the fast
 * path reads .rodata: one more page to load costs as much as ten instructions.
 *
 * A cached pointer is trusted for one jiffy only, because its memory may be reused. This rests on
 * call_rcu(), which frees programs and devmap entries: an ordinary grace period lasts a tick or
 * more (4,500 measured). Expedited ones do not (rcu_expedited=1; cleanup_net() of newer kernels),
 * but no struct net was reused within 20 jiffies: measured in 86,560 reuses, not promised. At worst
 * the events of one CPU and one jiffy are in a wrong row. The tracepoint's totals stay right
 * (doc/kernel.md, "Concurrency"). A new map has a new id. A device moves between namespaces without
 * a grace period, so the tag has its struct net and ifindex, not its pointer.
 *
 * Each meter, cache entry and counter is per CPU and written by one program only. A program does
 * not run inside itself on one CPU (before 6.1 softirqs do not nest; since then the kernel checks),
 * so plain adds are exact. Another program may interrupt it, so memory that programs share is
 * updated atomically.
 *
 * The includer defines struct name_sources, capture_names() and capture_to_prog(), see
 * capture_names.h.
 */
#pragma once

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "meter.h"
#include "series_identity.h"

/* Slots per CPU, set before load: TP_COUNT overflow slots, then --max-series. */
const volatile __u32 slots = 1;

/*
 * An event is followed if its series has this number, which user space raises with each choice; 0 =
 * none is. A new series gets its tracepoint's number of follow_default.
 */
__u32 follow_now = 0;
__u32 follow_default[TP_COUNT] = {};

/* Series created since load. User space scans infos when it changes. */
__u64 series_created = 0;
/* Rare events dropped because the ring was full. */
__u64 events_lost[TP_COUNT] = {};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* possible CPU ids */
	__type(key, __u32);
	__type(value, struct series_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* possible CPU ids * slots; one CPU's slots are adjacent */
	__type(key, __u32);
	__type(value, struct series_counters);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* slots */
	__type(key, __u32);
	__type(value, struct series_info);
} infos SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* --max-series */
	__type(key, struct series_index);
	__type(value, __u32);
} slot_of SEC(".maps");

/* A stack keeps the used slots dense, so that few pages are touched. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1); /* --max-series */
	__type(value, __u32);
} free_slots SEC(".maps");

#define EVENTS_SIZE (256 * 1024)

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, EVENTS_SIZE);
} events SEC(".maps");

struct cpu_ctx {
	struct series_cpu *cpu;
	__u64 jiffy;
};

/* False only to satisfy the verifier. */
static __always_inline bool cpu_ctx_init(struct cpu_ctx *cc)
{
	__u32 cpu = bpf_get_smp_processor_id();

	cc->cpu = bpf_map_lookup_elem(&cpus, &cpu);
	if (!cc->cpu)
		return false;
	cc->jiffy = bpf_jiffies64(); /* a plain load */
	return true;
}

/* Count an event. Returns whether to time it. */
static __always_inline bool meter_event(const struct cpu_ctx *cc, __u32 tracepoint)
{
	return (++cc->cpu->meter[tracepoint].events & (TIMED_EVERY - 1)) == TIMED_FIRST;
}

static __always_inline void meter_add_time(const struct cpu_ctx *cc, __u32 tracepoint,
					   __u64 started)
{
	struct series_meter *meter = &cc->cpu->meter[tracepoint];
	__u64 end = bpf_ktime_get_ns(), inside = end - started;
	/* subtract the cost of reading the clock */
	__u64 clock = bpf_ktime_get_ns() - end;

	meter->timed_ns += inside > clock ? inside - clock : 0;
	meter->timed++;
}

struct key_ops;

/* How a program counts an event. It is a compile-time constant, so that it is inlined. */
typedef void (*count_fn)(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint,
			 const struct key_ops *ops);

/* The body of a program: meter the event, and count it with `count`. */
static __always_inline int count_event(void *ctx, __u32 tracepoint, count_fn count,
				       const struct key_ops *ops)
{
	struct series_meter *meter;
	struct cpu_ctx cc;

	if (!cpu_ctx_init(&cc))
		return 0;
	meter = &cc.cpu->meter[tracepoint];
	if (unlikely(meter_event(&cc, tracepoint)))
		meter->started = bpf_ktime_get_ns();
	count(ctx, &cc, tracepoint, ops);
	if (unlikely(meter->started)) {
		meter_add_time(&cc, tracepoint, meter->started);
		meter->started = 0;
	}
	return 0;
}

#define PROGRAM_AT(section, name, tracepoint, count, ops)        \
	SEC(section)                                             \
	int name(void *ctx)                                      \
	{                                                        \
		return count_event(ctx, tracepoint, count, ops); \
	}

/* Take a slot for a new series. Returns the tracepoint's overflow slot when the table is full. */
static __noinline __u32 series_new(const struct series_index *k, const struct name_sources *names)
{
	struct series_info *info;
	__u32 slot, *other, to_prog_id = 0;

	if (bpf_map_pop_elem(&free_slots, &slot))
		return k->tracepoint;
	info = bpf_map_lookup_elem(&infos, &slot);
	if (!info)
		return k->tracepoint;
	info->key = k->key;
	info->tracepoint = k->tracepoint;
	__builtin_memset(info->ifname, 0, sizeof(info->ifname));
	__builtin_memset(info->to_ifname, 0, sizeof(info->to_ifname));
	__builtin_memset(info->prog_name, 0, sizeof(info->prog_name));
	capture_names(names, info->ifname, info->to_ifname, info->prog_name);
	capture_to_prog(names, &to_prog_id);
	info->to_prog_id = to_prog_id;
	info->to_prog_changes = 0;
	info->lost = 0;
	info->followed = k->tracepoint < TP_COUNT ? follow_default[k->tracepoint] : 0;
	if (bpf_map_update_elem(&slot_of, k, &slot, BPF_NOEXIST)) {
		/* another CPU inserted the same key first, or the bucket is locked */
		bpf_map_push_elem(&free_slots, &slot, 0);
		other = bpf_map_lookup_elem(&slot_of, k);
		return other ? *other : k->tracepoint;
	}
	/* no release store: BPF has none before 6.15 (the update locks and unlocks a bucket) */
	info->live = 1;
	__sync_fetch_and_add(&series_created, 1);
	return slot;
}

/* A devmap entry can get another program. CPUs may disagree for a moment. */
static __always_inline void series_follow_entry(__u32 slot, const struct name_sources *names)
{
	struct series_info *info;
	__u32 to_prog_id;

	if (!capture_to_prog(names, &to_prog_id))
		return;
	info = bpf_map_lookup_elem(&infos, &slot);
	if (!info || info->to_prog_id == to_prog_id)
		return;
	info->to_prog_id = to_prog_id;
	info->to_prog_changes++;
}

/* Find or create a series. Returns its slot. */
static __noinline __u32 series_find(const struct series_identity *id, __u32 tracepoint)
{
	struct series_index k = { .tracepoint = tracepoint };
	__u32 *slot;

	__builtin_memcpy(&k.key, &id->key, sizeof(k.key));
	slot = bpf_map_lookup_elem(&slot_of, &k);
	if (!slot)
		return series_new(&k, &id->names);
	series_follow_entry(*slot, &id->names);
	return *slot;
}

/* Whether the events of a slot are followed. In an overflow slot user space also sets it. */
static __always_inline bool is_followed(__u32 slot)
{
	const struct series_info *info;
	__u32 now = follow_now;

	if (likely(!now))
		return false;
	info = bpf_map_lookup_elem(&infos, &slot);
	return info && info->followed == now;
}

/* Index in counts of a slot on this CPU. */
static __always_inline __u32 slot_index(__u32 slot)
{
	return bpf_get_smp_processor_id() * slots + slot;
}

/* NULL only to satisfy the verifier. */
static __always_inline struct series_counters *counters_at(__u32 index)
{
	return bpf_map_lookup_elem(&counts, &index);
}

/* Count a rare event, bypassing the cache. */
static __always_inline void rare_count(const struct packed_key *key, __u32 tracepoint,
				       struct name_sources names)
{
	struct series_identity id = { .key = *key, .names = names };
	struct series_counters *c = counters_at(slot_index(series_find(&id, tracepoint)));

	if (c)
		c->events++;
}

/*
 * Per-tracepoint key extractors: cache_tag() gives the cache tag, describe() the full key. All
 * members are compile-time constants: the compiler inlines the tag and calls the others directly,
 * because BPF has no indirect calls.
 */
struct key_ops {
	int tag_words;
	/* Word i of the tag; 0 and 1 choose the set. */
	__u64 (*cache_tag)(void *ctx, int i);
	int (*describe)(void *ctx, struct series_identity *id);
	/* noinline, by DEFINE_KEY_OPS() in event_ring.h: counters_miss() and failure_report(). */
	struct series_counters *(*miss)(void *ctx, __u32 tracepoint);
	int (*report)(void *ctx, __u32 tracepoint, __s32 sent, __s32 drops);
	/* Write the event to a ring (follow_ring.h); NULL = events are not followed. */
	void (*follow)(void *ctx, const struct packed_key *key, __u32 slot, __u32 tracepoint,
		       struct series_meter *meter);
};

/* A lookup in the cache: the set, and the first words of the tag. */
struct lookup {
	struct series_entry *set;
	__u64 tag[2];
};

static __always_inline struct lookup lookup_set(struct series_cpu *cpu, const struct key_ops *ops,
						void *ctx, __u32 tracepoint)
{
	struct lookup l = {};
	char *base;

	l.tag[0] = ops->cache_tag(ctx, 0);
	if (ops->tag_words > 1)
		l.tag[1] = ops->cache_tag(ctx, 1);
	base = (char *)cpu + series_set(l.tag[0], low(l.tag[1])) * sizeof(l.set[0]) * SERIES_WAYS;
	/* barrier: without it clang recomputes the address for every access */
	asm volatile("" : "+r"(base));
	l.set = ((struct series_cpu *)base)->cache[tracepoint].entry[0];
	return l;
}

static __always_inline bool lookup_hit(const struct lookup *l, int way, const struct key_ops *ops,
				       void *ctx, __u64 jiffy)
{
	const struct series_entry *e = &l->set[way];

	if (unlikely(e->jiffy != jiffy))
		return false;
#pragma unroll
	for (int i = 0; i < ops->tag_words; i++)
		if (unlikely(e->tag[i] != (i < 2 ? l->tag[i] : ops->cache_tag(ctx, i))))
			return false;
	return true;
}

/*
 * Find or create the series of an event, and cache it. A followed series is not cached, so that
 * each of its events comes here to be written, and others pay nothing for it.
 */
static __always_inline struct series_counters *counters_miss(const struct key_ops *ops, void *ctx,
							     __u32 tracepoint)
{
	struct series_identity id = {};
	struct series_entry *set;
	struct cpu_ctx cc;
	struct lookup l;
	__u32 slot;

	/*
	 * read the jiffy before the hash, because if the slot is freed after that, the entry
	 * expires
	 */
	if (!cpu_ctx_init(&cc) || tracepoint >= TP_COUNT)
		return NULL;
	l = lookup_set(cc.cpu, ops, ctx, tracepoint);
	set = l.set;
	ops->describe(ctx, &id);
	slot = series_find(&id, tracepoint);
	if (ops->follow && unlikely(is_followed(slot))) {
		ops->follow(ctx, &id.key, slot, tracepoint, &cc.cpu->meter[tracepoint]);
		return counters_at(slot_index(slot));
	}
	set[1] = set[0];
#pragma unroll
	for (int i = 0; i < ops->tag_words; i++)
		set[0].tag[i] = i < 2 ? l.tag[i] : ops->cache_tag(ctx, i);
	set[0].index = slot_index(slot);
	set[0].jiffy = cc.jiffy;
	return counters_at(set[0].index);
}

/* The counters of an event's series on this CPU; NULL only to satisfy the verifier. */
static __always_inline struct series_counters *
series_counters(const struct cpu_ctx *cc, const struct key_ops *ops, void *ctx, __u32 tracepoint)
{
	struct lookup l = lookup_set(cc->cpu, ops, ctx, tracepoint);

	/* way 0 was filled last */
	if (likely(lookup_hit(&l, 0, ops, ctx, cc->jiffy)))
		return counters_at(l.set[0].index);
	if (lookup_hit(&l, 1, ops, ctx, cc->jiffy))
		return counters_at(l.set[1].index);
	return ops->miss(ctx, tracepoint);
}
