/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arguments of each tp_btf tracepoint, and the key made from them. The structs have the names
 * and the order of TP_PROTO in include/trace/events/xdp.h and net.h. Where kernels differ, BTF
 * decides which prototype applies, never a version number.
 */
#pragma once

#include "capture_names.h"
#include "series_identity.h"

/* ctx[] of a tp_btf program has one u64 for each argument. */
#define __slot __attribute__((aligned(8)))

/*
 * An argument as the u64 in ctx[]: narrower types are zero-extended (include/trace/bpf_probe.h).
 * The asm keeps the offset fixed, because clang merges loads of two branches into one at a computed
 * offset, which the verifier refuses ("dereference of modified ctx ptr").
 */
#define ARG_U64(args, name)                                                       \
	({                                                                        \
		__u64 arg_;                                                       \
		asm("%0 = *(u64 *)(%1 + %2)"                                      \
		    : "=r"(arg_)                                                  \
		    : "r"(args), "i"(__builtin_offsetof(typeof(*(args)), name))); \
		arg_;                                                             \
	})
/*
 * Load `value`, which is read through a pointer argument, here, once for all later branches. For
 * each such load on each path the verifier of 6.2 to 7.0 searches the kernel's BTF four times,
 * which takes 2 ms (type_is_trusted() and the like, kernel/bpf/verifier.c).
 */
#define load_once(value) asm volatile("" : "+r"(value))
#define ARG(args, name)  ((typeof((args)->name))ARG_U64(args, name))
/* xdp_redirect, xdp_redirect_err */
struct redirect_args {
	const struct net_device *dev;
	const struct bpf_prog *xdp;
	const void *tgt;
	int err __slot;
	union {
		struct { /* up to 5.12 */
			const struct bpf_map *map;
			__u32 index __slot;
		} by_map;
		struct { /* 5.13+ */
			__u32 map_type __slot;
			__u32 map_id __slot;
			__u32 index __slot;
		} by_id;
	};
};

static __always_inline bool redirect_has_map_id(void)
{
	return bpf_core_field_exists(struct bpf_redirect_info, map_id);
}

/*
 * Up to 6.15 the verifier refuses to load a `const void *` argument in tp_btf. Programs named
 * NAME_read copy it from the context with a helper instead; `read` is a constant in each. The
 * helper is called in a noinline function.
 */
static __noinline __u64 redirect_tgt_read(__u64 *ctx)
{
	__u64 tgt = 0;

	kernel_read(&tgt, sizeof(tgt), &((const struct redirect_args *)ctx)->tgt);
	return tgt;
}

static __always_inline const void *redirect_tgt(void *ctx, bool read)
{
	const struct redirect_args *args = ctx;

	return read ? (const void *)redirect_tgt_read(ctx) : ARG(args, tgt);
}

/* The device of the devmap entry `tgt`. */
static __always_inline const struct net_device *redirect_target(const void *tgt)
{
	const struct net_device *dev = NULL;

	if (tgt && bpf_core_type_exists(struct _bpf_dtab_netdev))
		bpf_core_read(&dev, sizeof(dev), &((const struct _bpf_dtab_netdev *)tgt)->dev);
	return dev;
}

static __always_inline __u32 redirect_index(const struct redirect_args *args)
{
	return redirect_has_map_id() ? ARG(args, by_id.index) : ARG(args, by_map.index);
}

static __always_inline __u32 redirect_map_id(const struct redirect_args *args)
{
	const struct bpf_map *map;

	if (redirect_has_map_id())
		return ARG(args, by_id.map_id);
	map = ARG(args, by_map.map);
	return map ? map->id : SERIES_MAP_ID_IFINDEX;
}

static __always_inline __u32 redirect_map_type(const struct redirect_args *args)
{
	const struct bpf_map *map;

	if (redirect_has_map_id())
		return ARG(args, by_id.map_type);
	map = ARG(args, by_map.map);
	return map ? map->map_type : 0;
}

static __always_inline int redirect_identity(void *ctx, struct series_identity *identity, bool read)
{
	const struct redirect_args *args = ctx;
	const struct net_device *dev = ARG(args, dev), *to = NULL;
	const struct bpf_prog *prog = ARG(args, xdp);
	const struct bpf_dtab_netdev *entry = NULL;
	__u32 type = redirect_map_type(args), id = redirect_map_id(args);
	__u32 netns = netns_of(dev), to_netns = 0, target = redirect_index(args);
	__u32 prog_id = prog->aux->id;

	load_once(netns);
	load_once(prog_id);

	if (!can_read() && read) {
		/* tgt is unknown: a redirect through a map has only the index */
		if (type == SERIES_MAP_DEVMAP || type == SERIES_MAP_DEVMAP_HASH)
			type = SERIES_MAP_UNKNOWN;
		else if (!type && id == SERIES_MAP_ID_IFINDEX)
			to_netns = netns;
		else if (!type)
			target = 0;
	} else if (type == SERIES_MAP_DEVMAP || type == SERIES_MAP_DEVMAP_HASH) {
		/* index is a map key; tgt is the device, which may be in another namespace */
		target = 0;
		entry = redirect_tgt(ctx, read);
		to = redirect_target(entry);
		if (to) {
			to_netns = BPF_CORE_READ(to, nd_net.net, ns.inum);
			target = BPF_CORE_READ(to, ifindex);
		}
	} else if (!type) {
		if (id == SERIES_MAP_ID_IFINDEX) {
			to_netns = netns; /* dev_get_by_index_rcu(dev_net(dev), index) */
			to = redirect_tgt(ctx, read); /* for its name; NULL in generic mode */
		} else {
			target = 0; /* no helper was called: index is from an earlier packet */
		}
	}
	identity->key =
		pack(netns, dev->ifindex, to_netns, target, prog_id, type, id, ARG(args, err));
	identity->names = (struct name_sources){ .dev = dev, .to = to, .prog = prog };
	set_entry_prog(&identity->names, entry);
	return 0;
}

