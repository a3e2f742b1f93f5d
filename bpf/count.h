/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting: from a key to the counters of its series on this CPU.
 *
 * The packet's path is: one array lookup for this CPU's cache, eight compares, one array lookup
 * for the counters. A hash lookup happens only when the key differs from the last one of the same
 * tracepoint on this CPU; an allocation only when a series is seen for the first time.
 *
 * Every struct series_cache and every counter slot is written by one program only, and the kernel
 * guards a tracing program against itself per CPU, so plain adds are exact (KERNEL facts: they are
 * not against *another* program's writes, hence no sharing).
 */
#ifndef XDPTOP_COUNT_H
#define XDPTOP_COUNT_H

#include "kernel.h"
#include "series.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Set before load: slots per CPU (TP_COUNT for overflow, then the series). */
const volatile __u32 slots = 1;
/* Set before load: 1 where tp_btf may read the `const void *tgt` argument (6.16+ verifiers). */
const volatile __u32 direct_tgt = 0;

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

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} events SEC(".maps");

/* Where the names of a new series come from; NULL = has none. */
struct who {
	const struct net_device *dev;
	const struct net_device *to;
	const struct bpf_prog *prog;
	const char *ifname; /* where the device itself is not at hand */
};

struct timing {
	__u64 start, warm;
};

/* One in so many events is timed; not the first ones, which pay for cold caches. */
#define TIMED_EVERY 1024
#define TIMED_FIRST 7

static __always_inline struct series_cache *count_begin(__u32 tracepoint, struct timing *t)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct series_cpu *here = bpf_map_lookup_elem(&cpus, &cpu);
	struct series_cache *c;

	t->start = 0;
	if (!here)
		return NULL;
	c = &here->tp[tracepoint];
	if (unlikely((c->events++ & (TIMED_EVERY - 1)) == TIMED_FIRST)) {
		t->start = bpf_ktime_get_ns();
		t->warm = bpf_ktime_get_ns(); /* what the clock itself takes is taken off again */
	}
	return c;
}

static __always_inline void count_end(struct series_cache *c, const struct timing *t)
{
	__u64 clock, inside;

	if (likely(!t->start))
		return;
	inside = bpf_ktime_get_ns() - t->warm;
	clock = t->warm - t->start;
	c->timed_ns += inside > clock ? inside - clock : 0;
	c->timed++;
}

static __always_inline bool key_equal(const struct series_key *a, const struct series_key *b)
{
	return a->netns == b->netns && a->ifindex == b->ifindex && a->target == b->target &&
	       a->prog_id == b->prog_id && a->map_id == b->map_id && a->to_netns == b->to_netns &&
	       a->map_type == b->map_type && a->code == b->code;
}

/* A series seen for the first time: take a slot and write down who it is. Returns the slot, or
 * the tracepoint's overflow slot when the table is full. */
static __noinline __u32 series_new(const struct index_key *k, const struct who *w)
{
	/* locals, because CO-RE would relocate the path through struct who as well */
	const struct net_device *dev = w->dev, *to = w->to;
	const struct bpf_prog *prog = w->prog;
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
	if (dev)
		bpf_core_read(info->ifname, sizeof(info->ifname), &dev->name);
	if (w->ifname)
		bpf_probe_read_kernel(info->ifname, sizeof(info->ifname), w->ifname);
	if (to)
		bpf_core_read(info->to_ifname, sizeof(info->to_ifname), &to->name);
	if (prog) {
		const struct bpf_prog_aux *aux = NULL;

		bpf_core_read(&aux, sizeof(aux), &prog->aux);
		if (aux)
			bpf_core_read(info->prog_name, sizeof(info->prog_name), &aux->name);
	}
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

static __noinline void cache_miss(struct series_cache *c, const struct series_key *key,
				  __u32 tracepoint, const struct who *w)
{
	struct index_key k = { .key = *key, .tracepoint = tracepoint };
	/* Read before the lookup: a slot taken back after this makes the cached entry stale. */
	__u32 now = *(volatile __u32 *)&epoch;
	__u32 *slot = bpf_map_lookup_elem(&slot_of, &k);

	c->slot = slot ? *slot : series_new(&k, w);
	c->key = *key;
	c->epoch = now;
}

/* The counters of a slot on this CPU; NULL only to satisfy the verifier. */
static __always_inline struct series_counters *slot_counters(__u32 slot)
{
	__u32 i = bpf_get_smp_processor_id() * slots + slot;

	return bpf_map_lookup_elem(&counts, &i);
}

static __always_inline struct series_counters *series_counters(struct series_cache *c,
							       const struct series_key *key,
							       __u32 tracepoint,
							       const struct who *w)
{
	if (unlikely(!key_equal(&c->key, key) || c->epoch != epoch))
		cache_miss(c, key, tracepoint, w);
	return slot_counters(c->slot);
}

static __always_inline __u32 netns_of(const struct net_device *dev)
{
	if (!bpf_core_field_exists(dev->nd_net.net))
		return 0;
	return dev->nd_net.net->ns.inum;
}

#endif
