/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGINT, SIGTERM and SIGHUP request a clean exit. The flag is the rig's only global state, because
 * a signal handler gets no other context.
 */
#pragma once

#include <stdbool.h>

int stop_catch_signals(void);
bool stop_requested(void);
/*
 * Waits until @fd is readable (1), @ms have passed (0; -1 = forever), or a stop is requested
 * (-EINTR), without a race between the check and the wait. @fd -1 = only time.
 */
int stop_wait(int fd, int ms);
/*
 * Sleeps 100 us between two looks at a condition. *@looks is 0 before the first look. -EINTR = a
 * stop was requested, -ETIMEDOUT = a minute or more has passed.
 */
int stop_look_again(unsigned int *looks);
/* Stops this process when its parent ends; only for processes that run until they are stopped. */
int stop_with_parent(void);
