/* SPDX-License-Identifier: GPL-2.0-only */
/* The system call that a task is in. */
#pragma once

#include "core_types.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/*
 * A kernel has either of these two. Which one tells the architecture, and so the system call
 * numbers.
 */
struct pt_regs___x86 {
	unsigned long dx, si, di, orig_ax;
};

struct pt_regs___arm64 {
	__u64 regs[31];
	__u64 orig_x0;
	int syscallno;
};

#pragma clang attribute pop

/* This task's system call: its number and first arguments. */
struct syscall {
	long number;
	__u64 arg[3];
	bool is_x86;
};

/* bpf_task_pt_regs() is in 5.15 and later. */
static __always_inline bool syscall_get(struct syscall *call)
{
	const void *task = bpf_get_current_task_btf();
	const struct pt_regs___x86 *x86;
	const struct pt_regs___arm64 *arm64;
	const void *regs = (const void *)bpf_task_pt_regs((void *)task);

	x86 = regs;
	arm64 = regs;
	if (bpf_core_field_exists(x86->orig_ax)) {
		call->is_x86 = true;
		call->number = BPF_CORE_READ(x86, orig_ax);
		call->arg[0] = BPF_CORE_READ(x86, di);
		call->arg[1] = BPF_CORE_READ(x86, si);
		call->arg[2] = BPF_CORE_READ(x86, dx);
		return true;
	}
	if (bpf_core_field_exists(arm64->syscallno)) {
		call->number = BPF_CORE_READ(arm64, syscallno);
		call->arg[0] = BPF_CORE_READ(arm64, orig_x0);
		call->arg[1] = BPF_CORE_READ(arm64, regs[1]);
		call->arg[2] = BPF_CORE_READ(arm64, regs[2]);
		return true;
	}
	return false;
}

/* bpf() has these numbers. */
static __always_inline bool is_bpf_call(const struct syscall *call)
{
	return call->number == (call->is_x86 ? 321 : 280);
}
