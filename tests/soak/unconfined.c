// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replaces the calls that protect the program from inspection, because LeakSanitizer attaches to
 * its threads with ptrace. The seccomp filter forbids that, and it needs a dumpable process, which
 * a change of the user id would prevent. Capabilities are still dropped.
 */
#include <errno.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include "base/syscall_filter.h"

/* Linked with --wrap of each. */
int __real_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_syscall_filter_install(unsigned int needs);
int __wrap_syscall_filter_load(const struct syscall_rule *rule, size_t n, unsigned int needs,
			       uint32_t other_call, uint32_t other_arguments);
int __wrap_setresuid(uid_t real, uid_t effective, uid_t saved);

int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	return option == PR_SET_DUMPABLE ? 0 : __real_prctl(option, a, b, c, d);
}

int __wrap_syscall_filter_install(unsigned int needs)
{
	return 0;
}

int __wrap_syscall_filter_load(const struct syscall_rule *rule, size_t n, unsigned int needs,
			       uint32_t other_call, uint32_t other_arguments)
{
	return 0;
}

int __wrap_setresuid(uid_t real, uid_t effective, uid_t saved)
{
	errno = EPERM;
	return -1;
}
