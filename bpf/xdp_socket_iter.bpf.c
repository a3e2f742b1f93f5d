// SPDX-License-Identifier: GPL-2.0-only
/*
 * An iterator over AF_XDP sockets. It needs no capability after load, holds no reference and runs
 * only when read.
 *
 * The walk follows net->xdp.list of every network namespace. bpf_iter_run_prog()
 * (kernel/bpf/bpf_iter.c) runs it under rcu_read_lock(), which protects that list, the sockets in
 * it (SOCK_RCU_FREE in xsk_create()) and the device of a bound socket (synchronize_net() in
 * xsk_unbind_dev()). Rings are freed without waiting, so reads handle faults, and the record of a
 * socket that has left the list meanwhile is dropped. bpf_loop() needs 5.17.
 */
#include "init_netns.h"
#include "iter_records.h"
#include "xdp_socket_types.h"

#define STEPS_MAX (1 << 17)
/* NAPI instances of a device that are looked through: one for each queue. */
#define NAPIS_MAX 256
/* Further sockets of a namespace are not counted, so that the next namespace gets its turn. */
#define NETNS_STEPS_MAX (STEPS_MAX / 2)

/* Records in `sockets_found`. */
__u32 sockets_met = 0;
/* Set when the walk reached the end of the lists. */
__u32 sockets_complete = 0;
/* Set when the socket to resume after no longer existed: others of its namespace may be missing. */
__u32 sockets_torn = 0;
/* Set when this kernel has no AF_XDP. */
__u32 sockets_absent = 0;
/* Maximum of sockets of one namespace that get a record. */
__u32 sockets_limit = 0;
/*
 * Where to resume when `sockets_found` was full: after this socket of this namespace; socket 0 =
 * after the namespace; namespace 0 = at the beginning.
 */
__u32 sockets_after_netns = 0, sockets_after = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, SOCKETS_PART);
	__type(key, __u32);
	__type(value, struct socket_record);
} sockets_found SEC(".maps");

struct socket_walk {
	struct netns_walk netns;
	const struct hlist_node *at; /* next socket; NULL = go to the next namespace */
	__u32 n;                     /* sockets of this namespace that were passed */
	bool seek;                   /* still before the namespace to resume in */
	bool skip;                   /* still before the socket to resume after */
};

static __always_inline void read_ring(const struct xsk_queue *q, struct ring_record *to)
{
	const struct xdp_ring *ring;

	if (!q)
		return;
	ring = BPF_CORE_READ(q, ring);
	to->size = BPF_CORE_READ(q, nentries);
	/* consumer first: meanwhile the ring can become fuller, but not less than empty */
	to->consumer = BPF_CORE_READ(ring, consumer);
	to->producer = BPF_CORE_READ(ring, producer);
	to->flags = BPF_CORE_READ(ring, flags);
}

/*
 * xsk_getsockopt() XDP_STATISTICS in net/xdp/xsk.c reads the same counters, except for the invalid
 * addresses in the fill ring, which it does not report.
 */
static __always_inline void read_rings(const struct xdp_sock *x, struct socket_record *to)
{
	const struct xsk_queue *rx = BPF_CORE_READ(x, rx), *tx = BPF_CORE_READ(x, tx);
	const struct xsk_queue *fill, *completion;

	/* bind() gives both rings to the pool; a bind() that fails frees the pool again */
	if (to->state != XSK_READY) {
		const struct xsk_buff_pool *pool = BPF_CORE_READ(x, pool);

		fill = BPF_CORE_READ(pool, fq);
		completion = BPF_CORE_READ(pool, cq);
		if (fill) {
			to->rx_fill_ring_empty = BPF_CORE_READ(fill, queue_empty_descs);
			to->fill_invalid = BPF_CORE_READ(fill, invalid_descs);
		}
	} else {
		fill = BPF_CORE_READ(x, fq_tmp);
		completion = BPF_CORE_READ(x, cq_tmp);
	}
	read_ring(rx, &to->rx);
	read_ring(fill, &to->fill);
	read_ring(tx, &to->tx);
	read_ring(completion, &to->completion);
	to->rx_dropped = BPF_CORE_READ(x, rx_dropped);
	to->rx_queue_full = BPF_CORE_READ(x, rx_queue_full);
	if (tx) {
		to->tx_invalid = BPF_CORE_READ(tx, invalid_descs);
		to->tx_ring_empty = BPF_CORE_READ(tx, queue_empty_descs);
	}
}

