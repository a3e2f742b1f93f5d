// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <stddef.h>

/*
 * libc's own load shared libraries, which a static program must not. libcap-ng looks up a user in
 * capng_change_id(), for groups that nobody asks for; libevent looks up hosts, services and
 * protocols where it connects by name, which nobody does.
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

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		struct addrinfo **found)
{
	return EAI_FAIL;
}

void freeaddrinfo(struct addrinfo *found)
{
}

struct servent *getservbyname(const char *name, const char *protocol)
{
	return NULL;
}

struct protoent *getprotobynumber(int protocol)
{
	return NULL;
}
