/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is listed one by one, through the ring buffer: rare events all, failures a few a second.
 * Nothing of this is on a successful packet's path.
 */
#ifndef XDPTOP_EVENT_H
#define XDPTOP_EVENT_H

#include "series_cache.h"

/* A round of listing: 2^6 ticks are 0.06 s at HZ=1000, 0.26 s at 250, 0.64 s at 100. */
#define ROUND_TICKS_LOG 6

static __always_inline void event_set(struct series_event *e, __u32 tracepoint,
				      const struct packed_key *key)
{
	__builtin_memset(e, 0, sizeof(*e));
	e->ktime_ns = bpf_ktime_get_ns();
	e->tracepoint = tracepoint;
	e->cpu = bpf_get_smp_processor_id();
	__builtin_memcpy(&e->key, key, sizeof(e->key));
}

/* A rare event for the ring, filled with what every kind has; NULL when the ring is full. */
static __always_inline struct series_event *event_new(__u32 tracepoint,
						      const struct packed_key *key)
{
	struct series_event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (e)
		event_set(e, tracepoint, key);
	else
		__sync_fetch_and_add(&events_lost, 1);
	return e;
}

/*
 * A failure may be one of millions: of each tracepoint on each CPU one in a round is listed, while
 * at least half of the ring is free; the others are left out, and how many goes with the next one.
 * The tick is a plain load: no clock is read for what is left out.
 */
static __always_inline bool failure_due(const struct count *n, __u32 tracepoint)
{
	struct series_listing *l = &n->here->listing[tracepoint];

	if (unlikely(l->round != (__u32)(n->tick >> ROUND_TICKS_LOG)))
		return true;
	if (l->left_out != 0xffffffff)
		l->left_out++;
	return false;
}

/* List one that is due. */
static __always_inline int failure_list(const struct kind *kind, void *ctx, __u32 tracepoint,
					__s32 sent, __s32 drops)
{
	struct series_event *e = NULL;
	struct series_listing *l;
	struct subject s = {};
	struct count n;

	if (!count_here(&n) || tracepoint >= TP_COUNT)
		return 0;
	l = &n.here->listing[tracepoint];
	if (bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) < EVENTS_SIZE / 2)
		e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		if (l->left_out != 0xffffffff)
			l->left_out++;
		return 0;
	}
	kind->describe(ctx, &s);
	event_set(e, tracepoint, &s.key);
	e->left_out = l->left_out;
	e->sent = sent;
	e->drops = drops;
	l->round = n.tick >> ROUND_TICKS_LOG;
	l->left_out = 0;
	who_names(&s.who, e->ifname, e->to_ifname, e->prog_name);
	bpf_ringbuf_submit(e, 0);
	return 0;
}

/* Something failed; arguments as for series_counters(). */
static __always_inline void failure(const struct count *n, const struct kind *kind, void *ctx,
				    __u32 tracepoint, __s32 sent, __s32 drops)
{
	if (failure_due(n, tracepoint))
		kind->list(ctx, tracepoint, sent, drops);
}

/*
 * A kind by the name `name`. What calls is out of line: what the compiler keeps in registers for
 * it would be saved and restored for every event.
 */
#define KIND(name, words, raw, describe)                                                         \
	static __noinline struct series_counters *name##_find(void *ctx, __u32 tracepoint);      \
	static __noinline int name##_list(void *ctx, __u32 tracepoint, __s32 sent, __s32 drops); \
	static const struct kind name = { words, raw, describe, name##_find, name##_list };      \
	static __noinline struct series_counters *name##_find(void *ctx, __u32 tracepoint)       \
	{                                                                                        \
		return counters_find(&name, ctx, tracepoint);                                    \
	}                                                                                        \
	static __noinline int name##_list(void *ctx, __u32 tracepoint, __s32 sent, __s32 drops)  \
	{                                                                                        \
		return failure_list(&name, ctx, tracepoint, sent, drops);                        \
	}

#endif
