/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The seccomp filter: system calls of sampling, drawing, output and exit, and their arguments. */
#ifndef XDPTOP_SYSCALL_FILTER_H
#define XDPTOP_SYSCALL_FILTER_H

#include <stddef.h>
#include <stdint.h>

/* What this run does besides. */
enum syscall_need {
	SYSCALL_CREATE = 1,  /* new files: no other open() may write */
	SYSCALL_REPLACE = 2, /* rename and remove files */
	SYSCALL_PERF = 4,    /* attach by perf events */
	SYSCALL_LISTEN = 8,  /* take connections of a socket that listens */
};

#define SYSCALL_ARGS 2 /* conditions of a rule */

/* A call that passes. It may have more than one rule. */
struct syscall_rule {
	int call;
	unsigned int needs; /* of enum syscall_need */
	struct {
		unsigned int arg;
		uint64_t mask, value; /* mask 0: no condition */
	} only[SYSCALL_ARGS];
};

/*
 * Confines this thread and those that it starts to n rules: SECCOMP_RET_* for a call that has none
 * and for one with other arguments. Allocates nothing. no_new_privs must be set. 0 or -errno:
 * -EINVAL or -ENOSYS in a kernel without seccomp.
 */
int syscall_filter_load(const struct syscall_rule *rule, size_t n, unsigned int needs,
			uint32_t other_call, uint32_t other_arguments);
/*
 * The same with the rules of the monitor. A call that is not listed ends with ENOSYS, as in
 * a kernel without it, so that libc takes another; one whose arguments are refused with EPERM. 0,
 * also in a kernel without seccomp, or -errno.
 */
int syscall_filter_install(unsigned int needs);

#endif
