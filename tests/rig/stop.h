/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end by signal: SIGINT, SIGTERM, SIGHUP and the parent's death ask for a clean exit. The flag is
 * the rig's only global state, because a signal handler can reach nothing else.
 */
#ifndef RIG_STOP_H
#define RIG_STOP_H

#include <stdbool.h>

int stop_catch_signals(void);
bool stop_requested(void);

#endif
