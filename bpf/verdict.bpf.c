// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts what an XDP program returned, by RX queue: --verdicts. src/tracing/verdict_tracer.c loads
 * it once for each program, with a map of its own, and attaches it at the end (fexit) of that
 * program's main function.
 *
 * Fast path: one array lookup for this CPU's memory, and a compare with a cache entry, whose tag is
 * two pointers. In a fexit program the verifier guards each load through a pointer with nine
 * instructions on x86 (do_jit(), BPF_PROBE_MEM), so the queue's identity is read only on a miss,
 * once per jiffy. bpf/series_cache.h explains why a pointer is trusted for a jiffy. A program does
 * not run inside itself on one CPU (__bpf_prog_enter_recur()), so plain adds are exact.
 */
#include "verdict_packet.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* possible CPU ids */
	__type(key, __u32);
	__type(value, struct verdict_cpu);
} verdicts SEC(".maps");

/*
 * Publish the fields that were written before: user space reads them when `used` is set. Before
 * 5.12 an atomic operation cannot return the old value. Such kernels trace on x86 only, where each
 * atomic operation is a full barrier.
 */
static __always_inline void publish(struct verdict_queue *q)
{
#ifdef __TARGET_ARCH_x86
	__sync_fetch_and_add(&q->used, 1);
#else
	__sync_lock_test_and_set(&q->used, 1);
#endif
}

/* Find the place of a queue, or give it a free one. */
static __always_inline __u32 find_place(struct verdict_cpu *cpu, __u32 netns, __u32 ifindex,
					__u32 queue)
{
	for (__u32 i = 0; i < VERDICT_PROBES; i++) {
		/* one program may run for devices with adjacent ifindexes */
		__u32 place = (ifindex * 37 + queue + i) % VERDICT_QUEUES;
		struct verdict_queue *q = &cpu->queue[place];

		/* barrier: without it clang recomputes the address for each access */
		asm volatile("" : "+r"(q));
		if (!q->used) {
			q->netns = netns;
			q->ifindex = ifindex;
			q->queue = queue;
			publish(q);
			return place;
		}
		if (q->ifindex == ifindex && q->queue == queue && q->netns == netns)
			return place;
	}
	return VERDICT_REST;
}

static __noinline __u32 cache_miss(struct verdict_cpu *cpu, struct verdict_entry *e,
				   const struct xdp_buff *xdp, __u64 jiffy)
{
	const struct xdp_rxq_info *rxq = xdp->rxq;
	const struct net_device *dev = rxq->dev;

	e->place = find_place(cpu, dev->nd_net.net->ns.inum, dev->ifindex, rxq->queue_index);
	e->rxq = (__u64)rxq;
	e->dev = (__u64)dev;
	e->jiffy = jiffy;
	return e->place;
}

static __always_inline void count(struct verdict_cpu *cpu, const struct xdp_buff *xdp, __u64 ret)
{
	const struct xdp_rxq_info *rxq = xdp->rxq;
	/* the fraction of the golden ratio spreads rxqs, which lie at equal distances */
	struct verdict_entry *e =
		&cpu->cache[low((__u64)rxq) * 0x9e3779b1U >> (32 - VERDICT_CACHE_LOG)];
	__u64 jiffy = bpf_jiffies64();
	__u32 act = verdict_act(ret), place;
	struct verdict_counters *c;

	asm volatile("" : "+r"(e));
	place = e->place;
	if (unlikely(e->rxq != (__u64)rxq || e->dev != (__u64)rxq->dev || e->jiffy != jiffy))
		place = cache_miss(cpu, e, xdp, jiffy);
	if (place > VERDICT_REST)
		return;
	c = &cpu->queue[place].act[act];
	asm volatile("" : "+r"(c));
	c->packets++;
	c->bytes += packet_length(xdp);
}

/* User space sets the attach target. */
SEC("fexit/verdict_trial")
int verdict(__u64 *ctx)
{
	__u32 id = bpf_get_smp_processor_id();
	struct verdict_cpu *cpu = bpf_map_lookup_elem(&verdicts, &id);
	__u64 started = 0, end;

	if (!cpu)
		return 0;
	if (unlikely((++cpu->events & (TIMED_EVERY - 1)) == TIMED_FIRST))
		started = bpf_ktime_get_ns();
	count(cpu, (struct xdp_buff *)ctx[0], ctx[1]);
	if (unlikely(started)) {
		end = bpf_ktime_get_ns();
		cpu->timed_ns += end - started;
		cpu->timed++;
	}
	return 0;
}

/* Traced at the start, to learn whether this kernel allows it. */
SEC("xdp")
int verdict_trial(struct xdp_md *ctx)
{
	return XDP_PASS;
}
