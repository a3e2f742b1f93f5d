// SPDX-License-Identifier: GPL-2.0-only
/* One program per tracepoint, for kernels with BTF. Prototypes and key extractors: tp_args.h. */
#include "tp_args.h"

char LICENSE[] SEC("license") = "GPL";

static __always_inline void redirect_event(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint,
					   const struct key_ops *ops)
{
	struct series_counters *c = series_counters(cc, ops, ctx, tracepoint);

	if (c)
		c->events++;
}

static __always_inline void redirect_failed(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint,
					    const struct key_ops *ops)
{
	redirect_event(ctx, cc, tracepoint, ops);
	failure(cc, ops, ctx, tracepoint, 0, 1);
}

static __always_inline void count_redirect(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint)
{
	redirect_event(ctx, cc, tracepoint, &redirect_ops);
}

static __always_inline void count_redirect_read(void *ctx, const struct cpu_ctx *cc,
						__u32 tracepoint)
{
	redirect_event(ctx, cc, tracepoint, &redirect_read_ops);
}

static __always_inline void count_redirect_err(void *ctx, const struct cpu_ctx *cc,
					       __u32 tracepoint)
{
	redirect_failed(ctx, cc, tracepoint, &redirect_err_ops);
}

static __always_inline void count_redirect_err_read(void *ctx, const struct cpu_ctx *cc,
						    __u32 tracepoint)
{
	redirect_failed(ctx, cc, tracepoint, &redirect_err_read_ops);
}

/*
 * In xdp_redirect each nanosecond counts. Timed events run a noinline copy of the program, so that
 * the fast path has no code for the clock. The verifier takes twice as long.
 */
static __noinline int xdp_redirect_timed(void *ctx)
{
	count_timed(ctx, TP_XDP_REDIRECT, count_redirect);
	return 0;
}

SEC("tp_btf/xdp_redirect")
int xdp_redirect(void *ctx)
{
	struct cpu_ctx cc;

	if (!cpu_ctx_init(&cc))
		return 0;
	if (unlikely(meter_event(&cc, TP_XDP_REDIRECT)))
		return xdp_redirect_timed(ctx);
	count_redirect(ctx, &cc, TP_XDP_REDIRECT);
	return 0;
}

/* NAME_read is loaded instead of NAME where the verifier refuses to load tgt (tp_args.h). */
static __noinline int xdp_redirect_read_timed(void *ctx)
{
	count_timed(ctx, TP_XDP_REDIRECT, count_redirect_read);
	return 0;
}

SEC("tp_btf/xdp_redirect")
int xdp_redirect_read(void *ctx)
{
	struct cpu_ctx cc;

	if (!cpu_ctx_init(&cc))
		return 0;
	if (unlikely(meter_event(&cc, TP_XDP_REDIRECT)))
		return xdp_redirect_read_timed(ctx);
	count_redirect_read(ctx, &cc, TP_XDP_REDIRECT);
	return 0;
}

SEC("tp_btf/xdp_redirect_err")
int xdp_redirect_err(void *ctx)
{
	return count_event(ctx, TP_XDP_REDIRECT_ERR, count_redirect_err);
}

SEC("tp_btf/xdp_redirect_err")
int xdp_redirect_err_read(void *ctx)
{
	return count_event(ctx, TP_XDP_REDIRECT_ERR, count_redirect_err_read);
}

/* xdp_redirect_map and xdp_redirect_map_err: silent since 5.6, removed in 6.17. */
SEC("tp_btf/xdp_redirect_map")
int xdp_redirect_map(void *ctx)
{
	return count_event(ctx, TP_XDP_REDIRECT_MAP, count_redirect);
}

SEC("tp_btf/xdp_redirect_map")
int xdp_redirect_map_read(void *ctx)
{
	return count_event(ctx, TP_XDP_REDIRECT_MAP, count_redirect_read);
}

SEC("tp_btf/xdp_redirect_map_err")
int xdp_redirect_map_err(void *ctx)
{
	return count_event(ctx, TP_XDP_REDIRECT_MAP_ERR, count_redirect_err);
}

SEC("tp_btf/xdp_redirect_map_err")
int xdp_redirect_map_err_read(void *ctx)
{
	return count_event(ctx, TP_XDP_REDIRECT_MAP_ERR, count_redirect_err_read);
}

