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
static __always_inline void *redirect_tgt(__u64 *ctx)
{
	void *tgt = NULL;

	if (direct_tgt)
		tgt = (void *)ARG(2);
	else
		bpf_probe_read_kernel(&tgt, sizeof(tgt), &ctx[2]);
	return tgt;
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

static __always_inline int count_redirect(__u64 *ctx, __u32 tracepoint)
{
	const struct net_device *dev = (void *)ARG(0), *to = NULL;
	const struct bpf_prog *prog = (void *)ARG(1);
	__u32 netns, to_netns = 0, target, map_type = 0, map_id = SERIES_MAP_ID_IFINDEX;
	struct series_counters *c;
	struct packed_key key;
	struct count n;

	if (!count_begin(&n, tracepoint))
		return 0;
	netns = netns_of(dev);
	if (redirect_has_map_id()) {
		map_type = ARG(4);
		map_id = ARG(5);
		target = ARG(6);
	} else {
		const struct bpf_map *map = (void *)ARG(4);

		if (map) {
			map_type = map->map_type;
			map_id = map->id;
		}
		target = ARG(5);
	}
	if (map_type == SERIES_MAP_DEVMAP || map_type == SERIES_MAP_DEVMAP_HASH) {
		/* the index is a map key: the device, maybe of another namespace, is behind tgt */
		target = 0;
		to = redirect_target(redirect_tgt(ctx));
		if (to && bpf_rdonly_cast) {
			to_netns = netns_of(to);
			target = to->ifindex;
		} else if (to) {
			to_netns = BPF_CORE_READ(to, nd_net.net, ns.inum);
			target = BPF_CORE_READ(to, ifindex);
		}
	} else if (!map_type) {
		if (map_id == SERIES_MAP_ID_IFINDEX) {
			to_netns = netns;       /* where the kernel looks an ifindex up */
			to = redirect_tgt(ctx); /* only for its name; NULL in generic mode */
		} else {
			target = 0; /* no helper was called: the index is a leftover */
		}
	}
	key = pack(netns, dev->ifindex, to_netns, target, prog->aux->id, map_type, map_id, ARG(3));
	c = series_counters(&n, &key, tracepoint,
			    (struct who){ .dev = dev, .to = to, .prog = prog });
	if (c)
		c->events++;
	if (tracepoint == TP_XDP_REDIRECT_ERR || tracepoint == TP_XDP_REDIRECT_MAP_ERR)
		failure(tracepoint, &key, (struct who){ .dev = dev, .to = to, .prog = prog }, 0, 1);
	count_end(&n);
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

SEC("tp_btf/xdp_exception")
int xdp_exception(__u64 *ctx)
{
	const struct net_device *dev = (void *)ARG(0);
	const struct bpf_prog *prog = (void *)ARG(1);
	struct series_counters *c;
	struct packed_key key;
	struct count n;

	if (!count_begin(&n, TP_XDP_EXCEPTION))
		return 0;
	key = pack(netns_of(dev), dev->ifindex, 0, 0, prog->aux->id, 0, 0, ARG(2));
	c = series_counters(&n, &key, TP_XDP_EXCEPTION, (struct who){ .dev = dev, .prog = prog });
	if (c)
		c->events++;
	failure(TP_XDP_EXCEPTION, &key, (struct who){ .dev = dev, .prog = prog }, 0, 1);
	count_end(&n);
	return 0;
}

SEC("tp_btf/xdp_devmap_xmit")
int xdp_devmap_xmit(__u64 *ctx)
{
	const struct net_device *from = (void *)ARG(0), *to = (void *)ARG(1);
	struct series_counters *c;
	struct packed_key key;
	struct count n;

	if (!count_begin(&n, TP_XDP_DEVMAP_XMIT))
		return 0;
	key = pack(netns_of(from), from->ifindex, netns_of(to), to->ifindex, 0, 0, 0, ARG(4));
	c = series_counters(&n, &key, TP_XDP_DEVMAP_XMIT, (struct who){ .dev = from, .to = to });
	if (c) {
		c->events++;
		c->packets += (int)ARG(2);
		c->drops += (int)ARG(3);
	}
	if (unlikely((int)ARG(3) > 0 || (int)ARG(4)))
		failure(TP_XDP_DEVMAP_XMIT, &key, (struct who){ .dev = from, .to = to },
			(int)ARG(2), (int)ARG(3));
	count_end(&n);
	return 0;
}

SEC("tp_btf/xdp_bulk_tx")
int xdp_bulk_tx(__u64 *ctx)
{
	const struct net_device *dev = (void *)ARG(0);
	struct series_counters *c;
	struct packed_key key;
	struct count n;

	if (!count_begin(&n, TP_XDP_BULK_TX))
		return 0;
	key = pack(netns_of(dev), dev->ifindex, 0, 0, 0, 0, 0, ARG(3));
	c = series_counters(&n, &key, TP_XDP_BULK_TX, (struct who){ .dev = dev });
	if (c) {
		c->events++;
		c->packets += (int)ARG(1);
		c->drops += (int)ARG(2);
	}
	if (unlikely((int)ARG(2) > 0 || (int)ARG(3)))
		failure(TP_XDP_BULK_TX, &key, (struct who){ .dev = dev }, (int)ARG(1), (int)ARG(2));
	count_end(&n);
	return 0;
}

SEC("tp_btf/xdp_cpumap_enqueue")
int xdp_cpumap_enqueue(__u64 *ctx)
{
	struct series_counters *c;
	struct packed_key key;
	struct count n;

	if (!count_begin(&n, TP_XDP_CPUMAP_ENQUEUE))
		return 0;
	key = pack(0, 0, 0, ARG(3), 0, SERIES_MAP_CPUMAP, ARG(0), 0);
	c = series_counters(&n, &key, TP_XDP_CPUMAP_ENQUEUE, (struct who){});
	if (c) {
		c->events++;
		c->packets += (__u32)ARG(1);
		c->drops += (__u32)ARG(2);
	}
	if (unlikely((__u32)ARG(2)))
		failure(TP_XDP_CPUMAP_ENQUEUE, &key, (struct who){}, (int)ARG(1), (int)ARG(2));
	count_end(&n);
	return 0;
}

SEC("tp_btf/xdp_cpumap_kthread")
int xdp_cpumap_kthread(__u64 *ctx)
{
	struct series_counters *c;
	struct packed_key key;
	struct count n;

	if (!count_begin(&n, TP_XDP_CPUMAP_KTHREAD))
		return 0;
	/* the kthread is bound to the CPU it serves */
	key = pack(0, 0, 0, n.cpu, 0, SERIES_MAP_CPUMAP, ARG(0), 0);
	c = series_counters(&n, &key, TP_XDP_CPUMAP_KTHREAD, (struct who){});
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
		failure(TP_XDP_CPUMAP_KTHREAD, &key, (struct who){}, (int)ARG(1), (int)ARG(2));
	count_end(&n);
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

SEC("tp_btf/net_dev_queue")
int net_dev_queue(__u64 *ctx)
{
	const struct sk_buff *skb = (void *)ARG(0);
	const struct net_device *dev = skb->dev;
	struct series_counters *c;
	struct packed_key key;
	struct count n;

	if (!count_begin(&n, TP_NET_DEV_QUEUE))
		return 0;
	key = pack(netns_of(dev), dev->ifindex, 0, 0, 0, 0, 0, 0);
	c = series_counters(&n, &key, TP_NET_DEV_QUEUE, (struct who){ .dev = dev });
	if (c) {
		c->events++;
		c->packets += skb_segments(skb);
		c->bytes += skb->len;
	}
	count_end(&n);
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
	c = series_counters(&n, &key, TP_LINK_ATTACH_FAILED, (struct who){});
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
	count_end(&n);
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
	c = series_counters(&n, &owner.key, TP_MEM_CONNECT, (struct who){ .dev = dev });
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
	count_end(&n);
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
	c = series_counters(&n, &key, TP_MEM_DISCONNECT,
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
	count_end(&n);
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
	c = slot_counters(&n, tracepoint);
	if (c)
		c->events++;
	count_end(&n);
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
