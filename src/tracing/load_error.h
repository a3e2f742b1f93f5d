/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the kernel refuses to load BPF programs, as far as a process can find out about itself, and
 * what would help: the kernel's own answer is EPERM or EINVAL for all of it.
 */
#ifndef XDPTOP_LOAD_ERROR_H
#define XDPTOP_LOAD_ERROR_H

#include <stdbool.h>
#include <stddef.h>

struct load_error {
	bool root;              /* effective uid 0 */
	bool bpf, perfmon;      /* effective CAP_BPF, CAP_PERFMON, or CAP_SYS_ADMIN for both */
	bool in_user_namespace; /* where capabilities do not count for BPF */
	bool filtered;          /* by seccomp, before this program's own filter */
	char program[512];      /* path of this program, for setcap */
};

void load_error_read(struct load_error *r);

/* One line, name, cause, remedy; err is -EPERM, or -ENOSYS. Returns the exit code. */
int load_error_print(const struct load_error *r, int err, char *why, size_t size);

/*
 * Lockdown's mode confidentiality: BPF may not read kernel memory (its programs are refused with
 * EINVAL) and tracefs is empty. False also where securityfs is not mounted.
 */
bool lockdown_confidential(void);
/* What to say of it. */
#define LOCKDOWN_CONFIDENTIAL \
	"kernel lockdown (confidentiality) forbids tracing; boot with lockdown=integrity"

#endif
