// SPDX-License-Identifier: GPL-2.0-only
/*
 * One program per tracepoint. Prototypes differ between kernels; each program picks its variant
 * by what BTF shows (bpf_core_*_exists), never by a version number. The argument slots in ctx[]
 * are those of TP_PROTO in include/trace/events/xdp.h and net.h.
 */
#include "who.h"
#include "event.h"
#include "kinds.h"

char LICENSE[] SEC("license") = "GPL";

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
	c = counters_at(slot_index(tracepoint));
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
