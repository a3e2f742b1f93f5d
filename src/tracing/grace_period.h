/* SPDX-License-Identifier: GPL-2.0-or-later */
/* synchronize_rcu() for programs at tracepoints. */
#pragma once

#include <linux/membarrier.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Wait until all programs that run now have ended, so that their stores are visible. This also
 * waits for the traced events to end, except on PREEMPT_RT, because code with BH off is a read-side
 * section of RCU too. False = the kernel does not wait (nohz_full).
 */
static inline bool grace_period(void)
{
	return !syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}
