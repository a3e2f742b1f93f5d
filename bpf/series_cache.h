/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting: from a key to the counters of its series on this CPU.
 *
 * The packet's path is: one array lookup for this CPU's memory, one or two comparisons with what
 * this tracepoint has counted last on this CPU, one array lookup for the counters. What is compared
 * is raw: pointers as the event has them, where following them would cost more than all the rest.
 * The key itself is made, and looked up in a hash, only when that fails; an allocation happens only
 * when a series is seen for the first time. What is not for every event is out of line, so that
 * nothing is saved for it, and no constant of .rodata is read on the way: a load that is one page
 * more costs as much as ten instructions.
 *
 * A pointer is believed within one tick of the clock, so that one which is used again for something
 * else does no harm: programs, devmap entries and namespaces are freed after an RCU grace period
 * that began when they were taken out of use (call_rcu() in dev_map_update_elem() and
 * __bpf_prog_put(), rcu_barrier() in cleanup_net()), and such a period ends no sooner than after
 * the next tick. The same makes it safe to take slots back, without a word to the programs.
 * A device that is moved takes no grace period: its namespace and ifindex are compared themselves.
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
#include "shared.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Set before load: slots per CPU (TP_COUNT for overflow, then the series). */
const volatile __u32 slots = 1;

/* Series created so far: user space looks for new ones when it changes. */
__u64 series_created = 0;
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

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* --max-series */
	__type(key, struct series_index);
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
	struct series_cpu *here;
	__u64 tick;
};

/* False only to satisfy the verifier. */
static __always_inline bool count_here(struct count *n)
{
	__u32 cpu = bpf_get_smp_processor_id();

	n->here = bpf_map_lookup_elem(&cpus, &cpu);
	if (!n->here)
		return false;
	n->tick = bpf_jiffies64(); /* a plain load */
	return true;
}

/* One in so many events is timed; not the first ones, which pay for cold caches. */
#define TIMED_EVERY 1024
#define TIMED_FIRST 8

/* An event more; whether it is one to time. */
static __always_inline bool count_begin(const struct count *n, __u32 tracepoint)
{
	return (++n->here->meter[tracepoint].events & (TIMED_EVERY - 1)) == TIMED_FIRST;
}

static __always_inline void count_timed(const struct count *n, __u32 tracepoint, __u64 started)
{
	struct series_meter *meter = &n->here->meter[tracepoint];
	__u64 end = bpf_ktime_get_ns(), inside = end - started;
	/* what the clock itself takes is taken off again */
	__u64 clock = bpf_ktime_get_ns() - end;

	meter->timed_ns += inside > clock ? inside - clock : 0;
	meter->timed++;
}

/*
 * The program of a tracepoint: every event goes through `body`, void (void *ctx, const struct
 * count *n, __u32 tracepoint).
 */
#define COUNT_PROGRAM(section, name, tracepoint, body)               \
	SEC(section)                                                 \
	int name(void *ctx)                                          \
	{                                                            \
		struct series_meter *meter;                          \
		struct count n;                                      \
                                                                     \
		if (!count_here(&n))                                 \
			return 0;                                    \
		meter = &n.here->meter[tracepoint];                  \
		if (unlikely(count_begin(&n, tracepoint)))           \
			meter->started = bpf_ktime_get_ns();         \
		body(ctx, &n, tracepoint);                           \
		if (unlikely(meter->started)) {                      \
			count_timed(&n, tracepoint, meter->started); \
			meter->started = 0;                          \
		}                                                    \
		return 0;                                            \
	}

/*
 * The same for xdp_redirect, where each ns counts: the timed events have a copy of the program, so
 * that nothing of the clock is on the way of the others. The verifier takes twice as long for it.
 */
#define PACKET_PROGRAM(section, name, tracepoint, body)    \
	static __noinline int name##_timed(void *ctx)      \
	{                                                  \
		__u64 started = bpf_ktime_get_ns();        \
		struct count n;                            \
                                                           \
		if (!count_here(&n))                       \
			return 0;                          \
		body(ctx, &n, tracepoint);                 \
		count_timed(&n, tracepoint, started);      \
		return 0;                                  \
	}                                                  \
	SEC(section)                                       \
	int name(void *ctx)                                \
	{                                                  \
		struct count n;                            \
                                                           \
		if (!count_here(&n))                       \
			return 0;                          \
		if (unlikely(count_begin(&n, tracepoint))) \
			return name##_timed(ctx);          \
		body(ctx, &n, tracepoint);                 \
		return 0;                                  \
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

/* The lower half of a pointer as a number, which the verifier lets no other way become one. */
static __always_inline __u32 low(__u64 pointer)
{
	__u32 half;

	asm volatile("%0 = %1" : "=w"(half) : "w"((__u32)pointer));
	return half;
}

/* Who a series is: only asked for where it is not cached. */
struct subject {
	struct packed_key key;
	struct who who;
};

/* A series seen for the first time: take a slot and write down who it is. Returns the slot, or
 * the tracepoint's overflow slot when the table is full. */
static __noinline __u32 series_new(const struct series_index *k, const struct who *w)
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
	__sync_fetch_and_add(&series_created, 1);
	return slot;
}

