/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that glibc has and musl does not. */
#pragma once

#include <features.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/pidfd.h>
#include <unistd.h>
#else
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline int malloc_trim(size_t pad)
{
	return 0;
}

static inline int pidfd_open(pid_t pid, unsigned int flags)
{
	return (int)syscall(SYS_pidfd_open, pid, flags);
}

static inline void closefrom(int first)
{
	syscall(SYS_close_range, first, ~0U, 0);
}
#endif
