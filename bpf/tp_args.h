/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each tp_btf event says of its series: from its arguments at hand, and in full (struct kind
 * of count.h). The argument slots in ctx[] are those of TP_PROTO in include/trace/events/xdp.h and
 * net.h; where they differ between kernels, BTF shows which it is.
 */
#ifndef XDPTOP_KINDS_H
#define XDPTOP_KINDS_H

#include "capture_names.h"
#include "event_ring.h"

/*
 * One argument slot, loaded at a fixed offset: clang merges loads of two branches into one at a
 * computed offset, which the verifier refuses ("dereference of modified ctx ptr").
 */
#define ARG(n)                                                                     \
	({                                                                         \
		__u64 arg_;                                                        \
		asm("%0 = *(u64 *)(%1 + %2)" : "=r"(arg_) : "r"(ctx), "i"((n)*8)); \
		arg_;                                                              \
	})

#define DEV(n) ((const struct net_device *)ARG(n))

/* xdp_redirect's arguments 5 to 7: (map, index) up to 5.12, (map_type, map_id, index) after. */
static __always_inline bool redirect_has_map_id(void)
{
	return bpf_core_field_exists(struct bpf_redirect_info, map_id);
}

/*
 * Up to 6.15 the verifier refuses to load a `const void *` argument of tp_btf: then it is read
 * from the context as memory, by programs of their own (`read` is a constant in each).
 */
static __noinline __u64 redirect_tgt_read(__u64 *ctx)
{
	__u64 tgt = 0;

	bpf_probe_read_kernel(&tgt, sizeof(tgt), &ctx[2]);
	return tgt;
}

static __always_inline void *redirect_tgt(__u64 *ctx, bool read)
{
	return (void *)(read ? redirect_tgt_read(ctx) : ARG(2));
}

/* The device behind the `tgt` of a devmap redirect. */
static __always_inline const struct net_device *redirect_target(const void *tgt)
{
	const struct net_device *dev = NULL;

	if (tgt && bpf_core_type_exists(struct _bpf_dtab_netdev))
		bpf_core_read(&dev, sizeof(dev), &((const struct _bpf_dtab_netdev *)tgt)->dev);
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

static __always_inline int redirect_subject(__u64 *ctx, struct subject *s, bool read)
{
	const struct net_device *dev = (void *)ARG(0), *to = NULL;
	const struct bpf_prog *prog = (void *)ARG(1);
	__u32 type = redirect_map_type(ctx), id = redirect_map_id(ctx);
	__u32 netns = netns_of(dev), to_netns = 0, target = redirect_index(ctx);

	if (type == SERIES_MAP_DEVMAP || type == SERIES_MAP_DEVMAP_HASH) {
		/* the index is a map key: the device, maybe of another namespace, is behind tgt */
		target = 0;
		to = redirect_target(redirect_tgt(ctx, read));
		if (to) {
			to_netns = BPF_CORE_READ(to, nd_net.net, ns.inum);
			target = BPF_CORE_READ(to, ifindex);
		}
	} else if (!type) {
		if (id == SERIES_MAP_ID_IFINDEX) {
			to_netns = netns;             /* where the kernel looks an ifindex up */
			to = redirect_tgt(ctx, read); /* only for its name; NULL in generic mode */
		} else {
			target = 0; /* no helper was called: the index is a leftover */
		}
	}
	s->key = pack(netns, dev->ifindex, to_netns, target, prog->aux->id, type, id, ARG(3));
	s->who = (struct who){ .dev = dev, .to = to, .prog = prog };
	return 0;
}

static __always_inline __u64 redirect_word(__u64 *ctx, int i, bool read)
{
	switch (i) {
	case 0:
		return PACK(DEV(0)->ifindex, redirect_index(ctx));
	case 1:
		return net_of(DEV(0));
	case 2:
		return (__u64)redirect_tgt(ctx, read);
	case 3:
		return ARG(1);
	case 4:
		/* the type goes with the id */
		return redirect_has_map_id() ? ARG(5) : redirect_map_id(ctx);
	default:
		return ARG(3);
	}
}

/* A redirect that did not fail has 0 for its errno, and one word less. */
#define REDIRECT(name, words, read)                                         \
	static __always_inline __u64 name##_raw(void *ctx, int i)           \
	{                                                                   \
		return redirect_word(ctx, i, read);                         \
	}                                                                   \
	static __noinline int name##_describe(void *ctx, struct subject *s) \
	{                                                                   \
		return redirect_subject(ctx, s, read);                      \
	}                                                                   \
	KIND(name, words, name##_raw, name##_describe)

REDIRECT(redirect, 5, false)
REDIRECT(redirect_read, 5, true)
REDIRECT(redirect_err, 6, false)
REDIRECT(redirect_err_read, 6, true)

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

	switch (i) {
	case 0:
		return PACK(DEV(0)->ifindex, ARG(2));
	case 1:
		return net_of(DEV(0));
	default:
		return ARG(1);
	}
}

KIND(exception, 3, exception_raw, exception_describe)

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

	switch (i) {
	case 0:
		return PACK(DEV(0)->ifindex, DEV(1)->ifindex);
	case 1:
		return net_of(DEV(0));
	case 2:
		return net_of(DEV(1));
	default:
		return ARG(4);
	}
}

KIND(devmap, 4, devmap_raw, devmap_describe)

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

	return i ? net_of(DEV(0)) : PACK(DEV(0)->ifindex, ARG(3));
}

KIND(bulk_tx, 2, bulk_tx_raw, bulk_tx_describe)

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

KIND(enqueue, 1, enqueue_raw, enqueue_describe)

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

	return ARG(0);
}

KIND(kthread, 1, kthread_raw, kthread_describe)

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

	return i ? net_of(dev) : dev->ifindex;
}

KIND(queue, 2, queue_raw, queue_describe)

#endif
