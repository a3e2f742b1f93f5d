/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the kernel refuses to load BPF programs, and the remedy. The kernel returns EPERM or EINVAL
 * for every cause, so this looks for the cause in the state of the process.
 */
#pragma once

#include <stdbool.h>
#include <sys/utsname.h>
#include "base/error.h"

struct load_error {
	bool root;              /* effective uid 0 */
	bool bpf, perfmon;      /* effective CAP_BPF, CAP_PERFMON, or CAP_SYS_ADMIN for both */
	bool in_user_namespace; /* bpf() checks for capabilities in the initial user namespace */
	bool filtered;          /* a seccomp filter other than xdptop's own */
	char program[512];      /* path of this program, for setcap */
};

/* Read the state of this process. Call it before xdptop's own seccomp filter is loaded. */
void load_error_read(struct load_error *r);

/* Sets cause, remedy and exit code. err is -EPERM or -ENOSYS. */
void load_error_set(const struct load_error *r, int err, struct error *error);

/*
 * Lockdown in mode confidentiality withholds tracefs and the helpers that read kernel memory
 * (EINVAL). The btf backend needs neither. False if securityfs is not mounted.
 */
bool lockdown_confidential(void);
#define LOCKDOWN_CONFIDENTIAL                                                                      \
	"kernel lockdown (confidentiality) forbids what this backend reads; use --backend btf if " \
	"the kernel has BTF, otherwise boot with lockdown=integrity"
#define LOCKDOWN_INTERPRETED                                                                   \
	"in kernel lockdown (confidentiality) it needs the BPF JIT, which is off; run sysctl " \
	"net.core.bpf_jit_enable=1"

/*
 * Whether this kernel crashes when it interprets a program that asks for its CPU: arm64 and riscv64
 * leave such calls to the JIT, even if it is off (bpf_jit_inlines_helper_call() in
 * kernel/bpf/verifier.c, 6.10+).
 */
bool interpreter_crashes(const struct utsname *kernel);
#define INTERPRETER_CRASHES                                                                    \
	"the BPF JIT is off, and without it this kernel crashes on such programs; run sysctl " \
	"net.core.bpf_jit_enable=1"
