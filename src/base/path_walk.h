/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths to write to. Root may write below directories of other users, who could put a link to any
 * file there. The kernel refuses such links only in sticky directories, and only if
 * fs.protected_symlinks is set.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include "base/error.h"

/* Where a path leads: an open directory, and a name in it that is not a link. */
struct path_place {
	int dir; /* O_PATH; -1 = closed */
	char name[NAME_MAX + 1];
	bool proc;   /* the name is a link of /proc (/dev/stdout): open() must follow it */
	bool shared; /* others may put files into the directory */
};

/*
 * The owner of files that this process creates: after privilege_drop() not always the effective
 * uid.
 */
uid_t path_user(void);
/*
 * Follow `path` link by link. The last name need not exist. Returns 0; -EPERM if a link belongs to
 * neither root nor path_user(), or if a directory is world-writable and not sticky; another -errno
 * if the path leads nowhere. On failure *error has the cause, and *p is closed.
 */
int path_walk(const char *path, struct path_place *p, struct error *error);
/*
 * Create this file, which must not exist: it may be evidence of an earlier incident. The descriptor
 * to write to, or -errno.
 */
int path_create(const struct path_place *p, mode_t mode);
/* p may be closed already. */
void path_place_close(struct path_place *p);
/*
 * Create a file beside the name, `temp` = NAME.RANDOM, with this mode less the umask. The
 * descriptor to write to, or -errno.
 */
int path_temp(const struct path_place *p, char temp[NAME_MAX + 1], mode_t mode);
