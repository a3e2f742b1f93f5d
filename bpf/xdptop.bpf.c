// SPDX-License-Identifier: GPL-2.0-only
/*
 * One program per tracepoint. Prototypes differ between kernels; each program picks its variant
 * by what BTF shows (bpf_core_*_exists), never by a version number. The argument slots in ctx[]
 * are those of TP_PROTO in include/trace/events/xdp.h and net.h.
 */
#include "tp_args.h"

char LICENSE[] SEC("license") = "GPL";

static __always_inline void count_redirect(void *ctx, const struct count *n, __u32 tracepoint,
					   const struct kind *kind)
{
	struct series_counters *c = series_counters(n, kind, ctx, tracepoint);

	if (c)
		c->events++;
	if (kind == &redirect_err || kind == &redirect_err_read)
		failure(n, kind, ctx, tracepoint, 0, 1);
}

/* Two programs each: NAME_read is for verifiers that let `tgt` not be loaded. */
#define REDIRECT_PROGRAM(program, name, tracepoint, kind, suffix)                          \
	static __always_inline void name##_count##suffix(void *ctx, const struct count *n, \
							 __u32 tp)                         \
	{                                                                                  \
		count_redirect(ctx, n, tp, &kind##suffix);                                 \
	}                                                                                  \
	program("tp_btf/" #name, name##suffix, tracepoint, name##_count##suffix)
#define REDIRECT_PROGRAMS(program, name, tracepoint, kind)  \
	REDIRECT_PROGRAM(program, name, tracepoint, kind, ) \
	REDIRECT_PROGRAM(program, name, tracepoint, kind, _read)

REDIRECT_PROGRAMS(PACKET_PROGRAM, xdp_redirect, TP_XDP_REDIRECT, redirect)
REDIRECT_PROGRAMS(COUNT_PROGRAM, xdp_redirect_err, TP_XDP_REDIRECT_ERR, redirect_err)
/* Both left the kernel in 6.17 and have not fired since 5.6. */
REDIRECT_PROGRAMS(COUNT_PROGRAM, xdp_redirect_map, TP_XDP_REDIRECT_MAP, redirect)
REDIRECT_PROGRAMS(COUNT_PROGRAM, xdp_redirect_map_err, TP_XDP_REDIRECT_MAP_ERR, redirect_err)

static __always_inline void count_exception(void *context, const struct count *n, __u32 tracepoint)
{
	struct series_counters *c = series_counters(n, &exception, context, tracepoint);

	if (c)
		c->events++;
	failure(n, &exception, context, tracepoint, 0, 1);
}

COUNT_PROGRAM("tp_btf/xdp_exception", xdp_exception, TP_XDP_EXCEPTION, count_exception)

/*
 * Of a bulk; NULL or the counters, for what else the event says. What was sent is not negative:
 * bq_xmit_all() and its like make 0 of it when there is an err.
 */
static __always_inline struct series_counters *count_bulk(void *ctx, const struct count *n,
							  __u32 tracepoint, const struct kind *kind,
							  __u32 packets, __u32 drops, __s32 err)
{
	struct series_counters *c = series_counters(n, kind, ctx, tracepoint);

	if (likely(c)) {
		c->events++;
		c->packets += packets;
		c->drops += drops;
	}
	if (unlikely(drops | err))
		failure(n, kind, ctx, tracepoint, packets, drops);
	return c;
}

static __always_inline void count_devmap_xmit(void *context, const struct count *n,
					      __u32 tracepoint)
{
	__u64 *ctx = context;

	count_bulk(ctx, n, tracepoint, &devmap, ARG(2), ARG(3), ARG(4));
}

COUNT_PROGRAM("tp_btf/xdp_devmap_xmit", xdp_devmap_xmit, TP_XDP_DEVMAP_XMIT, count_devmap_xmit)

static __always_inline void count_bulk_tx(void *context, const struct count *n, __u32 tracepoint)
{
	__u64 *ctx = context;

	count_bulk(ctx, n, tracepoint, &bulk_tx, ARG(1), ARG(2), ARG(3));
}

COUNT_PROGRAM("tp_btf/xdp_bulk_tx", xdp_bulk_tx, TP_XDP_BULK_TX, count_bulk_tx)

static __always_inline void count_enqueue(void *context, const struct count *n, __u32 tracepoint)
{
	__u64 *ctx = context;

	count_bulk(ctx, n, tracepoint, &enqueue, ARG(1), ARG(2), 0);
}

COUNT_PROGRAM("tp_btf/xdp_cpumap_enqueue", xdp_cpumap_enqueue, TP_XDP_CPUMAP_ENQUEUE, count_enqueue)

static __always_inline void count_kthread(void *context, const struct count *n, __u32 tracepoint)
{
	__u64 *ctx = context;
	struct series_counters *c = count_bulk(ctx, n, tracepoint, &kthread, ARG(1), ARG(2), 0);

	if (!c)
		return;
	c->sched += !!(int)ARG(3);
	if (bpf_core_type_exists(struct xdp_cpumap_stats)) {
		const struct xdp_cpumap_stats *s = (void *)ARG(4);

		c->xdp_pass += s->pass;
		c->xdp_drop += s->drop;
		c->xdp_redirect += s->redirect;
	}
}

COUNT_PROGRAM("tp_btf/xdp_cpumap_kthread", xdp_cpumap_kthread, TP_XDP_CPUMAP_KTHREAD, count_kthread)

/* How many packets the stack will make of this skb; 0 in gso_segs means one. */
static __always_inline __u32 skb_segments(const struct sk_buff *skb)
{
	void *info = (void *)(skb->head + skb->end);
	__u16 segs = 0;

	if (bpf_rdonly_cast)
		segs = ((struct skb_shared_info *)bpf_rdonly_cast(
				info, bpf_core_type_id_kernel(struct skb_shared_info)))
			       ->gso_segs;
	else
		bpf_core_read(&segs, sizeof(segs), &((struct skb_shared_info *)info)->gso_segs);
	return segs ?: 1;
}

static __always_inline void count_queue(void *context, const struct count *n, __u32 tracepoint)
{
	struct series_counters *c = series_counters(n, &queue, context, tracepoint);
	__u64 *ctx = context;
	const struct sk_buff *skb = (void *)ARG(0);

	if (c) {
		c->events++;
		c->packets += skb_segments(skb);
		c->bytes += skb->len;
	}
}

COUNT_PROGRAM("tp_btf/net_dev_queue", net_dev_queue, TP_NET_DEV_QUEUE, count_queue)

/* Runs in the context of the process whose attach failed; the tracepoint names no device. */
static __noinline int attach_failed(__u64 *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct series_counters *c;
	struct series_event *e;
	struct packed_key key;

	key = pack(BPF_CORE_READ(task, nsproxy, net_ns, ns.inum), 0, 0, 0, 0, 0, 0, 0);
	c = rare_counters(&key, TP_LINK_ATTACH_FAILED, (struct who){});
	if (c)
		c->events++;
	e = event_new(TP_LINK_ATTACH_FAILED, &key);
	if (e) {
		e->pid = bpf_get_current_pid_tgid() >> 32;
		bpf_get_current_comm(e->comm, sizeof(e->comm));
		/* msg is NULL where the driver gave no reason: the text then stays empty */
		bpf_probe_read_kernel_str(e->text, sizeof(e->text), (void *)ARG(0));
		bpf_ringbuf_submit(e, 0);
	}
	return 0;
}

static __always_inline void count_attach_failed(void *ctx, const struct count *n, __u32 tracepoint)
{
	attach_failed(ctx);
}

COUNT_PROGRAM("tp_btf/bpf_xdp_link_attach_failed", bpf_xdp_link_attach_failed,
	      TP_LINK_ATTACH_FAILED, count_attach_failed)

/* mem_disconnect names only mem.id: remember whose it was. */
struct mem_owner {
	struct packed_key key;
	char ifname[SERIES_NAME_LEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct mem_owner);
} mem_owners SEC(".maps");

static __noinline int connected(__u64 *ctx)
{
	const struct xdp_mem_allocator *xa = (void *)ARG(0);
	const struct xdp_rxq_info *rxq = (void *)ARG(1);
	const struct net_device *dev = rxq->dev;
	struct mem_owner owner = {};
	struct series_counters *c;
	struct series_event *e;
	__u32 id = xa->mem.id;

	owner.key = pack(netns_of(dev), dev->ifindex, 0, 0, 0, 0, 0, 0);
	bpf_core_read(owner.ifname, sizeof(owner.ifname), &dev->name);
	bpf_map_update_elem(&mem_owners, &id, &owner, BPF_ANY);
	c = rare_counters(&owner.key, TP_MEM_CONNECT, (struct who){ .dev = dev });
	if (c)
		c->events++;
	e = event_new(TP_MEM_CONNECT, &owner.key);
	if (e) {
		e->queue = rxq->queue_index;
		e->mem_type = xa->mem.type;
		e->mem_id = id;
		__builtin_memcpy(e->ifname, owner.ifname, sizeof(e->ifname));
		bpf_ringbuf_submit(e, 0);
	}
	return 0;
}

static __always_inline void count_connect(void *ctx, const struct count *n, __u32 tracepoint)
{
	connected(ctx);
}

COUNT_PROGRAM("tp_btf/mem_connect", mem_connect, TP_MEM_CONNECT, count_connect)

static __noinline int disconnected(__u64 *ctx)
{
	const struct xdp_mem_allocator *xa = (void *)ARG(0);
	struct packed_key key = {};
	struct series_counters *c;
	struct mem_owner *owner;
	struct series_event *e;
	__u32 id = xa->mem.id;

	owner = bpf_map_lookup_elem(&mem_owners, &id);
	if (owner)
		key = owner->key;
	c = rare_counters(&key, TP_MEM_DISCONNECT,
			  (struct who){ .ifname = owner ? owner->ifname : NULL });
	if (c)
		c->events++;
	e = event_new(TP_MEM_DISCONNECT, &key);
	if (e) {
		e->mem_type = xa->mem.type;
		e->mem_id = id;
		if (owner)
			__builtin_memcpy(e->ifname, owner->ifname, sizeof(e->ifname));
		bpf_ringbuf_submit(e, 0);
	}
	if (owner)
		bpf_map_delete_elem(&mem_owners, &id);
	return 0;
}

static __always_inline void count_disconnect(void *ctx, const struct count *n, __u32 tracepoint)
{
	disconnected(ctx);
}

COUNT_PROGRAM("tp_btf/mem_disconnect", mem_disconnect, TP_MEM_DISCONNECT, count_disconnect)

/*
 * Tracepoints that BTF shows and the registry does not know: events only. The attach target is set
 * before load; the slot of such a tracepoint is its overflow slot.
 */
static __always_inline void count_other(void *ctx, const struct count *n, __u32 tracepoint)
{
	struct series_counters *c = counters_at(slot_index(tracepoint));

	if (c)
		c->events++;
}

COUNT_PROGRAM("tp_btf/xdp_exception", other_0, TP_OTHER, count_other)
COUNT_PROGRAM("tp_btf/xdp_exception", other_1, TP_OTHER + 1, count_other)
COUNT_PROGRAM("tp_btf/xdp_exception", other_2, TP_OTHER + 2, count_other)
COUNT_PROGRAM("tp_btf/xdp_exception", other_3, TP_OTHER + 3, count_other)

/* Empty: attached for a moment to see whether attaching works with the privileges left. */
SEC("tp_btf/xdp_exception")
int capability_check(void *ctx)
{
	return 0;
}
