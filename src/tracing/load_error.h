/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the kernel refuses to load BPF programs, and the remedy. The kernel returns EPERM or EINVAL
 * for every cause; this reads from the process's own state which one it is.
 */
#ifndef XDPTOP_LOAD_ERROR_H
#define XDPTOP_LOAD_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/utsname.h>

struct load_error {
	bool root;              /* effective uid 0 */
	bool bpf, perfmon;      /* effective CAP_BPF, CAP_PERFMON, or CAP_SYS_ADMIN for both */
	bool in_user_namespace; /* bpf() checks for capabilities in the initial one */
	bool filtered;          /* by a seccomp filter other than xdptop's own */
	char program[512];      /* path of this program, for setcap */
};

/* Read the state of this process, before its own seccomp filter. */
void load_error_read(struct load_error *r);

/* Print cause and remedy on one line. err is -EPERM or -ENOSYS. Returns the exit code. */
int load_error_print(const struct load_error *r, int err, char *why, size_t size);

/*
 * Lockdown in mode confidentiality: the helpers that read kernel memory are withheld (EINVAL), and
 * tracefs is. The btf backend does without. False where securityfs is not mounted.
 */
bool lockdown_confidential(void);
/* Causes and remedies. */
#define LOCKDOWN_CONFIDENTIAL                                                           \
	"kernel lockdown (confidentiality) forbids what this backend reads; where the " \
	"kernel has BTF take --backend btf, else boot with lockdown=integrity"
#define LOCKDOWN_INTERPRETED                                                                      \
	"in kernel lockdown (confidentiality) it needs the BPF JIT, which is off; switch it on: " \
	"sysctl net.core.bpf_jit_enable=1"

/*
 * Whether this kernel crashes when it interprets a program that asks for its CPU: arm64 and riscv64
 * leave such calls to the JIT, also where that is off (bpf_jit_inlines_helper_call() in
 * kernel/bpf/verifier.c, 6.10+).
 */
bool interpreter_crashes(const struct utsname *kernel);
/* Cause and remedy. */
#define INTERPRETER_CRASHES                                                                       \
	"the BPF JIT is off, and without it this kernel crashes at such programs; switch it on: " \
	"sysctl net.core.bpf_jit_enable=1"

#endif