/* Find or make a series. Returns its slot. */
static __noinline __u32 series_find(const struct subject *s, __u32 tracepoint)
{
	struct series_index k = { .tracepoint = tracepoint };
	__u32 *slot;

	__builtin_memcpy(&k.key, &s->key, sizeof(k.key));
	slot = bpf_map_lookup_elem(&slot_of, &k);
	return slot ? *slot : series_new(&k, &s->who);
}

static __always_inline __u32 slot_index(__u32 slot)
{
	return bpf_get_smp_processor_id() * slots + slot;
}

/* NULL only to satisfy the verifier. */
static __always_inline struct series_counters *counters_at(__u32 index)
{
	return bpf_map_lookup_elem(&counts, &index);
}

/* Of a series that is never cached: rare events. */
static __always_inline struct series_counters *rare_counters(const struct packed_key *key,
							     __u32 tracepoint, struct who w)
{
	struct subject s = { .key = *key, .who = w };

	return counters_at(slot_index(series_find(&s, tracepoint)));
}

/* What a kind of event says of its series. */
struct kind {
	/* Words that tell its series apart, and each of them; the first two choose the set. */
	int words;
	__u64 (*raw)(void *ctx, int i);
	int (*describe)(void *ctx, struct subject *s);
	/* Out of line, made by KIND() in event.h: counters_find() and failure_list(). */
	struct series_counters *(*find)(void *ctx, __u32 tracepoint);
	int (*list)(void *ctx, __u32 tracepoint, __s32 sent, __s32 drops);
};

/* Where the series of an event is cached, and the words that say where. */
struct place {
	struct series_entry *set;
	__u64 raw[2];
};

static __always_inline struct place place_of(struct series_cpu *here, const struct kind *kind,
					     void *ctx, __u32 tracepoint)
{
	struct place p = {};
	char *base;

	p.raw[0] = kind->raw(ctx, 0);
	if (kind->words > 1)
		p.raw[1] = kind->raw(ctx, 1);
	base = (char *)here + series_set(p.raw[0], low(p.raw[1])) * sizeof(p.set[0]) * SERIES_WAYS;
	/* else the address is computed for every access */
	asm volatile("" : "+r"(base));
	p.set = ((struct series_cpu *)base)->cache[tracepoint].entry[0];
	return p;
}

static __always_inline bool place_holds(const struct place *p, int way, const struct kind *kind,
					void *ctx, __u64 tick)
{
	const struct series_entry *e = &p->set[way];

	if (unlikely(e->tick != tick))
		return false;
#pragma unroll
	for (int i = 0; i < kind->words; i++)
		if (unlikely(e->raw[i] != (i < 2 ? p->raw[i] : kind->raw(ctx, i))))
			return false;
	return true;
}

/* Find or make the series of an event, and cache it. */
static __always_inline struct series_counters *counters_find(const struct kind *kind, void *ctx,
							     __u32 tracepoint)
{
	struct series_entry *set;
	struct subject s = {};
	struct count n;
	struct place p;
	__u32 slot;

	/* its tick is of before the lookup: a slot taken back after it makes the new entry old */
	if (!count_here(&n) || tracepoint >= TP_COUNT)
		return NULL;
	p = place_of(n.here, kind, ctx, tracepoint);
	set = p.set;
	kind->describe(ctx, &s);
	slot = series_find(&s, tracepoint);
	set[1] = set[0];
#pragma unroll
	for (int i = 0; i < kind->words; i++)
		set[0].raw[i] = kind->raw(ctx, i);
	set[0].index = slot_index(slot);
	set[0].tick = n.tick;
	return counters_at(set[0].index);
}

/* The counters of an event's series on this CPU; NULL only to satisfy the verifier. */
static __always_inline struct series_counters *
series_counters(const struct count *n, const struct kind *kind, void *ctx, __u32 tracepoint)
{
	struct place p = place_of(n->here, kind, ctx, tracepoint);

	/* the way filled last comes first */
	if (likely(place_holds(&p, 0, kind, ctx, n->tick)))
		return counters_at(p.set[0].index);
	if (place_holds(&p, 1, kind, ctx, n->tick))
		return counters_at(p.set[1].index);
	return kind->find(ctx, tracepoint);
}

#endif
