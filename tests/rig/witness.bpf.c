// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rig's own counters, for --verify. Deliberately simple (one shared hash, atomic adds, no
 * cache) and without any code of xdptop's programs, so that both can only be wrong for different
 * reasons. Prototypes of 5.10 to 7.2.
 */
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "series.h"

#define CORE __attribute__((preserve_access_index))

struct ns_common {
	unsigned int inum;
} CORE;

struct net {
	struct ns_common ns;
} CORE;

typedef struct {
	struct net *net;
} CORE possible_net_t;

struct net_device {
	int ifindex;
	possible_net_t nd_net;
} CORE;

struct bpf_prog_aux {
	__u32 id;
} CORE;

struct bpf_prog {
	struct bpf_prog_aux *aux;
} CORE;

struct sk_buff {
	struct net_device *dev;
	unsigned int len;
} CORE;

struct bpf_map {
	enum bpf_map_type map_type;
	__u32 id;
} CORE;

/* Only used to check for its members. */
struct bpf_redirect_info {
	__u32 map_id;
} CORE;

struct xdp_rxq_info {
	struct net_device *dev;
} CORE;

struct xdp_cpumap_stats {
	unsigned int redirect;
	unsigned int pass;
	unsigned int drop;
} CORE;

struct nsproxy {
	struct net *net_ns;
} CORE;

struct task_struct {
	struct nsproxy *nsproxy;
} CORE;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct series_key);
	__type(value, struct series_counts);
} series SEC(".maps");

/* Series that found the table full: must stay 0, or the result is worthless. */
__u64 lost;

#define ADD(counts, field, n) __sync_fetch_and_add(&(counts)->count[(field)-FIELD_IDS], (__u64)(n))

static __always_inline void series_clear(struct series_key *key, enum series_tracepoint tp)
{
	key->tracepoint = tp;
	for (int i = 0; i < FIELD_IDS; i++)
		key->id[i] = SERIES_NULL;
}

static __always_inline struct series_counts *series_count(const struct series_key *key)
{
	static const struct series_counts zero;
	struct series_counts *counts = bpf_map_lookup_elem(&series, key);

	if (!counts) {
		bpf_map_update_elem(&series, key, &zero, BPF_NOEXIST);
		counts = bpf_map_lookup_elem(&series, key);
	}
	if (counts)
		ADD(counts, FIELD_EVENTS, 1);
	else
		__sync_fetch_and_add(&lost, 1);
	return counts;
}

static __always_inline void series_dev(struct series_key *key, struct net_device *dev)
{
	key->id[FIELD_NETNS] = dev->nd_net.net->ns.inum;
	key->id[FIELD_IFINDEX] = dev->ifindex;
}

SEC("tp_btf/xdp_exception")
int on_exception(__u64 *ctx)
{
	struct net_device *dev = (void *)ctx[0];
	struct bpf_prog *prog = (void *)ctx[1];
	struct series_counts *counts;
	struct series_key key;

	series_clear(&key, TP_XDP_EXCEPTION);
	series_dev(&key, dev);
	key.id[FIELD_PROG_ID] = prog->aux->id;
	key.id[FIELD_ACT] = (__u32)ctx[2];
	counts = series_count(&key);
	if (counts) {
		ADD(counts, FIELD_PACKETS, 1);
		ADD(counts, FIELD_DROPS, 1);
	}
	return 0;
}

