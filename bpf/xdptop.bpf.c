// SPDX-License-Identifier: GPL-2.0-only
/*
 * One program per tracepoint. Prototypes differ between kernels; each program picks its variant
 * by what BTF shows (bpf_core_*_exists), never by a version number. The argument slots in ctx[]
 * are those of TP_PROTO in include/trace/events/xdp.h and net.h.
 */
#include "who.h"
#include "event.h"

/*
 * One argument slot, loaded at a fixed offset: clang merges loads of two branches into one at a
 * computed offset, which the verifier refuses ("dereference of modified ctx ptr").
 */
#define ARG(n)                                                                              \
	({                                                                                  \
		__u64 arg_;                                                                 \
		asm volatile("%0 = *(u64 *)(%1 + %2)" : "=r"(arg_) : "r"(ctx), "i"((n)*8)); \
		arg_;                                                                       \
	})

char LICENSE[] SEC("license") = "GPL";

/* Set before load: 1 where tp_btf may read the `const void *tgt` argument (6.16+ verifiers). */
const volatile __u32 direct_tgt = 0;

/* xdp_redirect's arguments 5 to 7: (map, index) up to 5.12, (map_type, map_id, index) after. */
static __always_inline bool redirect_has_map_id(void)
{
	return bpf_core_field_exists(struct bpf_redirect_info, map_id);
}

/*
 * Up to 6.15 the verifier refuses to load a `const void *` argument of tp_btf: then it is read
 * from the context as memory.
 */
static __noinline __u64 redirect_tgt_read(__u64 *ctx)
{
	__u64 tgt = 0;

	bpf_probe_read_kernel(&tgt, sizeof(tgt), &ctx[2]);
	return tgt;
}

static __always_inline void *redirect_tgt(__u64 *ctx)
{
	return (void *)(direct_tgt ? ARG(2) : redirect_tgt_read(ctx));
}

/*
 * The device behind the `tgt` of a devmap redirect, a struct bpf_dtab_netdev *. From 6.2 on a cast
 * gives plain loads.
 */
static __always_inline const struct net_device *redirect_target(void *tgt)
{
	const struct net_device *dev = NULL;

	if (!tgt || !bpf_core_type_exists(struct _bpf_dtab_netdev))
		return NULL;
	if (bpf_rdonly_cast) {
		struct _bpf_dtab_netdev *entry =
			bpf_rdonly_cast(tgt, bpf_core_type_id_kernel(struct _bpf_dtab_netdev));

		return entry->dev;
	}
	bpf_core_read(&dev, sizeof(dev), &((struct _bpf_dtab_netdev *)tgt)->dev);
	return dev;
}

static __always_inline __u32 redirect_index(__u64 *ctx)
{
	return redirect_has_map_id() ? ARG(6) : ARG(5);
}

static __always_inline __u32 redirect_map_id(__u64 *ctx)
{
	const struct bpf_map *map;

	if (redirect_has_map_id())
		return ARG(5);
	map = (void *)ARG(4);
	return map ? map->id : SERIES_MAP_ID_IFINDEX;
}

static __always_inline __u32 redirect_map_type(__u64 *ctx)
{
	const struct bpf_map *map;

	if (redirect_has_map_id())
		return ARG(4);
	map = (void *)ARG(4);
	return map ? map->map_type : 0;
}

static __noinline int redirect_describe(void *context, struct subject *s)
{
	__u64 *ctx = context;
	const struct net_device *dev = (void *)ARG(0), *to = NULL;
	const struct bpf_prog *prog = (void *)ARG(1);
	__u32 type = redirect_map_type(ctx), id = redirect_map_id(ctx);
	__u32 netns = netns_of(dev), to_netns = 0, target = redirect_index(ctx);

	if (type == SERIES_MAP_DEVMAP || type == SERIES_MAP_DEVMAP_HASH) {
		/* the index is a map key: the device, maybe of another namespace, is behind tgt */
		target = 0;
		to = redirect_target(redirect_tgt(ctx));
		if (to) {
			to_netns = BPF_CORE_READ(to, nd_net.net, ns.inum);
			target = BPF_CORE_READ(to, ifindex);
		}
	} else if (!type) {
		if (id == SERIES_MAP_ID_IFINDEX) {
			to_netns = netns;       /* where the kernel looks an ifindex up */
			to = redirect_tgt(ctx); /* only for its name; NULL in generic mode */
		} else {
			target = 0; /* no helper was called: the index is a leftover */
		}
	}
	s->key = pack(netns, dev->ifindex, to_netns, target, prog->aux->id, type, id, ARG(3));
	s->who = (struct who){ .dev = dev, .to = to, .prog = prog };
	return 0;
}

