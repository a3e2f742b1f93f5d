/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether an event belongs to the current task. */
#pragma once

#include "follow.h"
#include "kernel_read.h"

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