/* The map type determines the meaning of the redirect's arguments. */
static __always_inline int redirect_count(__u64 *ctx, enum series_tracepoint tp)
{
	struct net_device *dev = (void *)ctx[0];
	struct bpf_prog *prog = (void *)ctx[1];
	struct net_device *to = NULL;
	struct series_counts *counts;
	struct net *net = NULL;
	struct series_key key;
	__u64 tgt = 0, map = 0;
	__u32 type = 0, map_id, index;

	series_clear(&key, tp);
	series_dev(&key, dev);
	key.id[FIELD_PROG_ID] = prog->aux->id;
	key.id[FIELD_ACT] = XDP_REDIRECT;
	key.id[FIELD_ERR] = (int)ctx[3];
	/* `const void *` cannot be read before 6.16: copy it as a number. */
	bpf_probe_read_kernel(&tgt, sizeof(tgt), &ctx[2]);
	if (bpf_core_field_exists(((struct bpf_redirect_info *)0)->map_id)) {
		type = ctx[4];
		map_id = ctx[5];
		index = ctx[6];
	} else {
		/* up to 5.12 the map itself, NULL for a redirect by ifindex */
		bpf_probe_read_kernel(&map, sizeof(map), &ctx[4]);
		map_id = 0x7fffffff;
		index = ctx[5];
		if (map) {
			struct bpf_map *m = (void *)map;

			bpf_probe_read_kernel(&type, sizeof(type), &m->map_type);
			bpf_probe_read_kernel(&map_id, sizeof(map_id), &m->id);
		}
	}
	if (type) {
		key.id[FIELD_MAP_TYPE] = type;
		key.id[FIELD_MAP_ID] = map_id;
	}
	if (type == BPF_MAP_TYPE_CPUMAP) {
		key.id[FIELD_TO_CPU] = index;
	} else if (!type && map_id == 0x7fffffff) {
		/* looked up in the namespace of the redirecting device */
		key.id[FIELD_TO_IFINDEX] = index;
		key.id[FIELD_TO_NETNS] = key.id[FIELD_NETNS];
	} else if ((type == BPF_MAP_TYPE_DEVMAP || type == BPF_MAP_TYPE_DEVMAP_HASH) && tgt) {
		/* struct bpf_dtab_netdev starts with its device, for this tracepoint. */
		__u32 inum = 0;
		int ifindex = 0;

		bpf_probe_read_kernel(&to, sizeof(to), (void *)tgt);
		bpf_probe_read_kernel(&ifindex, sizeof(ifindex), &to->ifindex);
		bpf_probe_read_kernel(&net, sizeof(net), &to->nd_net.net);
		bpf_probe_read_kernel(&inum, sizeof(inum), &net->ns.inum);
		key.id[FIELD_TO_IFINDEX] = ifindex;
		key.id[FIELD_TO_NETNS] = inum;
	}
	counts = series_count(&key);
	if (counts) {
		ADD(counts, FIELD_PACKETS, 1);
		if (tp == TP_XDP_REDIRECT_ERR)
			ADD(counts, FIELD_DROPS, 1);
	}
	return 0;
}

SEC("tp_btf/xdp_redirect")
int on_redirect(__u64 *ctx)
{
	return redirect_count(ctx, TP_XDP_REDIRECT);
}

SEC("tp_btf/xdp_redirect_err")
int on_redirect_err(__u64 *ctx)
{
	return redirect_count(ctx, TP_XDP_REDIRECT_ERR);
}

SEC("tp_btf/xdp_devmap_xmit")
int on_devmap_xmit(__u64 *ctx)
{
	struct net_device *from = (void *)ctx[0];
	struct net_device *to = (void *)ctx[1];
	struct series_counts *counts;
	struct series_key key;

	series_clear(&key, TP_XDP_DEVMAP_XMIT);
	series_dev(&key, from);
	key.id[FIELD_TO_NETNS] = to->nd_net.net->ns.inum;
	key.id[FIELD_TO_IFINDEX] = to->ifindex;
	key.id[FIELD_ERR] = (int)ctx[4];
	counts = series_count(&key);
	if (counts) {
		ADD(counts, FIELD_PACKETS, (int)ctx[2]);
		ADD(counts, FIELD_DROPS, (int)ctx[3]);
	}
	return 0;
}

SEC("tp_btf/xdp_bulk_tx")
int on_bulk_tx(__u64 *ctx)
{
	struct net_device *dev = (void *)ctx[0];
	struct series_counts *counts;
	struct series_key key;

	series_clear(&key, TP_XDP_BULK_TX);
	series_dev(&key, dev);
	key.id[FIELD_ERR] = (int)ctx[3];
	counts = series_count(&key);
	if (counts) {
		ADD(counts, FIELD_PACKETS, (int)ctx[1]);
		ADD(counts, FIELD_DROPS, (int)ctx[2]);
	}
	return 0;
}

