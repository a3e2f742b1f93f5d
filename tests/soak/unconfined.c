// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In place of what keeps the program from being looked at by its own process: LeakSanitizer is a
 * thread that attaches to the others (ptrace), which the seccomp filter forbids, and which needs a
 * dumpable process, which another user id would end. Capabilities are dropped all the same.
 */
#include <errno.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/types.h>

/* Linked with --wrap=prctl,--wrap=seccomp_load,--wrap=setresuid. */
int __real_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_seccomp_load(const scmp_filter_ctx filter);
int __wrap_setresuid(uid_t real, uid_t effective, uid_t saved);

int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	return option == PR_SET_DUMPABLE ? 0 : __real_prctl(option, a, b, c, d);
}

int __wrap_seccomp_load(const scmp_filter_ctx filter)
{
	return 0;
}

int __wrap_setresuid(uid_t real, uid_t effective, uid_t saved)
{
	errno = EPERM;
	return -1;
}