static __always_inline __u64 redirect_raw(void *context, int i)
{
	__u64 *ctx = context;
	const struct net_device *dev;

	switch (i) {
	case 0:
		return (__u64)redirect_tgt(ctx);
	case 1:
		return ARG(1);
	case 2:
		dev = (void *)ARG(0);
		return net_of(dev);
	case 3:
		dev = (void *)ARG(0);
		return PACK(dev->ifindex, redirect_index(ctx));
	default:
		return PACK(redirect_map_id(ctx), ARG(3)); /* the type goes with the id */
	}
}

static __always_inline __u32 redirect_hash(void *context)
{
	__u64 *ctx = context;
	const struct net_device *dev = (void *)ARG(0);

	return dev->ifindex + redirect_index(ctx);
}

static const struct kind redirect = { 5, redirect_raw, redirect_hash, redirect_describe };

static __always_inline int count_redirect(__u64 *ctx, __u32 tracepoint)
{
	struct series_counters *c;
	struct count n;

	if (!count_begin(&n, tracepoint))
		return 0;
	c = series_counters(&n, &redirect, ctx, tracepoint);
	if (c)
		c->events++;
	if (tracepoint == TP_XDP_REDIRECT_ERR || tracepoint == TP_XDP_REDIRECT_MAP_ERR)
		failure(&n, &redirect, ctx, tracepoint, 0, 1);
	count_end(&n, tracepoint);
	return 0;
}

SEC("tp_btf/xdp_redirect")
int xdp_redirect(__u64 *ctx)
{
	return count_redirect(ctx, TP_XDP_REDIRECT);
}

SEC("tp_btf/xdp_redirect_err")
int xdp_redirect_err(__u64 *ctx)
{
	return count_redirect(ctx, TP_XDP_REDIRECT_ERR);
}

/* Both left the kernel in 6.17 and have not fired since 5.6. */
SEC("tp_btf/xdp_redirect_map")
int xdp_redirect_map(__u64 *ctx)
{
	return count_redirect(ctx, TP_XDP_REDIRECT_MAP);
}

SEC("tp_btf/xdp_redirect_map_err")
int xdp_redirect_map_err(__u64 *ctx)
{
	return count_redirect(ctx, TP_XDP_REDIRECT_MAP_ERR);
}

static __noinline int exception_describe(void *context, struct subject *s)
{
	__u64 *ctx = context;
	const struct net_device *dev = (void *)ARG(0);
	const struct bpf_prog *prog = (void *)ARG(1);

	s->key = pack(netns_of(dev), dev->ifindex, 0, 0, prog->aux->id, 0, 0, ARG(2));
	s->who = (struct who){ .dev = dev, .prog = prog };
	return 0;
}

static __always_inline __u64 exception_raw(void *context, int i)
{
	__u64 *ctx = context;
	const struct net_device *dev;

	switch (i) {
	case 0:
		dev = (void *)ARG(0);
		return net_of(dev);
	case 1:
		return ARG(1);
	default:
		dev = (void *)ARG(0);
		return PACK(dev->ifindex, ARG(2));
	}
}

static __always_inline __u32 exception_hash(void *context)
{
	__u64 *ctx = context;
	const struct net_device *dev = (void *)ARG(0);

	return dev->ifindex + low(ARG(1));
}

static const struct kind exception = { 3, exception_raw, exception_hash, exception_describe };

