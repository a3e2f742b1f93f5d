/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting: from a key to the counters of its series on this CPU.
 *
 * The packet's path is: one array lookup for this CPU's memory, one or two key comparisons (four
 * u64 each), one array lookup for the counters. A hash lookup happens only when the key is not
 * among the last few of the same tracepoint on this CPU; an allocation only when a series is seen
 * for the first time.
 *
 * Where names come from is the includer's: struct who and who_names(), as in who.h.
 *
 * Every meter, cache entry and counter slot is written by one program only, and the kernel
 * guards a tracing program against itself per CPU, so plain adds are exact (KERNEL facts: they are
 * not against *another* program's writes, hence no sharing).
 */
#ifndef XDPTOP_COUNT_H
#define XDPTOP_COUNT_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "series.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Set before load: slots per CPU (TP_COUNT for overflow, then the series). */
const volatile __u32 slots = 1;

/* Series born so far: user space looks for new ones when it changes. */
__u64 series_born = 0;
/* User space adds 1 when it takes slots back: every cached key is then looked up again. */
__u32 epoch = 1;
/* Rare events that found the ring full. */
__u64 events_lost = 0;

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

struct index_key {
	struct series_key key;
	__u32 tracepoint;
	__u32 zero;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* --max-series */
	__type(key, struct index_key);
	__type(value, __u32);
} slot_of SEC(".maps");

/* A stack, so that the slots in use stay dense and few pages are ever touched. */
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

/* One event on its way through a program. */
struct count {
	struct series_meter *meter;
	struct series_cache *cache;
	__u32 cpu;
	__u64 start, warm; /* start 0 = not timed */
};

/* One in so many events is timed; not the first ones, which pay for cold caches. */
#define TIMED_EVERY 1024
#define TIMED_FIRST 7

/* False only to satisfy the verifier. */
static __always_inline bool count_begin(struct count *n, __u32 tracepoint)
{
	struct series_cpu *here;

	n->cpu = bpf_get_smp_processor_id();
	n->start = 0;
	here = bpf_map_lookup_elem(&cpus, &n->cpu);
	if (!here)
		return false;
	n->meter = &here->meter[tracepoint];
	n->cache = &here->cache[tracepoint];
	if (unlikely((n->meter->events++ & (TIMED_EVERY - 1)) == TIMED_FIRST)) {
		n->start = bpf_ktime_get_ns();
		n->warm = bpf_ktime_get_ns(); /* what the clock itself takes is taken off again */
	}
	return true;
}

static __always_inline void count_end(const struct count *n)
{
	__u64 clock, inside;

	if (likely(!n->start))
		return;
	inside = bpf_ktime_get_ns() - n->warm;
	clock = n->warm - n->start;
	n->meter->timed_ns += inside > clock ? inside - clock : 0;
	n->meter->timed++;
}

/* A key in registers: the fields of struct series_key, two in each, as they lie in memory. */
struct packed_key {
	__u64 q[4];
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PACK(first, second) ((__u64)(__u32)(first) | (__u64)(__u32)(second) << 32)
#else
#define PACK(first, second) ((__u64)(__u32)(first) << 32 | (__u32)(second))
#endif

static __always_inline struct packed_key pack(__u32 netns, __u32 ifindex, __u32 to_netns,
					      __u32 target, __u32 prog_id, __u32 map_type,
					      __u32 map_id, __u32 code)
{
	return (struct packed_key){ { PACK(netns, ifindex), PACK(to_netns, target),
				      PACK(prog_id, map_type), PACK(map_id, code) } };
}

static __always_inline bool entry_holds(const struct series_entry *e, const struct packed_key *k,
					__u32 now)
{
	const __u64 *q = (const __u64 *)&e->key;

	return q[1] == k->q[1] && q[2] == k->q[2] && q[0] == k->q[0] && q[3] == k->q[3] &&
	       e->epoch == now;
}

/* A series seen for the first time: take a slot and write down who it is. Returns the slot, or
 * the tracepoint's overflow slot when the table is full. */
static __noinline __u32 series_new(const struct index_key *k, const struct who *w)
{
	struct series_info *info;
	__u32 slot, *other;

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
	who_names(w, info->ifname, info->to_ifname, info->prog_name);
	if (bpf_map_update_elem(&slot_of, k, &slot, BPF_NOEXIST)) {
		/* another CPU was faster with the same key, or the map is busy under us */
		bpf_map_push_elem(&free_slots, &slot, 0);
		other = bpf_map_lookup_elem(&slot_of, k);
		return other ? *other : k->tracepoint;
	}
	info->live = 1;
	__sync_fetch_and_add(&series_born, 1);
	return slot;
}

/* Find or make the series of a key that is not cached. Returns its slot. */
static __noinline __u32 series_find(const struct packed_key *key, __u32 tracepoint,
				    const struct who *w)
{
	struct index_key k = { .tracepoint = tracepoint };
	__u32 *slot;

	__builtin_memcpy(&k.key, key, sizeof(k.key));
	slot = bpf_map_lookup_elem(&slot_of, &k);
	return slot ? *slot : series_new(&k, w);
}

/*
 * The slot of a key. `e` is its set: the way used last comes first. w is given by value, so that
 * it is laid out in memory only on a miss.
 */
static __always_inline __u32 series_slot(struct series_entry *e, const struct packed_key *key,
					 __u32 tracepoint, struct who w)
{
	/* Read before the lookup: a slot taken back after this makes the new entry stale. */
	__u32 now = *(volatile __u32 *)&epoch;

	if (likely(entry_holds(&e[0], key, now)))
		return e[0].slot;
	if (entry_holds(&e[1], key, now))
		return e[1].slot;
	{
		struct packed_key copy = *key;
		struct who who = w;
		__u32 slot = series_find(&copy, tracepoint, &who);

		e[1] = e[0];
		__builtin_memcpy(&e[0].key, &copy, sizeof(copy));
		e[0].slot = slot;
		e[0].epoch = now;
		return slot;
	}
}

/* The counters of a slot on this CPU; NULL only to satisfy the verifier. */
static __always_inline struct series_counters *slot_counters(const struct count *n, __u32 slot)
{
	__u32 i = n->cpu * slots + slot;

	return bpf_map_lookup_elem(&counts, &i);
}

static __always_inline struct series_counters *
series_counters(const struct count *n, const struct packed_key *key, __u32 tracepoint, struct who w)
{
	/* neighbours in ifindex, target and program id come to lie in different sets */
	__u32 h = (key->q[0] >> 32) + (key->q[1] >> 32) * 3 + (__u32)key->q[2] * 5 +
		  (key->q[3] >> 32);
	struct series_entry *set = n->cache->entry[(h ^ h >> 3) & (SERIES_SETS - 1)];

	return slot_counters(n, series_slot(set, key, tracepoint, w));
}

#endif
