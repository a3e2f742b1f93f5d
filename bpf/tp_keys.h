/* SPDX-License-Identifier: GPL-2.0-only */
/* How the counting programs find the series of an event: struct key_ops of each tracepoint. */
#pragma once

#include <bpf/bpf_endian.h>
#include "event_ring.h"
#include "follow.h"
#include "follow_ring.h"
#include "kernel_read.h"
#include "tp_args.h"

#define SERVING_SOFTIRQ 0x00000100 /* include/linux/preempt.h */
#define IN_INTERRUPT    0x00ff0000 /* HARDIRQ_MASK | NMI_MASK */
#define PF_KTHREAD      0x00200000
#define STACK_SIZE      (16 << 10) /* of a task on x86, without KASAN */

/* x86: softirqs run on a stack of their own, except in ksoftirqd. Set before load. */
const volatile bool has_softirq_stack = false;

static __always_inline bool is_ksoftirqd(const struct task_struct *task)
{
	return task->flags & PF_KTHREAD && *(const __u64 *)task->comm == *(const __u64 *)"ksoftirq";
}

/*
 * Whether the event belongs to the current task, not to a softirq that interrupted it. False =
 * unknown. On x86 no program can find the per-CPU variable that knows (__preempt_count) without
 * CONFIG_KALLSYMS_ALL, but a softirq's arguments are on another stack.
 */
static __always_inline bool in_task(void *ctx, const struct task_struct *task,
				    struct follow_count *count)
{
	volatile __u64 *scalar = &count->zero;
	__u64 at;

	/* PREEMPT_RT runs softirqs in tasks and counts them separately */
	if (bpf_core_field_exists(task->softirq_disable_cnt))
		return !(task->softirq_disable_cnt & SERVING_SOFTIRQ);
	if (bpf_core_field_exists(task->thread_info.preempt.count)) /* arm64 */
		return !(task->thread_info.preempt.count & (SERVING_SOFTIRQ | IN_INTERRUPT));
	if (!has_softirq_stack)
		return false;
	/* a pointer stored to memory and loaded again is a number to the verifier */
	*scalar = (__u64)ctx;
	at = *scalar;
	*scalar = 0;
	if (at - (__u64)task->stack >= STACK_SIZE)
		return false;
	if (task->flags & PF_KTHREAD)
		return !is_ksoftirqd(task);
	/*
	 * An interrupt of user mode and the softirqs at its end run on the task's stack, which is
	 * empty then (run_irq_on_irqstack_cond(), invoke_softirq()). Only a system call has its
	 * number here (arch/x86/entry/entry_64.S).
	 */
	return (long)((struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf()))->orig_ax >= 0;
}

/* Define NAME_describe, for struct key_ops, of NAME_key. */
#define DESCRIBE(name)                                                                     \
	static __noinline int name##_describe(void *ctx, struct series_identity *identity) \
	{                                                                                  \
		name##_key(ctx, identity);                                                 \
		return 0;                                                                  \
	}

/* A tracepoint whose key needs only direct loads: its key_ops with a tag of `words`. */
#define KEY_OPS(name, words) \
	DESCRIBE(name)       \
	FOLLOW(name)         \
	DEFINE_KEY_OPS(name##_ops, words, name##_tag, name##_describe, name##_follow)

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
	return redirect_identity(ctx, identity, false);
}

static __noinline int redirect_read_describe(void *ctx, struct series_identity *identity)
{
	return redirect_identity(ctx, identity, true);
}

static __always_inline void redirect_args(void *ctx, struct follow_event *e,
					  struct follow_count *count)
{
	e->arg[FOLLOW_MAP_INDEX] = redirect_index((const struct redirect_args *)ctx);
	e->known = 1 << FOLLOW_MAP_INDEX;
}

FOLLOW(redirect)
DEFINE_KEY_OPS(redirect_ops, 5, redirect_load_tag, redirect_load_describe, redirect_follow)
DEFINE_KEY_OPS(redirect_read_ops, 5, redirect_read_tag, redirect_read_describe, redirect_follow)
DEFINE_KEY_OPS(redirect_err_ops, 6, redirect_load_tag, redirect_load_describe, redirect_follow)
DEFINE_KEY_OPS(redirect_err_read_ops, 6, redirect_read_tag, redirect_read_describe, redirect_follow)

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

static __always_inline void exception_args(void *ctx, struct follow_event *e,
					   struct follow_count *count)
{
	e->known = 0;
}

KEY_OPS(exception, 3)

/* FOLLOW_PROCESSED is the same index as FOLLOW_SENT. */
static __always_inline void bulk_set(struct follow_event *e, __u32 sent, __u32 drops)
{
	e->arg[FOLLOW_SENT] = sent;
	e->arg[FOLLOW_DROPS] = drops;
	e->known = 1 << FOLLOW_SENT | 1 << FOLLOW_DROPS;
}

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