static __always_inline void count_exception(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint)
{
	struct series_counters *c = series_counters(cc, &exception_ops, ctx, tracepoint);

	if (c)
		c->events++;
	failure(cc, &exception_ops, ctx, tracepoint, 0, 1);
}

SEC("tp_btf/xdp_exception")
int xdp_exception(void *ctx)
{
	return count_event(ctx, TP_XDP_EXCEPTION, count_exception);
}

/*
 * Count a bulk. Returns its counters, for what else the event has, or NULL. `packets` is not
 * negative: bq_xmit_all() in kernel/bpf/devmap.c and its like set it to 0 when there is an err.
 */
static __always_inline struct series_counters *bulk_event(void *ctx, const struct cpu_ctx *cc,
							  __u32 tracepoint,
							  const struct key_ops *ops, __u32 packets,
							  __u32 drops, __s32 err)
{
	struct series_counters *c = series_counters(cc, ops, ctx, tracepoint);

	if (likely(c)) {
		c->events++;
		c->packets += packets;
		c->drops += drops;
	}
	if (unlikely(drops | err))
		failure(cc, ops, ctx, tracepoint, packets, drops);
	return c;
}

static __always_inline void count_devmap_xmit(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint)
{
	const struct devmap_xmit_args *args = ctx;

	bulk_event(ctx, cc, tracepoint, &devmap_xmit_ops, ARG(args, sent), ARG(args, drops),
		   ARG(args, err));
}

SEC("tp_btf/xdp_devmap_xmit")
int xdp_devmap_xmit(void *ctx)
{
	return count_event(ctx, TP_XDP_DEVMAP_XMIT, count_devmap_xmit);
}

static __always_inline void count_bulk_tx(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint)
{
	const struct bulk_tx_args *args = ctx;

	bulk_event(ctx, cc, tracepoint, &bulk_tx_ops, ARG(args, sent), ARG(args, drops),
		   ARG(args, err));
}

SEC("tp_btf/xdp_bulk_tx")
int xdp_bulk_tx(void *ctx)
{
	return count_event(ctx, TP_XDP_BULK_TX, count_bulk_tx);
}

static __always_inline void count_cpumap_enqueue(void *ctx, const struct cpu_ctx *cc,
						 __u32 tracepoint)
{
	const struct cpumap_enqueue_args *args = ctx;

	bulk_event(ctx, cc, tracepoint, &cpumap_enqueue_ops, ARG(args, processed), ARG(args, drops),
		   0);
}

SEC("tp_btf/xdp_cpumap_enqueue")
int xdp_cpumap_enqueue(void *ctx)
{
	return count_event(ctx, TP_XDP_CPUMAP_ENQUEUE, count_cpumap_enqueue);
}

static __always_inline void count_cpumap_kthread(void *ctx, const struct cpu_ctx *cc,
						 __u32 tracepoint)
{
	const struct cpumap_kthread_args *args = ctx;
	struct series_counters *c = bulk_event(ctx, cc, tracepoint, &cpumap_kthread_ops,
					       ARG(args, processed), ARG(args, drops), 0);

	if (!c)
		return;
	c->sched += !!ARG(args, sched);
	if (bpf_core_type_exists(struct xdp_cpumap_stats)) {
		const struct xdp_cpumap_stats *s = ARG(args, xdp_stats);

		c->xdp_pass += s->pass;
		c->xdp_drop += s->drop;
		c->xdp_redirect += s->redirect;
	}
}

SEC("tp_btf/xdp_cpumap_kthread")
int xdp_cpumap_kthread(void *ctx)
{
	return count_event(ctx, TP_XDP_CPUMAP_KTHREAD, count_cpumap_kthread);
}

/* Number of packets that GSO makes of this skb; 0 in gso_segs means one. */
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

static __always_inline void count_net_dev_queue(void *ctx, const struct cpu_ctx *cc,
						__u32 tracepoint)
{
	struct series_counters *c = series_counters(cc, &net_dev_queue_ops, ctx, tracepoint);
	const struct net_dev_queue_args *args = ctx;
	const struct sk_buff *skb = ARG(args, skb);

	if (c) {
		c->events++;
		c->packets += skb_segments(skb);
		c->bytes += skb->len;
	}
}

SEC("tp_btf/net_dev_queue")
int net_dev_queue(void *ctx)
{
	return count_event(ctx, TP_NET_DEV_QUEUE, count_net_dev_queue);
}