/*
 * The NAPI that is looked for, and whether it defers interrupts (-1 = not found). Not on the stack:
 * up to 6.6 the verifier takes what bpf_loop()'s caller wrote there as constant.
 */
static const struct list_head *napi_at, *napi_head;
static __u32 napi_id;
static int napi_defers;

/* Step to the next NAPI of the device. 1 = end. bpf_loop(), because the verifier walks a loop. */
static long napi_step(__u32 index, void *ctx)
{
	const struct list_head *at = napi_at;
	const struct napi_struct *napi = CONTAINER(at, struct napi_struct, dev_list);

	if (!at || at == napi_head)
		return 1;
	napi_at = BPF_CORE_READ(at, next);
	if (BPF_CORE_READ(napi, napi_id) != napi_id)
		return 0;
	napi_defers =
		BPF_CORE_READ(napi, defer_hard_irqs) && BPF_CORE_READ(napi, gro_flush_timeout);
	return 1;
}

/*
 * Whether interrupts stay off between two busy polls: busy_poll_stop() in net/core/dev.c. A NAPI
 * has values of its own since 6.13; without its id those of the device apply to all.
 */
static __always_inline bool defers_irqs(const struct xdp_sock *x, const struct net_device *dev)
{
	const struct list_head *head;

	head = (const void *)((const char *)dev + bpf_core_field_offset(dev->napi_list));
	napi_id = BPF_CORE_READ(x, sk.sk_napi_id);
	napi_at = BPF_CORE_READ(head, next);
	napi_head = head;
	napi_defers = -1;
	if (napi_id && bpf_core_field_exists(struct napi_struct, defer_hard_irqs))
		bpf_loop(NAPIS_MAX, napi_step, NULL, 0);
	if (napi_defers >= 0)
		return napi_defers;
	return BPF_CORE_READ(dev, napi_defer_hard_irqs) && BPF_CORE_READ(dev, gro_flush_timeout);
}

/*
 * Packets on a netkit's leased queue carry the NIC's device and queue, as xsk_rcv_check() expects.
 * Both queues point to each other. The netkit's is the one whose device has no parent.
 */
static __always_inline void read_lease(const struct net_device *dev, struct socket_record *to)
{
	const struct netdev_rx_queue *queue = BPF_CORE_READ(dev, _rx), *lease;
	const __u64 size = bpf_core_type_size(struct netdev_rx_queue);
	const struct net_device *nic;

	if (!bpf_core_field_exists(queue->lease) || !size || to->queue >= to->queues ||
	    BPF_CORE_READ(dev, dev.parent))
		return;
	queue = (const void *)((const char *)queue + to->queue * size);
	lease = BPF_CORE_READ(queue, lease);
	if (!lease)
		return;
	nic = BPF_CORE_READ(lease, dev);
	to->nic_netns = BPF_CORE_READ(nic, nd_net.net, ns.inum);
	to->nic_ifindex = BPF_CORE_READ(nic, ifindex);
	to->nic_queue = ((const char *)lease - (const char *)BPF_CORE_READ(nic, _rx)) / size;
	bpf_core_read(to->nic_ifname, sizeof(to->nic_ifname), &nic->name);
}

static __always_inline void read_xdp_socket(const struct xdp_sock *x, struct socket_record *to)
{
	const void *maps = (const char *)x + bpf_core_field_offset(x->map_list);
	const struct xdp_umem *umem = BPF_CORE_READ(x, umem);

	to->state = BPF_CORE_READ(x, state);
	to->in_map = BPF_CORE_READ(x, map_list.next) != maps;
	/* in another state the device may be gone although the pointer is set */
	if (to->state == XSK_BOUND) {
		const struct net_device *dev = BPF_CORE_READ(x, dev);

		to->ifindex = BPF_CORE_READ(dev, ifindex);
		to->queues = BPF_CORE_READ(dev, real_num_rx_queues);
		to->tx_queues = BPF_CORE_READ(dev, real_num_tx_queues);
		bpf_core_read(to->ifname, sizeof(to->ifname), &dev->name);
		to->queue = BPF_CORE_READ(x, queue_id);
		to->zerocopy = BPF_CORE_READ(x, zc);
		read_lease(dev, to);
		if (bpf_core_field_exists(x->sk.sk_prefer_busy_poll) &&
		    BPF_CORE_READ(x, sk.sk_prefer_busy_poll) && BPF_CORE_READ(x, sk.sk_ll_usec)) {
			to->prefers_busy_poll = 1;
			to->irqs_deferred = defers_irqs(x, dev);
		}
	}
	if (umem) {
		to->umem_size = BPF_CORE_READ(umem, size);
		to->chunk_size = BPF_CORE_READ(umem, chunk_size);
	}
	read_rings(x, to);
}

