/* SPDX-License-Identifier: GPL-2.0-only */
/* Common to all programs that count: which of their runs are timed. */
#pragma once

#ifndef likely /* newer libbpf has them */
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

/* One event in TIMED_EVERY is timed; not the first ones, which pay for cold caches. */
#define TIMED_EVERY 1024
#define TIMED_FIRST 8