/* Runs in the process whose attach failed; the tracepoint has no device. */
static __noinline int link_attach_failed(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	const struct link_attach_failed_args *args = ctx;
	struct series_counters *c;
	struct series_event *e;
	struct packed_key key;

	key = pack(BPF_CORE_READ(task, nsproxy, net_ns, ns.inum), 0, 0, 0, 0, 0, 0, 0);
	c = rare_counters(&key, TP_LINK_ATTACH_FAILED, (struct name_sources){});
	if (c)
		c->events++;
	e = event_new(TP_LINK_ATTACH_FAILED, &key);
	if (e) {
		e->pid = bpf_get_current_pid_tgid() >> 32;
		bpf_get_current_comm(e->comm, sizeof(e->comm));
		/* fails, and leaves "", where the driver set no message: msg is NULL */
		bpf_probe_read_kernel_str(e->text, sizeof(e->text), ARG(args, msg));
		bpf_ringbuf_submit(e, 0);
	}
	return 0;
}

static __always_inline void count_attach_failed(void *ctx, const struct cpu_ctx *cc,
						__u32 tracepoint)
{
	link_attach_failed(ctx);
}

SEC("tp_btf/bpf_xdp_link_attach_failed")
int bpf_xdp_link_attach_failed(void *ctx)
{
	return count_event(ctx, TP_LINK_ATTACH_FAILED, count_attach_failed);
}

/* mem_disconnect has only mem.id: mem_connect stores its device here. */
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

static __noinline int mem_connected(void *ctx)
{
	const struct mem_connect_args *args = ctx;
	const struct xdp_mem_allocator *xa = ARG(args, xa);
	const struct xdp_rxq_info *rxq = ARG(args, rxq);
	const struct net_device *dev = rxq->dev;
	struct mem_owner owner = {};
	struct series_counters *c;
	struct series_event *e;
	__u32 id = xa->mem.id;

	owner.key = pack(netns_of(dev), dev->ifindex, 0, 0, 0, 0, 0, 0);
	bpf_core_read(owner.ifname, sizeof(owner.ifname), &dev->name);
	bpf_map_update_elem(&mem_owners, &id, &owner, BPF_ANY);
	c = rare_counters(&owner.key, TP_MEM_CONNECT, (struct name_sources){ .dev = dev });
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

static __always_inline void count_mem_connect(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint)
{
	mem_connected(ctx);
}

SEC("tp_btf/mem_connect")
int mem_connect(void *ctx)
{
	return count_event(ctx, TP_MEM_CONNECT, count_mem_connect);
}

static __noinline int mem_disconnected(void *ctx)
{
	const struct mem_disconnect_args *args = ctx;
	const struct xdp_mem_allocator *xa = ARG(args, xa);
	struct packed_key key = {};
	struct series_counters *c;
	struct mem_owner *owner;
	struct series_event *e;
	__u32 id = xa->mem.id;

	owner = bpf_map_lookup_elem(&mem_owners, &id);
	if (owner)
		key = owner->key;
	c = rare_counters(&key, TP_MEM_DISCONNECT,
			  (struct name_sources){ .ifname = owner ? owner->ifname : NULL });
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

static __always_inline void count_mem_disconnect(void *ctx, const struct cpu_ctx *cc,
						 __u32 tracepoint)
{
	mem_disconnected(ctx);
}

SEC("tp_btf/mem_disconnect")
int mem_disconnect(void *ctx)
{
	return count_event(ctx, TP_MEM_DISCONNECT, count_mem_disconnect);
}

/* An xdp tracepoint without a row of its own: its events only, in its overflow slot. */
static __always_inline void count_other(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint)
{
	struct series_counters *c = counters_at(slot_index(tracepoint));

	if (c)
		c->events++;
}

/* User space sets the attach target of these before load. */
SEC("tp_btf/xdp_exception")
int other_0(void *ctx)
{
	return count_event(ctx, TP_OTHER, count_other);
}

SEC("tp_btf/xdp_exception")
int other_1(void *ctx)
{
	return count_event(ctx, TP_OTHER + 1, count_other);
}

SEC("tp_btf/xdp_exception")
int other_2(void *ctx)
{
	return count_event(ctx, TP_OTHER + 2, count_other);
}

SEC("tp_btf/xdp_exception")
int other_3(void *ctx)
{
	return count_event(ctx, TP_OTHER + 3, count_other);
}

/* Attached and detached at start, to test whether the remaining privileges allow it. */
SEC("tp_btf/xdp_exception")
int capability_check(void *ctx)
{
	return 0;
}
