/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common to the programs that follow events: whether an event matches, and its slot in the ring.
 * They count only their own events, and are attached only while something is followed.
 *
 * Each counter is per CPU and written by one program only, as in series_cache.h, so plain adds are
 * exact, and matched = in the ring + lost. The programs that write one ring do not interrupt each
 * other on its CPU (bind_rings() in src/tracing/follow_rings.c).
 *
 * The includer defines load_names(), which loads the names into zeroed words. For `cast` see
 * TYPED() in tp_args.h.
 */
#ifndef XDPTOP_BPF_FOLLOW_RING_H
#define XDPTOP_BPF_FOLLOW_RING_H

#include <stdbool.h>
#include "follow.h"
#include "meter.h"
#include "series_identity.h"

/* The names that are compared: device, target, program. */
struct follow_names {
	__u64 word[FOLLOW_WORDS - FOLLOW_KEY_WORDS];
};

static __always_inline void load_names(struct follow_names *to, const struct name_sources *from,
				       bool cast);

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

/* Which events match. User space writes these while nothing is followed. */
struct follow_choices follow_choices = {};
struct follow_first follow_first = {};

/* NULL only to satisfy the verifier. */
static __always_inline struct follow_count *follow_count(__u32 tracepoint)
{
	__u32 id = bpf_get_smp_processor_id();
	struct follow_cpu *cpu = bpf_map_lookup_elem(&follow_cpus, &id);

	return cpu ? &cpu->count[tracepoint] : NULL;
}

/* 0 = equal. No branch for each word, because the verifier would check every path. */
static __always_inline __u64 key_differs(const struct follow_choice *c,
					 const struct packed_key *key)
{
	__u64 differs = 0;

#pragma unroll
	for (int i = 0; i < FOLLOW_KEY_WORDS; i++)
		differs |= (key->q[i] & c->mask[i]) ^ c->value[i];
	return differs;
}

static __always_inline __u64 names_differ(const struct follow_choice *c,
					  const struct follow_names *names)
{
	__u64 differs = 0;

#pragma unroll
	for (int i = 0; i < FOLLOW_WORDS - FOLLOW_KEY_WORDS; i++)
		differs |= (names->word[i] & c->mask[FOLLOW_KEY_WORDS + i]) ^
			   c->value[FOLLOW_KEY_WORDS + i];
	return differs;
}

/* The same for several choices, or for choices that compare names. */
static __always_inline bool choices_match(const struct series_identity *id, bool cast)
{
	struct follow_names names = {};
	__u32 n = follow_choices.n;

	load_names(&names, &id->names, cast);
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < FOLLOW_CHOICES && i < n; i++) {
		const struct follow_choice *c = &follow_choices.choice[i];

		if (!(key_differs(c, &id->key) | names_differ(c, &names)))
			return true;
	}
	return false;
}

static __always_inline bool is_meant(const struct series_identity *id, bool cast)
{
	if (unlikely(follow_choices.n > 1 || follow_choices.by_name))
		return choices_match(id, cast);
	/* without a choice all words are 0 */
	return !key_differs(&follow_choices.choice[0], &id->key);
}

/* Whether an event may match, before its key is built. */
static __always_inline bool may_match(__u32 ifindex, __u32 code)
{
	return !(((ifindex & follow_first.ifindex_mask) ^ follow_first.ifindex) |
		 ((code & follow_first.code_mask) ^ follow_first.code));
}

static __always_inline struct follow_ring *follow_ring(struct follow_count *count, __u32 tracepoint)
{
	struct follow_cpu *cpu = (void *)(count - tracepoint);

	return &cpu->ring[count->ring & (FOLLOW_RINGS - 1)];
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
 * The slot for the event, with all but its arguments set; NULL = no match, or the ring is full.
 * `cast` is for load_names().
 */
static __always_inline struct follow_event *follow_new(struct follow_count *count, __u32 tracepoint,
						       const struct series_identity *id, bool cast)
{
	struct follow_event *e;

	if (!is_meant(id, cast))
		return NULL;
	e = next_slot(follow_ring(count, tracepoint));
	if (unlikely(!e)) {
		count->lost++;
		return NULL;
	}
	e->ktime_ns = bpf_ktime_get_ns();
	e->lost = count->lost;
	e->tracepoint = tracepoint;
	__builtin_memcpy(&e->key, &id->key, sizeof(e->key));
	__builtin_memset(e->ifname, 0, sizeof(struct follow_names));
	load_names((struct follow_names *)e->ifname, &id->names, cast);
	e->pid = 0;
	return e;
}

/*
 * Publish the complete event. No release order: BPF has none before 6.15, and user space waits
 * where it needs one. User space polls, because a wakeup would cost more than the rest.
 */
static __always_inline void follow_submit(struct follow_count *count, __u32 tracepoint)
{
	struct follow_ring *r = follow_ring(count, tracepoint);
	__u32 at = r->at + 1;

	r->at = at < r->slots ? at : 0;
	barrier();
	r->written++;
}

/* How a program follows an event. It is a compile-time constant, so that it is inlined. */
typedef void (*follow_fn)(void *ctx, struct follow_count *count, __u32 tracepoint);

static __always_inline int follow_event(void *ctx, struct follow_count *count, __u32 tracepoint,
					follow_fn follow)
{
	/* 0, but unknown to the verifier, which would otherwise check two paths to the end */
	__u64 started = count->zero, end;

	if (unlikely((++count->events & (TIMED_EVERY - 1)) == TIMED_FIRST))
		started = bpf_ktime_get_ns();
	follow(ctx, count, tracepoint);
	if (unlikely(started)) {
		end = bpf_ktime_get_ns();
		count->timed_ns += end - started;
		count->timed++;
	}
	return 0;
}

#endif
