/* SPDX-License-Identifier: GPL-2.0-only */
/* How the counting programs find the series of an event: struct key_ops of each tracepoint. */
#ifndef XDPTOP_BPF_TP_KEYS_H
#define XDPTOP_BPF_TP_KEYS_H

#include "event_ring.h"
#include "tp_args.h"

/* Word 5 is err, which is 0 unless the redirect failed: xdp_redirect does not use it. */
static __always_inline __u64 redirect_tag(void *ctx, int i, bool read)
{
	const struct redirect_args *args = ctx;

	switch (i) {
	case 0:
		return PACK(ARG(args, dev)->ifindex, redirect_index(args));
	case 1:
		return net_of(ARG(args, dev));
	case 2:
		return (__u64)redirect_tgt(ctx, read);
	case 3:
		return ARG_U64(args, xdp);
	case 4:
		/* the id implies the type */
		return redirect_has_map_id() ? ARG_U64(args, by_id.map_id) : redirect_map_id(args);
	default:
		return ARG_U64(args, err);
	}
}

static __always_inline __u64 redirect_load_tag(void *ctx, int i)
{
	return redirect_tag(ctx, i, false);
}

static __always_inline __u64 redirect_read_tag(void *ctx, int i)
{
	return redirect_tag(ctx, i, true);
}

static __noinline int redirect_load_describe(void *ctx, struct series_identity *identity)
{
	return redirect_identity(ctx, identity, false, false, true);
}

static __noinline int redirect_read_describe(void *ctx, struct series_identity *identity)
{
	return redirect_identity(ctx, identity, true, false, true);
}

DEFINE_KEY_OPS(redirect_ops, 5, redirect_load_tag, redirect_load_describe)
DEFINE_KEY_OPS(redirect_read_ops, 5, redirect_read_tag, redirect_read_describe)
DEFINE_KEY_OPS(redirect_err_ops, 6, redirect_load_tag, redirect_load_describe)
DEFINE_KEY_OPS(redirect_err_read_ops, 6, redirect_read_tag, redirect_read_describe)

static __always_inline __u64 exception_tag(void *ctx, int i)
{
	const struct exception_args *args = ctx;

	switch (i) {
	case 0:
		return PACK(ARG(args, dev)->ifindex, ARG(args, act));
	case 1:
		return net_of(ARG(args, dev));
	default:
		return ARG_U64(args, xdp);
	}
}

static __noinline int exception_describe(void *ctx, struct series_identity *identity)
{
	exception_key(ctx, identity, false);
	return 0;
}

DEFINE_KEY_OPS(exception_ops, 3, exception_tag, exception_describe)

static __always_inline __u64 devmap_xmit_tag(void *ctx, int i)
{
	const struct devmap_xmit_args *args = ctx;

	switch (i) {
	case 0:
		return PACK(ARG(args, from_dev)->ifindex, ARG(args, to_dev)->ifindex);
	case 1:
		return net_of(ARG(args, from_dev));
	case 2:
		return net_of(ARG(args, to_dev));
	default:
		return ARG_U64(args, err);
	}
}

static __noinline int devmap_xmit_describe(void *ctx, struct series_identity *identity)
{
	devmap_xmit_identity(ctx, identity, false, true);
	return 0;
}

DEFINE_KEY_OPS(devmap_xmit_ops, 4, devmap_xmit_tag, devmap_xmit_describe)

static __always_inline __u64 bulk_tx_tag(void *ctx, int i)
{
	const struct bulk_tx_args *args = ctx;

	return i ? net_of(ARG(args, dev)) : PACK(ARG(args, dev)->ifindex, ARG(args, err));
}

static __noinline int bulk_tx_describe(void *ctx, struct series_identity *identity)
{
	bulk_tx_key(ctx, identity, false);
	return 0;
}

DEFINE_KEY_OPS(bulk_tx_ops, 2, bulk_tx_tag, bulk_tx_describe)

static __always_inline __u64 cpumap_enqueue_tag(void *ctx, int i)
{
	const struct cpumap_enqueue_args *args = ctx;

	return PACK(ARG(args, map_id), ARG(args, to_cpu));
}

static __noinline int cpumap_enqueue_describe(void *ctx, struct series_identity *identity)
{
	cpumap_enqueue_key(ctx, identity);
	return 0;
}

DEFINE_KEY_OPS(cpumap_enqueue_ops, 1, cpumap_enqueue_tag, cpumap_enqueue_describe)

static __always_inline __u64 cpumap_kthread_tag(void *ctx, int i)
{
	const struct cpumap_kthread_args *args = ctx;

	return ARG_U64(args, map_id);
}

static __noinline int cpumap_kthread_describe(void *ctx, struct series_identity *identity)
{
	cpumap_kthread_key(ctx, identity);
	return 0;
}

DEFINE_KEY_OPS(cpumap_kthread_ops, 1, cpumap_kthread_tag, cpumap_kthread_describe)

static __always_inline __u64 net_dev_queue_tag(void *ctx, int i)
{
	const struct net_dev_queue_args *args = ctx;
	const struct net_device *dev = ARG(args, skb)->dev;

	return i ? net_of(dev) : dev->ifindex;
}

static __noinline int net_dev_queue_describe(void *ctx, struct series_identity *identity)
{
	net_dev_queue_key(ctx, identity, false);
	return 0;
}

DEFINE_KEY_OPS(net_dev_queue_ops, 2, net_dev_queue_tag, net_dev_queue_describe)

#endif
