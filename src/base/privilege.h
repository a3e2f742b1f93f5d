/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drops privileges after setup: the process parses untrusted names and draws them on root's
 * terminal.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

/*
 * A set of capabilities (bits 1 << CAP_*) as text: "CAP_BPF, CAP_PERFMON" with prefix "CAP_" and
 * separator
 * ", "; returns buf.
 */
const char *capability_names(uint64_t set, const char *prefix, const char *separator, char *buf,
			     size_t size);
/* The set that a string like "CAP_BPF,CAP_PERFMON" names. Ignores unknown names. */
uint64_t capability_names_find(const char *names);

/* What must still work after the drop. */
struct privilege_needs {
	int (*works)(void *ctx); /* 0 = all that needs a privilege works now; may be NULL */
	void *ctx;
	int create;       /* directory below which new files are made; -1 = none */
	int replace;      /* directory in which files are also removed; -1 = none */
	bool renames;     /* files there are also renamed */
	bool perf_events; /* attaches by perf events */
	bool listens;     /* accepts connections on a listening socket */
	bool passes;      /* passes descriptors over an open socket */
};

/*
 * Makes later open() calls use the user's rights instead of capabilities. The capabilities stay
 * permitted for privilege_drop(). 0, or -errno and *error.
 */
int privilege_lower(struct error *error);

/*
 * Drops all capabilities for good if needs->works returns 0 without them, else all but CAP_BPF and
 * CAP_PERFMON. Root becomes nobody. If files are created or replaced, or if `works` fails as
 * nobody, root stays the owner of files (setfsuid()). Sets no_new_privs, not dumpable, Landlock and
 * a seccomp filter, as far as the kernel has them (src/base/landlock.h, src/base/syscall_filter.h).
 * All of these are per thread: call before any thread starts. Closes the directories. 0, or -errno
 * and *error.
 */
int privilege_drop(struct privilege_needs *needs, struct error *error);

/*
 * If another user set the environment: unsets variables that make curses and libc read files of
 * that user's choice, and HOME. XDG_CONFIG_HOME replaces it for the settings, whose owner is
 * checked. Call first in main().
 */
void privilege_clean_environment(void);

/* Whether another user set the environment: sudo, set-user-ID, file capabilities. */
bool privilege_borrowed(void);