SEC("tp_btf/xdp_exception")
int xdp_exception(__u64 *ctx)
{
	struct series_counters *c;
	struct count n;

	if (!count_begin(&n, TP_XDP_EXCEPTION))
		return 0;
	c = series_counters(&n, &exception, ctx, TP_XDP_EXCEPTION);
	if (c)
		c->events++;
	failure(&n, &exception, ctx, TP_XDP_EXCEPTION, 0, 1);
	count_end(&n, TP_XDP_EXCEPTION);
	return 0;
}

static __noinline int devmap_describe(void *context, struct subject *s)
{
	__u64 *ctx = context;
	const struct net_device *from = (void *)ARG(0), *to = (void *)ARG(1);

	s->key = pack(netns_of(from), from->ifindex, netns_of(to), to->ifindex, 0, 0, 0, ARG(4));
	s->who = (struct who){ .dev = from, .to = to };
	return 0;
}

static __always_inline __u64 devmap_raw(void *context, int i)
{
	__u64 *ctx = context;
	const struct net_device *from;
	const struct net_device *to;

	switch (i) {
	case 0:
		from = (void *)ARG(0);
		return net_of(from);
	case 1:
		to = (void *)ARG(1);
		return net_of(to);
	case 2:
		from = (void *)ARG(0);
		to = (void *)ARG(1);
		return PACK(from->ifindex, to->ifindex);
	default:
		return (__u32)ARG(4);
	}
}

static __always_inline __u32 devmap_hash(void *context)
{
	__u64 *ctx = context;
	const struct net_device *from = (void *)ARG(0);
	const struct net_device *to = (void *)ARG(1);

	return from->ifindex + to->ifindex * 2;
}

static const struct kind devmap = { 4, devmap_raw, devmap_hash, devmap_describe };

SEC("tp_btf/xdp_devmap_xmit")
int xdp_devmap_xmit(__u64 *ctx)
{
	struct series_counters *c;
	struct count n;

	if (!count_begin(&n, TP_XDP_DEVMAP_XMIT))
		return 0;
	c = series_counters(&n, &devmap, ctx, TP_XDP_DEVMAP_XMIT);
	if (c) {
		c->events++;
		c->packets += (int)ARG(2);
		c->drops += (int)ARG(3);
	}
	if (unlikely((int)ARG(3) > 0 || (int)ARG(4)))
		failure(&n, &devmap, ctx, TP_XDP_DEVMAP_XMIT, (int)ARG(2), (int)ARG(3));
	count_end(&n, TP_XDP_DEVMAP_XMIT);
	return 0;
}

static __noinline int bulk_tx_describe(void *context, struct subject *s)
{
	__u64 *ctx = context;
	const struct net_device *dev = (void *)ARG(0);

	s->key = pack(netns_of(dev), dev->ifindex, 0, 0, 0, 0, 0, ARG(3));
	s->who = (struct who){ .dev = dev };
	return 0;
}

static __always_inline __u64 bulk_tx_raw(void *context, int i)
{
	__u64 *ctx = context;
	const struct net_device *dev;

	switch (i) {
	case 0:
		dev = (void *)ARG(0);
		return net_of(dev);
	default:
		dev = (void *)ARG(0);
		return PACK(dev->ifindex, ARG(3));
	}
}

static __always_inline __u32 bulk_tx_hash(void *context)
{
	__u64 *ctx = context;
	const struct net_device *dev = (void *)ARG(0);

	return dev->ifindex;
}

static const struct kind bulk_tx = { 2, bulk_tx_raw, bulk_tx_hash, bulk_tx_describe };

SEC("tp_btf/xdp_bulk_tx")
int xdp_bulk_tx(__u64 *ctx)
{
	struct series_counters *c;
	struct count n;

	if (!count_begin(&n, TP_XDP_BULK_TX))
		return 0;
	c = series_counters(&n, &bulk_tx, ctx, TP_XDP_BULK_TX);
	if (c) {
		c->events++;
		c->packets += (int)ARG(1);
		c->drops += (int)ARG(2);
	}
	if (unlikely((int)ARG(2) > 0 || (int)ARG(3)))
		failure(&n, &bulk_tx, ctx, TP_XDP_BULK_TX, (int)ARG(1), (int)ARG(2));
	count_end(&n, TP_XDP_BULK_TX);
	return 0;
}

