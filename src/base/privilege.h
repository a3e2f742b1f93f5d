/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the process may still do once everything is loaded: next to nothing. It parses names that
 * others choose and draws them on root's terminal, so it keeps no capability it can do without.
 */
#ifndef XDPTOP_PRIVILEGE_H
#define XDPTOP_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Drop capabilities for good: none are left where `works` (may be NULL) still answers 0 without
 * them, else CAP_BPF and CAP_PERFMON. Then no_new_privs, not dumpable, a seccomp filter. Before any
 * thread is started: they belong to threads. 0, or -errno with a message in why.
 */
int privilege_drop(int (*works)(void *ctx), void *ctx, char *why, size_t size);

/*
 * Forget the variables through which the caller of sudo, or of a binary with file capabilities,
 * could make root read files of his choice (terminfo). Call first in main().
 */
void privilege_clean_environment(void);

/* Whether HOME and XDG_* are somebody else's than the effective user's (sudo, file capabilities).
 */
bool privilege_borrowed(void);

#endif
