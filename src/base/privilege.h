/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drops privileges after setup: the process parses untrusted names and draws them on root's
 * terminal.
 */
#ifndef XDPTOP_PRIVILEGE_H
#define XDPTOP_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

/* What still has to be possible behind the drop. */
struct privilege_needs {
	int (*works)(void *ctx); /* 0 = all that needs a privilege works now; may be NULL */
	void *ctx;
	int create;       /* directory below which new files are made; -1 = none */
	int replace;      /* directory in which files are replaced and removed, too; -1 = none */
	bool perf_events; /* attaches by perf events */
	bool listens;     /* takes connections of a socket that listens */
};

/*
 * Files are opened with the rights of the user from here on, not with those of capabilities. What
 * privilege_drop() keeps is still permitted. 0, or -errno with a message in why.
 */
int privilege_lower(char *why, size_t size);

/*
 * For good: drops all capabilities if needs->works returns 0 without them, else all but CAP_BPF and
 * CAP_PERFMON. Root becomes nobody; where files are created or replaced, and where `works` fails as
 * nobody, with root as the owner of files (setfsuid()).
 * Sets no_new_privs, not dumpable, Landlock and a seccomp filter, as far as the kernel has them
 * (src/base/landlock.h, src/base/syscall_filter.h). All of these are per thread: call before any
 * thread starts. Closes the directories. 0, or -errno with a message in why.
 */
int privilege_drop(struct privilege_needs *needs, char *why, size_t size);

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