SEC("tp_btf/xdp_cpumap_enqueue")
int on_cpumap_enqueue(__u64 *ctx)
{
	struct series_counts *counts;
	struct series_key key;

	series_clear(&key, TP_XDP_CPUMAP_ENQUEUE);
	key.id[FIELD_MAP_ID] = (int)ctx[0];
	key.id[FIELD_TO_CPU] = (int)ctx[3];
	counts = series_count(&key);
	if (counts) {
		ADD(counts, FIELD_PACKETS, (__u32)ctx[1]);
		ADD(counts, FIELD_DROPS, (__u32)ctx[2]);
	}
	return 0;
}

SEC("tp_btf/xdp_cpumap_kthread")
int on_cpumap_kthread(__u64 *ctx)
{
	struct xdp_cpumap_stats *stats = (void *)ctx[4];
	struct series_counts *counts;
	struct series_key key;

	series_clear(&key, TP_XDP_CPUMAP_KTHREAD);
	key.id[FIELD_MAP_ID] = (int)ctx[0];
	counts = series_count(&key);
	if (counts) {
		ADD(counts, FIELD_PACKETS, (__u32)ctx[1]);
		ADD(counts, FIELD_DROPS, (__u32)ctx[2]);
		ADD(counts, FIELD_XDP_PASS, stats->pass);
		ADD(counts, FIELD_XDP_DROP, stats->drop);
		ADD(counts, FIELD_XDP_REDIRECT, stats->redirect);
	}
	return 0;
}

SEC("tp_btf/net_dev_queue")
int on_net_dev_queue(__u64 *ctx)
{
	struct sk_buff *skb = (void *)ctx[0];
	struct series_counts *counts;
	struct series_key key;

	series_clear(&key, TP_NET_DEV_QUEUE);
	series_dev(&key, skb->dev);
	counts = series_count(&key);
	if (counts) {
		/* The rig sends no GSO frames: one skb is one packet. */
		ADD(counts, FIELD_PACKETS, 1);
		ADD(counts, FIELD_BYTES, skb->len);
	}
	return 0;
}

static void attach_refused(enum series_tracepoint tracepoint)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct nsproxy *nsproxy = NULL;
	struct series_key key;
	struct net *net = NULL;
	__u32 inum = 0;

	series_clear(&key, tracepoint);
	bpf_probe_read_kernel(&nsproxy, sizeof(nsproxy), &task->nsproxy);
	bpf_probe_read_kernel(&net, sizeof(net), &nsproxy->net_ns);
	bpf_probe_read_kernel(&inum, sizeof(inum), &net->ns.inum);
	key.id[FIELD_NETNS] = inum;
	key.id[FIELD_PID] = bpf_get_current_pid_tgid() >> 32;
	series_count(&key);
}

SEC("tp_btf/bpf_xdp_link_attach_failed")
int on_link_attach_failed(__u64 *ctx)
{
	attach_refused(TP_LINK_ATTACH_FAILED);
	return 0;
}

SEC("tp_btf/netlink_extack")
int on_netlink_extack(__u64 *ctx)
{
	attach_refused(TP_NETLINK_EXTACK);
	return 0;
}

SEC("tp_btf/mem_connect")
int on_mem_connect(__u64 *ctx)
{
	struct xdp_rxq_info *rxq = (void *)ctx[1];
	struct series_key key;

	series_clear(&key, TP_MEM_CONNECT);
	series_dev(&key, rxq->dev);
	series_count(&key);
	return 0;
}

/* It does not say who released the memory, only who runs: enough to exclude other processes. */
SEC("tp_btf/mem_disconnect")
int on_mem_disconnect(__u64 *ctx)
{
	struct series_key key;

	series_clear(&key, TP_MEM_DISCONNECT);
	key.id[FIELD_PID] = bpf_get_current_pid_tgid() >> 32;
	series_count(&key);
	return 0;
}

char _license[] SEC("license") = "GPL";
