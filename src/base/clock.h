/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XDPTOP_CLOCK_H
#define XDPTOP_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC, which no setting of the clock moves, in nanoseconds. */
static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

#endif
