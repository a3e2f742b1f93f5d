/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end by signal: SIGINT, SIGTERM and SIGHUP ask for a clean exit. The flag is
 * the rig's only global state, because a signal handler can reach nothing else.
 */
#ifndef RIG_STOP_H
#define RIG_STOP_H

#include <stdbool.h>

int stop_catch_signals(void);
bool stop_requested(void);
/*
 * Until @fd can be read (1), @ms are over (0; -1 = never) or a stop is requested (-EINTR), without
 * the gap between asking for a stop and falling asleep. @fd -1: only time.
 */
int stop_wait(int fd, int ms);
/*
 * Between two looks at a condition: sleeps 100 us. *@looks is 0 before the first look. -EINTR when
 * a stop is requested, -ETIMEDOUT when that has been asked for a minute or more.
 */
int stop_look_again(unsigned int *looks);
/* Be stopped when the parent ends; only for what runs until it is told to stop. */
int stop_with_parent(void);

#endif
