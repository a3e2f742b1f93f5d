// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/privilege.h"

#include <cap-ng.h>
#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "base/landlock.h"
#include "base/syscall_filter.h"

#define PREFIX "CAP_"

const char *capability_names(uint64_t set, const char *prefix, const char *separator, char *buf,
			     size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (unsigned int cap = 0; cap < 64 && len < size; cap++) {
		const char *name = set >> cap & 1 ? capng_capability_to_name(cap) : NULL;

		if (!name)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? separator : "",
					prefix);
		for (; *name && len + 1 < size; name++)
			buf[len++] = (char)toupper((unsigned char)*name);
		if (len < size)
			buf[len] = '\0';
	}
	return buf;
}

uint64_t capability_names_find(const char *names)
{
	uint64_t set = 0;

	while (*names) {
		size_t len = strcspn(names, ",");
		char name[32];
		int cap = -1;

		if (!strncmp(names, PREFIX, sizeof(PREFIX) - 1)) {
			snprintf(name, sizeof(name), "%.*s", (int)(len - (sizeof(PREFIX) - 1)),
				 names + sizeof(PREFIX) - 1);
			cap = capng_name_to_capability(name);
		}
		if (cap >= 0 && cap < 64)
			set |= 1ull << cap;
		names += len;
		names += *names == ',';
	}
	return set;
}

#define NOBODY 65534

#define OF_PROCESS (CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_INHERITABLE)

static const unsigned int to_attach[] = { CAP_BPF, CAP_PERFMON };

/*
 * Drops all capabilities from the sets `from` except the n in `keep`, which become effective if
 * permitted. The bounding set stays, because dropping it takes CAP_SETPCAP, and no_new_privs has
 * the same effect.
 */
static int capabilities_drop(capng_type_t from, const unsigned int *keep, size_t n)
{
	if (capng_get_caps_process())
		return -EPERM;
	for (unsigned int cap = 0; cap <= CAP_LAST_CAP; cap++) {
		bool kept = false;

		for (size_t i = 0; i < n; i++)
			kept |= keep[i] == cap && capng_have_capability(CAPNG_PERMITTED, cap);
		capng_update(kept ? CAPNG_ADD : CAPNG_DROP, kept ? CAPNG_EFFECTIVE : from, cap);
	}
	return capng_apply(CAPNG_SELECT_CAPS) ? -EPERM : 0;
}

static bool works(const struct privilege_needs *needs)
{
	return !needs->works || !needs->works(needs->ctx);
}

/*
 * Becomes the user nobody, but keeps root's access to files. The kernel lets the effective uid that
 * made a user namespace do anything in it without a capability (cap_capable(),
 * security/commoncap.c). Files go by the fsuid.
 */
static void root_keep_files(const struct privilege_needs *needs)
{
	if (setresuid(NOBODY, NOBODY, 0))
		return;
	setfsuid(0);
	if (capabilities_drop(CAPNG_EFFECTIVE, to_attach, 2) || !works(needs))
		(void)!setresuid(0, 0, 0);
}

/*
 * Root becomes nobody if no files have to be written as root and `works` returns 0 as nobody
 * without any capability. Otherwise it becomes nobody but keeps root's access to files. It also
 * keeps its uid if the kernel refuses to change the ids (a user namespace, a container without
 * CAP_SETUID), or if `works` still fails.
 */
static void root_leave(const struct privilege_needs *needs)
{
	static const unsigned int change[] = { CAP_SETUID, CAP_SETGID };

	if (geteuid() || capabilities_drop(CAPNG_EFFECTIVE, change, 2))
		return;
	/* keep the saved id, to return to root */
	if (needs->create >= 0 || needs->replace >= 0 || setgroups(0, NULL) ||
	    setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, 0) || !works(needs) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		root_keep_files(needs);
	(void)capabilities_drop(CAPNG_EFFECTIVE, NULL, 0);
}

int privilege_lower(struct error *error)
{
	int err = capabilities_drop(CAPNG_EFFECTIVE, NULL, 0);

	if (!err)
		return 0;
	error->exit_code = EXIT_FAILED;
	return error_set(error, err,
			 "capabilities: %s; refusing to open files with more capabilities than "
			 "needed",
			 strerror(-err));
}

static int filter_install(const struct privilege_needs *needs)
{
	unsigned int calls = 0;

	if (needs->create >= 0 || needs->replace >= 0)
		calls |= SYSCALL_CREATE;
	if (needs->replace >= 0)
		calls |= SYSCALL_REMOVE | (needs->renames ? SYSCALL_REPLACE : 0);
	if (needs->perf_events)
		calls |= SYSCALL_PERF;
	if (needs->listens)
		calls |= SYSCALL_LISTEN;
	if (needs->passes)
		calls |= SYSCALL_PASS;
	return syscall_filter_install(calls);
}

int privilege_drop(struct privilege_needs *needs, struct error *error)
{
	const char *what = "dropping capabilities";
	int err;

	root_leave(needs);
	err = capabilities_drop(OF_PROCESS, to_attach, works(needs) ? 0 : 2);
	if (!err) {
		what = "no_new_privs";
		err = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
	}
	if (!err) {
		what = "not dumpable";
		err = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ? -errno : 0;
	}
	if (!err) {
		what = "Landlock";
		err = landlock_confine(needs->create, needs->replace, false);
	}
	if (needs->create >= 0)
		close(needs->create);
	if (needs->replace >= 0)
		close(needs->replace);
	if (!err) {
		what = "the seccomp filter";
		err = filter_install(needs);
	}
	if (!err)
		return 0;
	error->exit_code = EXIT_FAILED;
	return error_set(error, err, "%s: %s; refusing to run with more privilege than needed",
			 what, strerror(-err));
}

bool privilege_borrowed(void)
{
	return getenv("SUDO_UID") || getauxval(AT_SECURE);
}

void privilege_clean_environment(void)
{
	static const char *const paths[] = { "TERMINFO", "TERMINFO_DIRS", "TERMCAP",    "TERMPATH",
					     "LOCPATH",  "NLSPATH",       "GCONV_PATH", "TZDIR" };
	const char *home = getenv("HOME"), *tz = getenv("TZ");
	char *config;

	if (!privilege_borrowed())
		return;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		unsetenv(paths[i]);
	/* libc opens a path, also ":/path" */
	if (tz && (tz[strspn(tz, ":")] == '/' || strstr(tz, "..")))
		unsetenv("TZ");
	/* curses reads $HOME/.terminfo, but the settings need only this */
	if (home && !getenv("XDG_CONFIG_HOME") && asprintf(&config, "%s/.config", home) >= 0) {
		setenv("XDG_CONFIG_HOME", config, 1);
		free(config);
	}
	unsetenv("HOME");
}
