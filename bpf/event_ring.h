/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports events through the ring buffer: every rare event, and a few failures a second. Packets
 * that do not fail never get here.
 */
#pragma once

#include "series_cache.h"

/* At most one failure per tracepoint, CPU and round of 2^6 jiffies: 0.06 s at HZ=1000, 0.26 s at
 * HZ=250. */
#define ROUND_JIFFIES_LOG 6

static __always_inline void event_init(struct series_event *e, __u32 tracepoint,
				       const struct packed_key *key)
{
	__builtin_memset(e, 0, sizeof(*e));
	e->ktime_ns = bpf_ktime_get_ns();
	e->tracepoint = tracepoint;
	e->cpu = bpf_get_smp_processor_id();
	__builtin_memcpy(&e->key, key, sizeof(e->key));
}

/* Reserve a rare event and set its common fields; NULL = the ring is full. */
static __always_inline struct series_event *event_new(__u32 tracepoint,
						      const struct packed_key *key)
{
	struct series_event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (e)
		event_init(e, tracepoint, key);
	else if (tracepoint < TP_COUNT)
		__sync_fetch_and_add(&events_lost[tracepoint], 1);
	return e;
}

/* Whether to report a failure. If not, it is counted as left out. Reads no clock but jiffies. */
static __always_inline bool failure_due(const struct cpu_ctx *cc, __u32 tracepoint)
{
	struct failure_limit *limit = &cc->cpu->failures[tracepoint];

	if (unlikely(limit->round != (__u32)(cc->jiffy >> ROUND_JIFFIES_LOG)))
		return true;
	if (limit->left_out != 0xffffffff)
		limit->left_out++;
	return false;
}

/* Report a failure that is due. Half of the ring is reserved for rare events. */
static __always_inline int failure_report(const struct key_ops *ops, void *ctx, __u32 tracepoint,
					  __s32 sent, __s32 drops)
{
	struct series_event *e = NULL;
	struct series_identity id = {};
	struct failure_limit *limit;
	struct cpu_ctx cc;

	if (!cpu_ctx_init(&cc) || tracepoint >= TP_COUNT)
		return 0;
	limit = &cc.cpu->failures[tracepoint];
	if (bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) < EVENTS_SIZE / 2)
		e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		if (limit->left_out != 0xffffffff)
			limit->left_out++;
		return 0;
	}
	ops->describe(ctx, &id);
	event_init(e, tracepoint, &id.key);
	e->left_out = limit->left_out;
	e->sent = sent;
	e->drops = drops;
	limit->round = cc.jiffy >> ROUND_JIFFIES_LOG;
	limit->left_out = 0;
	capture_names(&id.names, e->ifname, e->to_ifname, e->prog_name);
	bpf_ringbuf_submit(e, 0);
	return 0;
}

/* Report a failure if one is due. A single packet has `sent` 0 and `drops` 1. */
static __always_inline void failure(const struct cpu_ctx *cc, const struct key_ops *ops, void *ctx,
				    __u32 tracepoint, __s32 sent, __s32 drops)
{
	if (failure_due(cc, tracepoint))
		ops->report(ctx, tracepoint, sent, drops);
}

/* A count_fn for events that are only counted. */
static __always_inline void count_plain(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint,
					const struct key_ops *ops)
{
	struct series_counters *c = series_counters(cc, ops, ctx, tracepoint);

	if (c)
		c->events++;
}

/*
 * Define the key_ops `name` and its noinline functions, like DEFINE_SHOW_ATTRIBUTE() in
 * linux/seq_file.h. `tag`, `describe` and `follow` are functions.
 */
#define DEFINE_KEY_OPS(name, words, tag, describe, follow)                                         \
	static __noinline struct series_counters *name##_miss(void *ctx, __u32 tracepoint);        \
	static __noinline int name##_report(void *ctx, __u32 tracepoint, __s32 sent, __s32 drops); \
	static const struct key_ops name = { words,       tag,           describe,                 \
					     name##_miss, name##_report, follow };                 \
	static __noinline struct series_counters *name##_miss(void *ctx, __u32 tracepoint)         \
	{                                                                                          \
		return counters_miss(&name, ctx, tracepoint);                                      \
	}                                                                                          \
	static __noinline int name##_report(void *ctx, __u32 tracepoint, __s32 sent, __s32 drops)  \
	{                                                                                          \
		return failure_report(&name, ctx, tracepoint, sent, drops);                        \
	}
