/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Landlock: which files this process may still write, whatever its user id. */
#pragma once

#include <stdbool.h>

/*
 * Confines this thread, and threads that it starts, for good. Open files stay as they are. Others
 * can only be read, with two exceptions: below the directory `create` new files can be made and
 * written, below `replace` also removed and renamed. Both are open directories, or -1. With
 * `starts` other programs can be started, which are confined like it. TCP sockets cannot bind or
 * connect, ioctl() works on no device but /dev/tty, and signals and abstract sockets do not reach
 * other processes, as far as this kernel's Landlock supports it. no_new_privs must be set. 0, even
 * in a kernel without Landlock, or -errno.
 */
int landlock_confine(int create, int replace, bool starts);
