/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's synchronize_rcu() is to programs at tracepoints. */
#ifndef XDPTOP_GRACE_PERIOD_H
#define XDPTOP_GRACE_PERIOD_H

#include <linux/membarrier.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Wait until all programs that run now have ended; what they have stored is seen then. And for the
 * events that they run at, but on PREEMPT_RT: those are in a read-side section of RCU too (BH is
 * off). False where the kernel does not wait (nohz_full).
 */
static inline bool grace_period(void)
{
	return !syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

#endif
