/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drops privileges after setup: the process parses untrusted names and draws them on root's
 * terminal.
 */
#ifndef XDPTOP_PRIVILEGE_H
#define XDPTOP_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Drops all capabilities if `works` (may be NULL) returns 0 without them, else all but CAP_BPF and
 * CAP_PERFMON. Sets no_new_privs, not dumpable, and a seccomp filter. All of these are per thread:
 * call before any thread starts. 0, or -errno with a message in why.
 */
int privilege_drop(int (*works)(void *ctx), void *ctx, char *why, size_t size);

/*
 * When another user set the environment: unsets what makes curses and libc read files of that
 * user's choice. HOME goes, too; XDG_CONFIG_HOME takes its place for the settings, whose owner is
 * checked. Call first in main().
 */
void privilege_clean_environment(void);

/* Whether another user set the environment: sudo, set-user-ID, file capabilities.
 */
bool privilege_borrowed(void);

#endif
