// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stddef.h>

/*
 * For capng_change_id() of libcap-ng, which nobody asks for the groups of a user. libc's own look
 * up users by shared libraries, which a static program must not load.
 */
struct passwd *getpwuid(uid_t uid)
{
	errno = ENOSYS;
	return NULL;
}

int initgroups(const char *user, gid_t group)
{
	errno = ENOSYS;
	return -1;
}