static __always_inline void devmap_xmit_args(void *ctx, struct follow_event *e,
					     struct follow_count *count)
{
	const struct devmap_xmit_args *args = ctx;

	bulk_set(e, ARG(args, sent), ARG(args, drops));
}

KEY_OPS(devmap_xmit, 4)

static __always_inline __u64 bulk_tx_tag(void *ctx, int i)
{
	const struct bulk_tx_args *args = ctx;

	return i ? net_of(ARG(args, dev)) : PACK(ARG(args, dev)->ifindex, ARG(args, err));
}

static __always_inline void bulk_tx_args(void *ctx, struct follow_event *e,
					 struct follow_count *count)
{
	const struct bulk_tx_args *args = ctx;

	bulk_set(e, ARG(args, sent), ARG(args, drops));
}

KEY_OPS(bulk_tx, 2)

static __always_inline __u64 cpumap_enqueue_tag(void *ctx, int i)
{
	const struct cpumap_enqueue_args *args = ctx;

	return PACK(ARG(args, map_id), ARG(args, to_cpu));
}

static __always_inline void cpumap_enqueue_args(void *ctx, struct follow_event *e,
						struct follow_count *count)
{
	const struct cpumap_enqueue_args *args = ctx;

	bulk_set(e, ARG(args, processed), ARG(args, drops));
}

KEY_OPS(cpumap_enqueue, 1)

static __always_inline __u64 cpumap_kthread_tag(void *ctx, int i)
{
	const struct cpumap_kthread_args *args = ctx;

	return ARG_U64(args, map_id);
}

static __always_inline void cpumap_kthread_args(void *ctx, struct follow_event *e,
						struct follow_count *count)
{
	const struct cpumap_kthread_args *args = ctx;

	bulk_set(e, ARG(args, processed), ARG(args, drops));
	e->arg[FOLLOW_SCHED] = ARG(args, sched);
	e->known |= 1 << FOLLOW_SCHED;
	if (bpf_core_type_exists(struct xdp_cpumap_stats)) {
		const struct xdp_cpumap_stats *s = ARG(args, xdp_stats);

		e->arg[FOLLOW_XDP_PASS] = s->pass;
		e->arg[FOLLOW_XDP_DROP] = s->drop;
		e->arg[FOLLOW_XDP_REDIRECT] = s->redirect;
		e->known |= 1 << FOLLOW_XDP_PASS | 1 << FOLLOW_XDP_DROP | 1 << FOLLOW_XDP_REDIRECT;
	}
}

KEY_OPS(cpumap_kthread, 1)

static __always_inline __u64 net_dev_queue_tag(void *ctx, int i)
{
	const struct net_dev_queue_args *args = ctx;
	const struct net_device *dev = ARG(args, skb)->dev;

	return i ? net_of(dev) : dev->ifindex;
}

static __always_inline void queue_args(void *ctx, struct follow_event *e, bool read)
{
	const struct net_dev_queue_args *args = ctx;
	const struct sk_buff *skb = ARG(args, skb);

	e->arg[FOLLOW_LEN] = skb->len;
	e->arg[FOLLOW_PROTOCOL] = bpf_ntohs(skb->protocol);
	e->arg[FOLLOW_QUEUE_MAPPING] = skb->queue_mapping;
	e->arg[FOLLOW_GSO_SEGS] = skb_gso_segs(skb, read);
	e->known = 1 << FOLLOW_LEN | 1 << FOLLOW_PROTOCOL | 1 << FOLLOW_QUEUE_MAPPING |
		   1 << FOLLOW_GSO_SEGS;
}

static __always_inline void net_dev_queue_args(void *ctx, struct follow_event *e,
					       struct follow_count *count)
{
	queue_args(ctx, e, false);
	/* The process is unknown up to 6.1. Reading it needs bpf_rdonly_cast() (6.2), because 5.10
	 * has no bpf_get_current_task_btf(). */
	if (bpf_rdonly_cast &&
	    in_task(ctx, CAST((void *)bpf_get_current_task(), struct task_struct), count)) {
		e->pid = bpf_get_current_pid_tgid() >> 32;
		bpf_get_current_comm(e->comm, sizeof(e->comm));
	}
}

static __always_inline void net_dev_queue_read_args(void *ctx, struct follow_event *e,
						    struct follow_count *count)
{
	queue_args(ctx, e, true);
}

KEY_OPS(net_dev_queue, 2)
FOLLOW(net_dev_queue_read)
DEFINE_KEY_OPS(net_dev_queue_read_ops, 2, net_dev_queue_tag, net_dev_queue_describe,
	       net_dev_queue_read_follow)
