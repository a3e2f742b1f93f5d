/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Landlock: which files this process may still write, whatever its user id. */
#ifndef XDPTOP_LANDLOCK_H
#define XDPTOP_LANDLOCK_H

/*
 * Confines this thread and those that it starts, for good. Files open now stay as they are. Others
 * can be read only, but: below the directory `create` new files are made and written, below
 * `replace` also removed and renamed; both are open directories, or -1. No TCP socket binds or
 * connects, no ioctl() on devices but /dev/tty, no signals and abstract sockets to other processes,
 * as far as this kernel's Landlock goes. no_new_privs must be set. 0, also in a kernel without
 * Landlock, or -errno.
 */
int landlock_confine(int create, int replace);

#endif
