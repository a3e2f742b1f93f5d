// SPDX-License-Identifier: GPL-2.0-only
/* One program per tracepoint, for kernels with BTF. Prototypes: tp_args.h. */
#include "attach_request.h"
#include "tp_keys.h"

#define PROGRAM(name, tracepoint, count, ops) \
	PROGRAM_AT("tp_btf/" #name, name, tracepoint, count, ops)

static __always_inline void count_failure(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint,
					  const struct key_ops *ops)
{
	count_plain(ctx, cc, tracepoint, ops);
	failure(cc, ops, ctx, tracepoint, 0, 1);
}

/*
 * In xdp_redirect each nanosecond counts. Timed events run a noinline copy of the program, so that
 * the fast path has no code for the clock. The verifier takes twice as long.
 */
static __always_inline void count_timed(void *ctx, const struct cpu_ctx *cc,
					const struct key_ops *ops)
{
	struct series_meter *meter = &cc->cpu->meter[TP_XDP_REDIRECT];

	meter->started = bpf_ktime_get_ns();
	count_plain(ctx, cc, TP_XDP_REDIRECT, ops);
	meter_add_time(cc, TP_XDP_REDIRECT, meter->started);
	meter->started = 0;
}

#define REDIRECT_PROGRAM(name, ops)                              \
	static __noinline int name##_timed(void *ctx)            \
	{                                                        \
		struct cpu_ctx cc;                               \
                                                                 \
		if (cpu_ctx_init(&cc))                           \
			count_timed(ctx, &cc, ops);              \
		return 0;                                        \
	}                                                        \
                                                                 \
	SEC("tp_btf/xdp_redirect")                               \
	int name(void *ctx)                                      \
	{                                                        \
		struct cpu_ctx cc;                               \
                                                                 \
		if (!cpu_ctx_init(&cc))                          \
			return 0;                                \
		if (unlikely(meter_event(&cc, TP_XDP_REDIRECT))) \
			return name##_timed(ctx);                \
		count_plain(ctx, &cc, TP_XDP_REDIRECT, ops);     \
		return 0;                                        \
	}

/* NAME_read is loaded instead of NAME where the verifier refuses to load tgt (tp_args.h). */
REDIRECT_PROGRAM(xdp_redirect, &redirect_ops)
REDIRECT_PROGRAM(xdp_redirect_read, &redirect_read_ops)
PROGRAM(xdp_redirect_err, TP_XDP_REDIRECT_ERR, count_failure, &redirect_err_ops)
PROGRAM_AT("tp_btf/xdp_redirect_err", xdp_redirect_err_read, TP_XDP_REDIRECT_ERR, count_failure,
	   &redirect_err_read_ops)
PROGRAM(xdp_exception, TP_XDP_EXCEPTION, count_failure, &exception_ops)

/*
 * Count a bulk. Returns its counters, so that the caller can add to them, or NULL. `packets` is not
 * negative: bq_xmit_all() in kernel/bpf/devmap.c and similar functions set it to 0 on an error.
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

static __always_inline void count_devmap_xmit(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint,
					      const struct key_ops *ops)
{
	const struct devmap_xmit_args *args = ctx;

	bulk_event(ctx, cc, tracepoint, ops, ARG(args, sent), ARG(args, drops), ARG(args, err));
}

static __always_inline void count_bulk_tx(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint,
					  const struct key_ops *ops)
{
	const struct bulk_tx_args *args = ctx;

	bulk_event(ctx, cc, tracepoint, ops, ARG(args, sent), ARG(args, drops), ARG(args, err));
}

static __always_inline void count_cpumap_enqueue(void *ctx, const struct cpu_ctx *cc,
						 __u32 tracepoint, const struct key_ops *ops)
{
	const struct cpumap_enqueue_args *args = ctx;

	bulk_event(ctx, cc, tracepoint, ops, ARG(args, processed), ARG(args, drops), 0);
}

static __always_inline void count_cpumap_kthread(void *ctx, const struct cpu_ctx *cc,
						 __u32 tracepoint, const struct key_ops *ops)
{
	const struct cpumap_kthread_args *args = ctx;
	struct series_counters *c =
		bulk_event(ctx, cc, tracepoint, ops, ARG(args, processed), ARG(args, drops), 0);

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

static __always_inline void count_skb(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint,
				      const struct key_ops *ops, bool read)
{
	struct series_counters *c = series_counters(cc, ops, ctx, tracepoint);
	const struct net_dev_queue_args *args = ctx;
	const struct sk_buff *skb = ARG(args, skb);

	if (c) {
		c->events++;
		c->packets += skb_segments(skb, read);
		c->bytes += skb->len;
	}
}

static __always_inline void count_net_dev_queue(void *ctx, const struct cpu_ctx *cc,
						__u32 tracepoint, const struct key_ops *ops)
{
	count_skb(ctx, cc, tracepoint, ops, false);
}

static __always_inline void count_net_dev_queue_read(void *ctx, const struct cpu_ctx *cc,
						     __u32 tracepoint, const struct key_ops *ops)
{
	count_skb(ctx, cc, tracepoint, ops, true);
}

PROGRAM(xdp_devmap_xmit, TP_XDP_DEVMAP_XMIT, count_devmap_xmit, &devmap_xmit_ops)
PROGRAM(xdp_bulk_tx, TP_XDP_BULK_TX, count_bulk_tx, &bulk_tx_ops)
PROGRAM(xdp_cpumap_enqueue, TP_XDP_CPUMAP_ENQUEUE, count_cpumap_enqueue, &cpumap_enqueue_ops)
PROGRAM(xdp_cpumap_kthread, TP_XDP_CPUMAP_KTHREAD, count_cpumap_kthread, &cpumap_kthread_ops)
PROGRAM(net_dev_queue, TP_NET_DEV_QUEUE, count_net_dev_queue, &net_dev_queue_ops)
/* Loaded instead where the kernel refuses to call bpf_rdonly_cast(): its JIT is off. */
PROGRAM_AT("tp_btf/net_dev_queue", net_dev_queue_read, TP_NET_DEV_QUEUE, count_net_dev_queue_read,
	   &net_dev_queue_read_ops)

/* `count` is noinline, because its event would take too much of the program's stack. */
#define RARE_PROGRAM(name, tracepoint, count)                                                   \
	static __always_inline void name##_count(void *ctx, const struct cpu_ctx *cc, __u32 tp, \
						 const struct key_ops *ops)                     \
	{                                                                                       \
		count(ctx);                                                                     \
	}                                                                                       \
	PROGRAM(name, tracepoint, name##_count, NULL)

/* Report a refused attach: the task that asked for it, and the device. */
static __always_inline void refused(__u32 tracepoint, const struct attach_request *r,
				    const struct packed_key *key, const char *msg)
{
	struct name_sources names = { .dev = r->dev };
	struct series_event *e = event_new(tracepoint, key);

	if (!e)
		return;
	e->pid = bpf_get_current_pid_tgid() >> 32;
	bpf_get_current_comm(e->comm, sizeof(e->comm));
	capture_names(&names, e->ifname, e->to_ifname, e->prog_name);
	/* without a message from the driver msg is NULL: this fails and leaves "" */
	kernel_read_str(e->text, sizeof(e->text), msg);
	bpf_ringbuf_submit(e, 0);
}

static __noinline int link_attach_failed(void *ctx)
{
	const struct link_attach_failed_args *args = ctx;
	struct attach_request r = {};
	struct packed_key key;

	attach_request_get(&r);
	key = pack(r.netns, 0, 0, 0, 0, 0, 0, 0);
	rare_count(&key, TP_LINK_ATTACH_FAILED, (struct name_sources){});
	key = pack(r.netns, r.ifindex, 0, 0, 0, 0, 0, 0);
	refused(TP_LINK_ATTACH_FAILED, &r, &key, ARG(args, msg));
	return 0;
}

RARE_PROGRAM(bpf_xdp_link_attach_failed, TP_LINK_ATTACH_FAILED, link_attach_failed)

static __noinline int attach_refused(void *ctx)
{
	const struct netlink_extack_args *args = ctx;
	struct attach_request r = {};
	struct packed_key key;

	attach_request_get(&r);
	key = pack(r.netns, r.ifindex, 0, 0, 0, 0, 0, 0);
	rare_count(&key, TP_NETLINK_EXTACK, (struct name_sources){ .dev = r.dev });
	refused(TP_NETLINK_EXTACK, &r, &key, ARG(args, msg));
	return 0;
}

static __always_inline void count_refused(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint,
					  const struct key_ops *ops)
{
	attach_refused(ctx);
}

/* Fires for each netlink command that fails with a message: only refused attaches count. */
SEC("tp_btf/netlink_extack")
int netlink_extack(void *ctx)
{
	const struct netlink_extack_args *args = ctx;

	if (!is_refused_attach(ctx, ARG(args, msg)))
		return 0;
	return count_event(ctx, TP_NETLINK_EXTACK, count_refused, NULL);
}

/* mem_disconnect has only mem.id, so mem_connect stores its device here. */
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
	struct series_event *e;
	__u32 id = xa->mem.id;

	owner.key = pack(netns_of(dev), dev->ifindex, 0, 0, 0, 0, 0, 0);
	kernel_read_name(owner.ifname, sizeof(owner.ifname), dev->name);
	bpf_map_update_elem(&mem_owners, &id, &owner, BPF_ANY);
	rare_count(&owner.key, TP_MEM_CONNECT, (struct name_sources){ .dev = dev });
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

RARE_PROGRAM(mem_connect, TP_MEM_CONNECT, mem_connected)

static __noinline int mem_disconnected(void *ctx)
{
	const struct mem_disconnect_args *args = ctx;
	const struct xdp_mem_allocator *xa = ARG(args, xa);
	struct packed_key key = {};
	struct mem_owner *owner;
	struct series_event *e;
	__u32 id = xa->mem.id;

	owner = bpf_map_lookup_elem(&mem_owners, &id);
	if (owner)
		key = owner->key;
	rare_count(&key, TP_MEM_DISCONNECT,
		   (struct name_sources){ .ifname = owner ? owner->ifname : NULL });
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

RARE_PROGRAM(mem_disconnect, TP_MEM_DISCONNECT, mem_disconnected)

/* Kind of each argument of TP_OTHER and up: enum follow_word. Set before load. */
const volatile __u8 follow_words[TP_OTHERS][FOLLOW_OTHER_ARGS] = {};

static __noinline __u64 follow_word(void *ctx, __u32 kind, __u32 index)
{
	__u64 word = 0;

	kernel_read(&word, sizeof(word), (__u64 *)ctx + index);
	if (kind == FOLLOW_WORD_DEVICE)
		return word ? BPF_CORE_READ((const struct net_device *)word, ifindex) : 0;
	if (kind == FOLLOW_WORD_PROG)
		return word ? BPF_CORE_READ((const struct bpf_prog *)word, aux, id) : 0;
	return word;
}

static __always_inline void other_args(void *ctx, struct follow_event *e,
				       struct follow_count *count)
{
	__u32 tracepoint = e->tracepoint;

	e->known = 0;
	if (tracepoint < TP_OTHER || tracepoint >= TP_COUNT)
		return;
#pragma unroll
	for (__u32 i = 0; i < FOLLOW_OTHER_ARGS; i++) {
		__u32 kind = follow_words[tracepoint - TP_OTHER][i];

		if (!kind)
			continue;
		e->word[i] = follow_word(ctx, kind, i);
		e->known |= 1 << i;
	}
}

/* An xdp tracepoint without a row of its own: only events are counted, in its overflow slot. */
static __always_inline void count_other(void *ctx, const struct cpu_ctx *cc, __u32 tracepoint,
					const struct key_ops *ops)
{
	struct series_counters *c = counters_at(slot_index(tracepoint));
	const struct packed_key none = {};

	if (c)
		c->events++;
	if (unlikely(is_followed(tracepoint)))
		follow_event(ctx, &none, tracepoint, tracepoint, &cc->cpu->meter[tracepoint],
			     other_args);
}

/* User space sets the attach target of these before load. */
PROGRAM_AT("tp_btf/xdp_exception", other_0, TP_OTHER, count_other, NULL)
PROGRAM_AT("tp_btf/xdp_exception", other_1, TP_OTHER + 1, count_other, NULL)
PROGRAM_AT("tp_btf/xdp_exception", other_2, TP_OTHER + 2, count_other, NULL)
PROGRAM_AT("tp_btf/xdp_exception", other_3, TP_OTHER + 3, count_other, NULL)

/* Attached and detached at start, to test whether the remaining privileges allow it. */
SEC("tp_btf/xdp_exception")
int capability_check(void *ctx)
{
	return 0;
}
