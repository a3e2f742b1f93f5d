/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The seccomp filter: system calls of sampling, drawing, output and exit, and their arguments. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What else this run does. */
enum syscall_need {
	SYSCALL_CREATE = 1,  /* new files: no other open() may write */
	SYSCALL_REPLACE = 2, /* rename files */
	SYSCALL_PERF = 4,    /* attach by perf events */
	SYSCALL_LISTEN = 8,  /* accept connections on a listening socket */
	SYSCALL_REMOVE = 16, /* remove files */
	SYSCALL_PASS = 32,   /* pass descriptors of processes and files over an open socket */
};

#define SYSCALL_ARGS 2 /* conditions of a rule */

/* An allowed call. It may have more than one rule. */
struct syscall_rule {
	int call;
	unsigned int needs; /* bits of enum syscall_need */
	struct {
		unsigned int arg;
		uint64_t mask, value; /* mask 0: no condition */
	} only[SYSCALL_ARGS];
};

/*
 * Confines this thread, and threads that it starts, to n rules. other_call is the SECCOMP_RET_* for
 * a call without a rule, other_arguments for a listed call with other arguments. Allocates nothing.
 * no_new_privs must be set. 0 or -errno: -EINVAL or -ENOSYS in a kernel without seccomp.
 */
int syscall_filter_load(const struct syscall_rule *rule, size_t n, unsigned int needs,
			uint32_t other_call, uint32_t other_arguments);
/*
 * The same with the rules of the monitor. A call without a rule fails with ENOSYS, as in a kernel
 * without it, so that libc tries another one. A call with refused arguments fails with EPERM. 0,
 * even in a kernel without seccomp, or -errno.
 */
int syscall_filter_install(unsigned int needs);
