// SPDX-License-Identifier: GPL-2.0-only
/*
 * One program per tracepoint, for kernels with BTF. Each reports the events that match. They load
 * through typed pointers where the verifier knows the type, because helpers cost more.
 */
#define TGT_READ __always_inline
#include "tp_args.h"
#include <bpf/bpf_endian.h>
#include "follow_ring.h"

static __always_inline void name_load(__u64 *to, const char *name)
{
	const __u64 *from = (const __u64 *)name;

	to[0] = from[0];
	to[1] = from[1];
}

static __always_inline void load_names(struct follow_names *to, const struct name_sources *from,
				       bool cast)
{
	const struct net_device *target = from->to;
	bool none = __builtin_constant_p((__u64)target) && !target;

	if (from->dev)
		name_load(&to->word[0], from->dev->name);
	if (cast && !none) /* no device: "", see redirect_identity() */
		name_load(&to->word[2], target->name);
	else if (target) /* for redirects, the verifier sees a number */
		bpf_core_read(&to->word[2], SERIES_NAME_LEN, &target->name);
	if (from->prog)
		name_load(&to->word[4], TYPED(from->prog, struct bpf_prog, cast)->aux->name);
}

/*
 * Define a follow_fn from a function with one more constant argument: whether to cast pointers
 * (TYPED() in tp_args.h), which needs 6.2. Before 6.2 typed pointers cost the verifier nothing.
 */
#define FOLLOW_FN(name)                                                                  \
	static __always_inline void follow_##name(void *ctx, struct follow_count *count, \
						  __u32 tracepoint)                      \
	{                                                                                \
		if (bpf_rdonly_cast)                                                     \
			name##_event(ctx, count, tracepoint, true);                      \
		else                                                                     \
			name##_event(ctx, count, tracepoint, false);                     \
	}