static __noinline int enqueue_describe(void *context, struct subject *s)
{
	__u64 *ctx = context;

	s->key = pack(0, 0, 0, ARG(3), 0, SERIES_MAP_CPUMAP, ARG(0), 0);
	return 0;
}

static __always_inline __u64 enqueue_raw(void *context, int i)
{
	__u64 *ctx = context;

	return PACK(ARG(0), ARG(3));
}

static __always_inline __u32 enqueue_hash(void *context)
{
	__u64 *ctx = context;

	return ARG(3);
}

static const struct kind enqueue = { 1, enqueue_raw, enqueue_hash, enqueue_describe };

SEC("tp_btf/xdp_cpumap_enqueue")
int xdp_cpumap_enqueue(__u64 *ctx)
{
	struct series_counters *c;
	struct count n;

	if (!count_begin(&n, TP_XDP_CPUMAP_ENQUEUE))
		return 0;
	c = series_counters(&n, &enqueue, ctx, TP_XDP_CPUMAP_ENQUEUE);
	if (c) {
		c->events++;
		c->packets += (__u32)ARG(1);
		c->drops += (__u32)ARG(2);
	}
	if (unlikely((__u32)ARG(2)))
		failure(&n, &enqueue, ctx, TP_XDP_CPUMAP_ENQUEUE, (int)ARG(1), (int)ARG(2));
	count_end(&n, TP_XDP_CPUMAP_ENQUEUE);
	return 0;
}

static __noinline int kthread_describe(void *context, struct subject *s)
{
	__u64 *ctx = context;

	/* the kthread is bound to the CPU it serves */
	s->key = pack(0, 0, 0, bpf_get_smp_processor_id(), 0, SERIES_MAP_CPUMAP, ARG(0), 0);
	return 0;
}

static __always_inline __u64 kthread_raw(void *context, int i)
{
	__u64 *ctx = context;

	return (__u32)ARG(0);
}

static __always_inline __u32 kthread_hash(void *context)
{
	__u64 *ctx = context;

	return ARG(0);
}

static const struct kind kthread = { 1, kthread_raw, kthread_hash, kthread_describe };

SEC("tp_btf/xdp_cpumap_kthread")
int xdp_cpumap_kthread(__u64 *ctx)
{
	struct series_counters *c;
	struct count n;

	if (!count_begin(&n, TP_XDP_CPUMAP_KTHREAD))
		return 0;
	c = series_counters(&n, &kthread, ctx, TP_XDP_CPUMAP_KTHREAD);
	if (c) {
		c->events++;
		c->packets += (__u32)ARG(1);
		c->drops += (__u32)ARG(2);
		c->sched += !!(int)ARG(3);
		if (bpf_core_type_exists(struct xdp_cpumap_stats)) {
			const struct xdp_cpumap_stats *s = (void *)ARG(4);

			c->xdp_pass += s->pass;
			c->xdp_drop += s->drop;
			c->xdp_redirect += s->redirect;
		}
	}
	if (unlikely((__u32)ARG(2)))
		failure(&n, &kthread, ctx, TP_XDP_CPUMAP_KTHREAD, (int)ARG(1), (int)ARG(2));
	count_end(&n, TP_XDP_CPUMAP_KTHREAD);
	return 0;
}

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

static __noinline int queue_describe(void *context, struct subject *s)
{
	__u64 *ctx = context;
	const struct sk_buff *skb = (void *)ARG(0);
	const struct net_device *dev = skb->dev;

	s->key = pack(netns_of(dev), dev->ifindex, 0, 0, 0, 0, 0, 0);
	s->who = (struct who){ .dev = dev };
	return 0;
}

static __always_inline __u64 queue_raw(void *context, int i)
{
	__u64 *ctx = context;
	const struct sk_buff *skb = (void *)ARG(0);
	const struct net_device *dev = skb->dev;

	return i ? dev->ifindex : net_of(dev);
}

static __always_inline __u32 queue_hash(void *context)
{
	__u64 *ctx = context;
	const struct sk_buff *skb = (void *)ARG(0);

	return skb->dev->ifindex;
}