/* An empty record, which counts once sockets_met is raised; NULL = no room. */
static __always_inline struct socket_record *new_record(const struct net *net)
{
	__u32 slot = sockets_met;
	struct socket_record *to = bpf_map_lookup_elem(&sockets_found, &slot);

	if (!to)
		return NULL;
	__builtin_memset(to, 0, sizeof(*to));
	to->netns = BPF_CORE_READ(net, ns.inum);
	return to;
}

/* Step to the next socket. 1 = end. */
static __always_inline long step_in_netns(struct socket_walk *w)
{
	/* locals: otherwise CO-RE also relocates the path through struct socket_walk */
	const struct hlist_node *at = w->at;
	const struct sock_common *sk = CONTAINER(at, struct sock_common, skc_node);
	struct socket_record *to;
	__u32 inode;

	w->at = BPF_CORE_READ(at, next);
	if (!w->skip && w->n >= sockets_limit) {
		w->n++;
		if (w->n >= NETNS_STEPS_MAX)
			w->at = NULL;
		return 0;
	}
	inode = socket_inode((const struct sock *)sk);
	if (!inode)
		return 0;
	if (w->skip) {
		w->n++;
		w->skip = inode != sockets_after;
		return 0;
	}
	to = new_record(w->netns.net);
	if (!to)
		return 1;
	to->inode = inode;
	read_xdp_socket((const struct xdp_sock *)sk, to);
	/* xsk_release() removes the socket from the list before it frees the rings */
	if (BPF_CORE_READ(sk, skc_node.pprev)) {
		sockets_met++;
		w->n++;
	}
	return 0;
}

/* End of a namespace: record how many sockets were left out. 1 = no room for it. */
static __always_inline long end_netns(struct socket_walk *w)
{
	struct socket_record *to;

	if (w->skip)
		sockets_torn = 1;
	else if (w->n > sockets_limit) {
		to = new_record(w->netns.net);
		if (!to)
			return 1;
		to->left_out = w->n - sockets_limit;
		sockets_met++;
	}
	w->skip = false;
	w->n = 0;
	return 0;
}

/* Step to the next socket or namespace. 1 = end. */
static long socket_step(__u32 index, void *ctx)
{
	struct socket_walk *w = ctx;
	const struct net *net = w->netns.net;

	if (w->at)
		return step_in_netns(w);
	if (w->seek) {
		w->seek = BPF_CORE_READ(net, ns.inum) != sockets_after_netns;
		if (!w->seek && sockets_after) {
			w->skip = true;
			w->at = BPF_CORE_READ(net, xdp.list.first);
			return 0;
		}
	} else if (end_netns(w)) {
		return 1;
	}
	if (!netns_next(&w->netns))
		return 1;
	net = w->netns.net;
	if (net == w->netns.first) {
		/* the namespace to resume in may no longer exist */
		sockets_complete = !w->seek;
		return 1;
	}
	if (!w->seek)
		w->at = BPF_CORE_READ(net, xdp.list.first);
	return 0;
}

SEC("iter/bpf_map")
int xdp_sockets(struct bpf_iter__bpf_map *ctx)
{
	struct socket_walk w = {};
	const struct net *first;

	sockets_met = 0;
	sockets_complete = 0;
	sockets_torn = 0;
	sockets_absent = !bpf_core_field_exists(struct net, xdp);
	if (sockets_absent || !netns_begin(&w.netns))
		return ITER_ONCE;
	first = w.netns.first;
	w.seek = sockets_after_netns;
	if (!w.seek)
		w.at = BPF_CORE_READ(first, xdp.list.first);
	bpf_loop(STEPS_MAX, socket_step, &w, 0);
	return ITER_ONCE;
}