struct exception_args {
	const struct net_device *dev;
	const struct bpf_prog *xdp;
	__u32 act __slot;
};

static __always_inline void exception_key(void *ctx, struct series_identity *identity)
{
	const struct exception_args *args = ctx;
	const struct net_device *dev = ARG(args, dev);
	const struct bpf_prog *prog = ARG(args, xdp);

	identity->key =
		pack(netns_of(dev), dev->ifindex, 0, 0, prog->aux->id, 0, 0, ARG(args, act));
	identity->names = (struct name_sources){ .dev = dev, .prog = prog };
}

struct devmap_xmit_args {
	const struct net_device *from_dev;
	const struct net_device *to_dev;
	int sent __slot;
	int drops __slot;
	int err __slot;
};

static __always_inline void devmap_xmit_key(void *ctx, struct series_identity *identity)
{
	const struct devmap_xmit_args *args = ctx;
	const struct net_device *from = ARG(args, from_dev), *to = ARG(args, to_dev);

	identity->key = pack(netns_of(from), from->ifindex, netns_of(to), to->ifindex, 0, 0, 0,
			     ARG(args, err));
	identity->names = (struct name_sources){ .dev = from, .to = to };
	set_bulk_prog(&identity->names, to);
}

struct bulk_tx_args {
	const struct net_device *dev;
	int sent __slot;
	int drops __slot;
	int err __slot;
};

static __always_inline void bulk_tx_key(void *ctx, struct series_identity *identity)
{
	const struct bulk_tx_args *args = ctx;
	const struct net_device *dev = ARG(args, dev);

	identity->key = pack(netns_of(dev), dev->ifindex, 0, 0, 0, 0, 0, ARG(args, err));
	identity->names = (struct name_sources){ .dev = dev };
}

struct cpumap_enqueue_args {
	int map_id __slot;
	unsigned int processed __slot;
	unsigned int drops __slot;
	int to_cpu __slot;
};

static __always_inline void cpumap_enqueue_key(void *ctx, struct series_identity *identity)
{
	const struct cpumap_enqueue_args *args = ctx;

	identity->key =
		pack(0, 0, 0, ARG(args, to_cpu), 0, SERIES_MAP_CPUMAP, ARG(args, map_id), 0);
}

struct cpumap_kthread_args {
	int map_id __slot;
	unsigned int processed __slot;
	unsigned int drops __slot;
	int sched __slot;
	const struct xdp_cpumap_stats *xdp_stats; /* 5.9+ */
};

static __always_inline void cpumap_kthread_key(void *ctx, struct series_identity *identity)
{
	const struct cpumap_kthread_args *args = ctx;

	/* the kthread is bound to the CPU it serves */
	identity->key = pack(0, 0, 0, bpf_get_smp_processor_id(), 0, SERIES_MAP_CPUMAP,
			     ARG(args, map_id), 0);
}

struct net_dev_queue_args {
	const struct sk_buff *skb;
};

/* gso_segs of the skb; 0 = one packet. `read` (a constant): by a helper, which costs more. */
static __always_inline __u16 skb_gso_segs(const struct sk_buff *skb, bool read)
{
	void *info = (void *)(skb->head + skb->end);
	__u16 segs = 0;

	if (!read && bpf_rdonly_cast)
		return CAST(info, struct skb_shared_info)->gso_segs;
	bpf_core_read(&segs, sizeof(segs), &((struct skb_shared_info *)info)->gso_segs);
	return segs;
}

/* Number of packets that GSO makes of this skb; 0 = unknown. */
static __always_inline __u32 skb_segments(const struct sk_buff *skb, bool read)
{
	return skb_gso_segs(skb, read) ?: can_read();
}

static __always_inline void net_dev_queue_key(void *ctx, struct series_identity *identity)
{
	const struct net_dev_queue_args *args = ctx;
	const struct sk_buff *skb = ARG(args, skb);
	const struct net_device *dev = skb->dev;

	identity->key = pack(netns_of(dev), dev->ifindex, 0, 0, 0, 0, 0, 0);
	identity->names = (struct name_sources){ .dev = dev };
}

/* Rare events have no cache, and so no key_ops. */
struct link_attach_failed_args {
	const char *msg;
};

struct netlink_extack_args {
	const char *msg;
};

struct mem_connect_args {
	const struct xdp_mem_allocator *xa;
	const struct xdp_rxq_info *rxq;
};

struct mem_disconnect_args {
	const struct xdp_mem_allocator *xa;
};
