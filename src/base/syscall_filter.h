/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The seccomp filter: system calls of sampling, drawing, output and exit, and their arguments. */
#ifndef XDPTOP_SYSCALL_FILTER_H
#define XDPTOP_SYSCALL_FILTER_H

/* What this run does besides. */
enum syscall_need {
	SYSCALL_CREATE = 1,  /* new files: no other open() may write */
	SYSCALL_REPLACE = 2, /* rename and remove files */
	SYSCALL_PERF = 4,    /* attach by perf events */
	SYSCALL_LISTEN = 8,  /* take connections of a socket that listens */
};

/*
 * Confines this thread and those that it starts. A call that is not listed ends with ENOSYS, as in
 * a kernel without it, so that libc takes another; one whose arguments are refused with EPERM.
 * needs: of enum syscall_need. no_new_privs must be set. 0, also in a kernel without seccomp, or
 * -errno.
 */
int syscall_filter_install(unsigned int needs);

#endif