static const struct kind queue = { 2, queue_raw, queue_hash, queue_describe };

SEC("tp_btf/net_dev_queue")
int net_dev_queue(__u64 *ctx)
{
	const struct sk_buff *skb = (void *)ARG(0);
	struct series_counters *c;
	struct count n;

	if (!count_begin(&n, TP_NET_DEV_QUEUE))
		return 0;
	c = series_counters(&n, &queue, ctx, TP_NET_DEV_QUEUE);
	if (c) {
		c->events++;
		c->packets += skb_segments(skb);
		c->bytes += skb->len;
	}
	count_end(&n, TP_NET_DEV_QUEUE);
	return 0;
}

/* Runs in the context of the process whose attach failed; the tracepoint names no device. */
SEC("tp_btf/bpf_xdp_link_attach_failed")
int bpf_xdp_link_attach_failed(__u64 *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct series_event *e;
	struct series_counters *c;
	struct packed_key key;
	struct count n;

	if (!count_begin(&n, TP_LINK_ATTACH_FAILED))
		return 0;
	key = pack(BPF_CORE_READ(task, nsproxy, net_ns, ns.inum), 0, 0, 0, 0, 0, 0, 0);
	c = rare_counters(&n, &key, TP_LINK_ATTACH_FAILED, (struct who){});
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
	count_end(&n, TP_LINK_ATTACH_FAILED);
	return 0;
}

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

SEC("tp_btf/mem_connect")
int mem_connect(__u64 *ctx)
{
	const struct xdp_mem_allocator *xa = (void *)ARG(0);
	const struct xdp_rxq_info *rxq = (void *)ARG(1);
	const struct net_device *dev = rxq->dev;
	struct mem_owner owner = {};
	struct series_counters *c;
	struct series_event *e;
	__u32 id = xa->mem.id;
	struct count n;

	if (!count_begin(&n, TP_MEM_CONNECT))
		return 0;
	owner.key = pack(netns_of(dev), dev->ifindex, 0, 0, 0, 0, 0, 0);
	bpf_core_read(owner.ifname, sizeof(owner.ifname), &dev->name);
	bpf_map_update_elem(&mem_owners, &id, &owner, BPF_ANY);
	c = rare_counters(&n, &owner.key, TP_MEM_CONNECT, (struct who){ .dev = dev });
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
	count_end(&n, TP_MEM_CONNECT);
	return 0;
}

SEC("tp_btf/mem_disconnect")
int mem_disconnect(__u64 *ctx)
{
	const struct xdp_mem_allocator *xa = (void *)ARG(0);
	struct packed_key key = {};
	struct series_counters *c;
	struct mem_owner *owner;
	struct series_event *e;
	__u32 id = xa->mem.id;
	struct count n;

	if (!count_begin(&n, TP_MEM_DISCONNECT))
		return 0;
	owner = bpf_map_lookup_elem(&mem_owners, &id);
	if (owner)
		key = owner->key;
	c = rare_counters(&n, &key, TP_MEM_DISCONNECT,
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
	count_end(&n, TP_MEM_DISCONNECT);
	return 0;
}

/*
 * Tracepoints that BTF shows and the registry does not know: events only. The attach target is set
 * before load; the slot of such a tracepoint is its overflow slot.
 */
static __always_inline int count_other(__u32 tracepoint)
{
	struct series_counters *c;
	struct count n;

	if (!count_begin(&n, tracepoint))
		return 0;
	c = counters_at(n.cpu * slots + tracepoint);
	if (c)
		c->events++;
	count_end(&n, tracepoint);
	return 0;
}

#define OTHER(i)                                  \
	SEC("tp_btf/xdp_exception")               \
	int other_##i(void *ctx)                  \
	{                                         \
		return count_other(TP_OTHER + i); \
	}

OTHER(0)
OTHER(1)
OTHER(2)
OTHER(3)

/* Empty: attached for a moment to see whether attaching works with the privileges left. */
SEC("tp_btf/xdp_exception")
int attach_trial(void *ctx)
{
	return 0;
}