#define FOLLOW_PROGRAM_AT(name, at, tracepoint, follow)                          \
	SEC("tp_btf/" #at)                                                       \
	int name(void *ctx)                                                      \
	{                                                                        \
		struct follow_count *count = follow_count(tracepoint);           \
                                                                                 \
		return count ? follow_event(ctx, count, tracepoint, follow) : 0; \
	}

#define FOLLOW_PROGRAM(name, tracepoint, fn) FOLLOW_PROGRAM_AT(name, name, tracepoint, follow_##fn)

static __always_inline void redirect_follow(void *ctx, struct follow_count *count, __u32 tracepoint,
					    bool read, bool cast)
{
	const struct redirect_args *args = ctx;
	struct series_identity id = {};
	struct follow_event *e;

	if (!may_match(ARG(args, dev)->ifindex, ARG(args, err)))
		return;
	redirect_identity(ctx, &id, read, cast, false);
	e = follow_new(count, tracepoint, &id, cast);
	if (!e)
		return;
	e->arg[FOLLOW_MAP_INDEX] = redirect_index(args);
	e->known = 1 << FOLLOW_MAP_INDEX;
	follow_submit(count, tracepoint);
}

static __always_inline void redirect_event(void *ctx, struct follow_count *count, __u32 tracepoint,
					   bool cast)
{
	redirect_follow(ctx, count, tracepoint, false, cast);
}

static __always_inline void redirect_read_event(void *ctx, struct follow_count *count,
						__u32 tracepoint, bool cast)
{
	redirect_follow(ctx, count, tracepoint, true, cast);
}

FOLLOW_FN(redirect)
FOLLOW_FN(redirect_read)

/* As in xdptop.bpf.c, NAME_read is used where the verifier refuses to load tgt. */
#define REDIRECT_PROGRAM(name, tracepoint)         \
	FOLLOW_PROGRAM(name, tracepoint, redirect) \
	FOLLOW_PROGRAM_AT(name##_read, name, tracepoint, follow_redirect_read)

REDIRECT_PROGRAM(xdp_redirect, TP_XDP_REDIRECT)
REDIRECT_PROGRAM(xdp_redirect_err, TP_XDP_REDIRECT_ERR)

static __always_inline void exception_event(void *ctx, struct follow_count *count, __u32 tracepoint,
					    bool cast)
{
	const struct exception_args *args = ctx;
	struct series_identity id = {};
	struct follow_event *e;

	if (!may_match(ARG(args, dev)->ifindex, ARG(args, act)))
		return;
	exception_key(ctx, &id, cast);
	e = follow_new(count, tracepoint, &id, cast);
	if (!e)
		return;
	e->known = 0;
	follow_submit(count, tracepoint);
}

FOLLOW_FN(exception)
FOLLOW_PROGRAM(xdp_exception, TP_XDP_EXCEPTION, exception)

/* FOLLOW_PROCESSED is the same index as FOLLOW_SENT. */
static __always_inline void bulk_submit(struct follow_count *count, __u32 tracepoint,
					struct follow_event *e, __s32 sent, __s32 drops)
{
	e->arg[FOLLOW_SENT] = sent;
	e->arg[FOLLOW_DROPS] = drops;
	e->known = 1 << FOLLOW_SENT | 1 << FOLLOW_DROPS;
	follow_submit(count, tracepoint);
}

static __always_inline void devmap_xmit_event(void *ctx, struct follow_count *count,
					      __u32 tracepoint, bool cast)
{
	const struct devmap_xmit_args *args = ctx;
	struct series_identity id = {};
	struct follow_event *e;

	if (!may_match(ARG(args, from_dev)->ifindex, ARG(args, err)))
		return;
	devmap_xmit_identity(ctx, &id, cast, false);
	e = follow_new(count, tracepoint, &id, cast);
	if (e)
		bulk_submit(count, tracepoint, e, ARG(args, sent), ARG(args, drops));
}

FOLLOW_FN(devmap_xmit)
FOLLOW_PROGRAM(xdp_devmap_xmit, TP_XDP_DEVMAP_XMIT, devmap_xmit)

static __always_inline void bulk_tx_event(void *ctx, struct follow_count *count, __u32 tracepoint,
					  bool cast)
{
	const struct bulk_tx_args *args = ctx;
	struct series_identity id = {};
	struct follow_event *e;

	if (!may_match(ARG(args, dev)->ifindex, ARG(args, err)))
		return;
	bulk_tx_key(ctx, &id, cast);
	e = follow_new(count, tracepoint, &id, cast);
	if (e)
		bulk_submit(count, tracepoint, e, ARG(args, sent), ARG(args, drops));
}

FOLLOW_FN(bulk_tx)
FOLLOW_PROGRAM(xdp_bulk_tx, TP_XDP_BULK_TX, bulk_tx)

static __always_inline void follow_cpumap_enqueue(void *ctx, struct follow_count *count,
						  __u32 tracepoint)
{
	const struct cpumap_enqueue_args *args = ctx;
	struct series_identity id = {};
	struct follow_event *e;

	cpumap_enqueue_key(ctx, &id);
	e = follow_new(count, tracepoint, &id, false);
	if (e)
		bulk_submit(count, tracepoint, e, ARG(args, processed), ARG(args, drops));
}

FOLLOW_PROGRAM(xdp_cpumap_enqueue, TP_XDP_CPUMAP_ENQUEUE, cpumap_enqueue)

static __always_inline void follow_cpumap_kthread(void *ctx, struct follow_count *count,
						  __u32 tracepoint)
{
	const struct cpumap_kthread_args *args = ctx;
	struct series_identity id = {};
	struct follow_event *e;

	cpumap_kthread_key(ctx, &id);
	e = follow_new(count, tracepoint, &id, false);
	if (!e)
		return;
	e->arg[FOLLOW_PROCESSED] = ARG(args, processed);
	e->arg[FOLLOW_DROPS] = ARG(args, drops);
	e->arg[FOLLOW_SCHED] = ARG(args, sched);
	e->known = 1 << FOLLOW_PROCESSED | 1 << FOLLOW_DROPS | 1 << FOLLOW_SCHED;
	if (bpf_core_type_exists(struct xdp_cpumap_stats)) {
		const struct xdp_cpumap_stats *s = ARG(args, xdp_stats);

		e->arg[FOLLOW_XDP_PASS] = s->pass;
		e->arg[FOLLOW_XDP_DROP] = s->drop;
		e->arg[FOLLOW_XDP_REDIRECT] = s->redirect;
		e->known |= 1 << FOLLOW_XDP_PASS | 1 << FOLLOW_XDP_DROP | 1 << FOLLOW_XDP_REDIRECT;
	}
	follow_submit(count, tracepoint);
}

FOLLOW_PROGRAM(xdp_cpumap_kthread, TP_XDP_CPUMAP_KTHREAD, cpumap_kthread)

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

static __always_inline void skb_event(void *ctx, struct follow_count *count, __u32 tracepoint,
				      bool cast)
{
	const struct net_dev_queue_args *args = ctx;
	const struct sk_buff *skb = ARG(args, skb);
	struct series_identity id = {};
	struct follow_event *e;

	if (!may_match(TYPED(skb, struct sk_buff, cast)->dev->ifindex, 0))
		return;
	net_dev_queue_key(ctx, &id, cast);
	e = follow_new(count, tracepoint, &id, cast);
	if (!e)
		return;
	e->arg[FOLLOW_LEN] = skb->len;
	e->arg[FOLLOW_PROTOCOL] = bpf_ntohs(skb->protocol);
	e->arg[FOLLOW_QUEUE_MAPPING] = skb->queue_mapping;
	e->arg[FOLLOW_GSO_SEGS] = skb_gso_segs(skb, !cast);
	e->known = 1 << FOLLOW_LEN | 1 << FOLLOW_PROTOCOL | 1 << FOLLOW_QUEUE_MAPPING |
		   1 << FOLLOW_GSO_SEGS;
	/* unknown up to 6.1: this takes bpf_rdonly_cast() (6.2), since 5.10 lacks
	 * bpf_get_current_task_btf() */
	if (cast && in_task(ctx, CAST((void *)bpf_get_current_task(), struct task_struct), count)) {
		e->pid = bpf_get_current_pid_tgid() >> 32;
		bpf_get_current_comm(e->comm, sizeof(e->comm));
	}
	follow_submit(count, tracepoint);
}

FOLLOW_FN(skb)
FOLLOW_PROGRAM(net_dev_queue, TP_NET_DEV_QUEUE, skb)

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

static __always_inline void follow_other(void *ctx, struct follow_count *count, __u32 tracepoint)
{
	struct series_identity id = {};
	struct follow_event *e = follow_new(count, tracepoint, &id, false);

	if (!e)
		return;
	e->known = 0;
#pragma unroll
	for (__u32 i = 0; i < FOLLOW_OTHER_ARGS; i++) {
		__u32 kind = follow_words[tracepoint - TP_OTHER][i];

		if (!kind)
			continue;
		e->word[i] = follow_word(ctx, kind, i);
		e->known |= 1 << i;
	}
	follow_submit(count, tracepoint);
}

/* User space sets the attach target of these before load. */
FOLLOW_PROGRAM_AT(other_0, xdp_exception, TP_OTHER, follow_other)
FOLLOW_PROGRAM_AT(other_1, xdp_exception, TP_OTHER + 1, follow_other)
FOLLOW_PROGRAM_AT(other_2, xdp_exception, TP_OTHER + 2, follow_other)
FOLLOW_PROGRAM_AT(other_3, xdp_exception, TP_OTHER + 3, follow_other)
