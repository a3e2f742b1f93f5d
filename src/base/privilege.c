// SPDX-License-Identifier: GPL-2.0-or-later
#include <cap-ng.h>
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include "base/privilege.h"

/*
 * System calls of sampling, drawing, output and exit. No exec, ptrace, socket, mount, namespaces or
 * setuid; sockets were opened before. bpf() toggles tracepoints and reads program info;
 * capabilities limit its commands.
 */
static const int allowed[] = {
	SCMP_SYS(bpf),
	SCMP_SYS(perf_event_open), /* toggling in the classic backend */
	/* memory and threads */
	SCMP_SYS(brk),
	SCMP_SYS(clone),
	SCMP_SYS(clone3),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	SCMP_SYS(futex),
	SCMP_SYS(madvise),
	SCMP_SYS(membarrier),
	SCMP_SYS(mmap),
	SCMP_SYS(mprotect),
	SCMP_SYS(mremap),
	SCMP_SYS(munmap),
	SCMP_SYS(rseq),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sched_yield),
	SCMP_SYS(set_robust_list),
	/* files and the terminal */
	SCMP_SYS(access),
	SCMP_SYS(chmod),
	SCMP_SYS(close),
	SCMP_SYS(dup),
	SCMP_SYS(dup2),
	SCMP_SYS(dup3),
	SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2),
	SCMP_SYS(fchmod),
	SCMP_SYS(fcntl),
	SCMP_SYS(fdatasync),
	SCMP_SYS(fstat),
	SCMP_SYS(fstatfs),
	SCMP_SYS(fsync),
	SCMP_SYS(ftruncate),
	SCMP_SYS(getcwd),
	SCMP_SYS(getdents64),
	SCMP_SYS(ioctl),
	SCMP_SYS(lseek),
	SCMP_SYS(lstat),
	SCMP_SYS(mkdir),
	SCMP_SYS(mkdirat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(open),
	SCMP_SYS(openat),
	SCMP_SYS(pread64),
	SCMP_SYS(pwrite64),
	SCMP_SYS(read),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	SCMP_SYS(readv),
	SCMP_SYS(rename),
	SCMP_SYS(renameat),
	SCMP_SYS(renameat2),
	SCMP_SYS(stat),
	SCMP_SYS(statx),
	SCMP_SYS(umask),
	SCMP_SYS(unlink),
	SCMP_SYS(unlinkat),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	/* the netlink sockets (src/inventory/netdev_socket.c) */
	SCMP_SYS(recvfrom),
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendto),
	/* time, waiting, signals */
	SCMP_SYS(clock_getres),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(epoll_create1),
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(eventfd2),
	SCMP_SYS(getpgid),
	SCMP_SYS(getpgrp),
	SCMP_SYS(getpid),
	SCMP_SYS(getppid),
	SCMP_SYS(gettid),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(kill), /* ^Z stops its own process group */
	SCMP_SYS(nanosleep),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(pselect6),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigpending),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigtimedwait),
	SCMP_SYS(select),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(signalfd4),
	SCMP_SYS(tgkill),
	SCMP_SYS(timerfd_create),
	SCMP_SYS(timerfd_gettime),
	SCMP_SYS(timerfd_settime),
	/* identity, limits, random */
	SCMP_SYS(getegid),
	SCMP_SYS(geteuid),
	SCMP_SYS(getgid),
	SCMP_SYS(getrandom),
	SCMP_SYS(getuid),
	SCMP_SYS(prlimit64),
	SCMP_SYS(sysinfo),
	SCMP_SYS(uname),
};

/* Replaces all capabilities by `caps`, n of them. */
static int capabilities_set(const unsigned int *caps, size_t n)
{
	capng_clear(CAPNG_SELECT_BOTH);
	for (size_t i = 0; i < n; i++)
		capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, caps[i]);
	/* Not the bounding set: that takes CAP_SETPCAP, and no_new_privs has the same effect. */
	return capng_apply(CAPNG_SELECT_CAPS) ? -EPERM : 0;
}

/* Whether `works` returns 0 without effective capabilities; permitted ones stay for now.
 */
static bool works_without(int (*works)(void *ctx), void *ctx)
{
	capng_get_caps_process();
	for (int cap = 0; cap <= CAP_LAST_CAP; cap++)
		capng_update(CAPNG_DROP, CAPNG_EFFECTIVE, cap);
	if (capng_apply(CAPNG_SELECT_CAPS))
		return false;
	return !works || !works(ctx);
}

static int seccomp_install(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int err = filter ? 0 : -ENOMEM;

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]) && !err; i++) {
		err = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
		/* this architecture does not have the call */
		if (err == -EDOM || err == -EINVAL)
			err = 0;
	}
	if (!err)
		err = seccomp_load(filter);
	seccomp_release(filter);
	return err;
}

int privilege_drop(int (*works)(void *ctx), void *ctx, char *why, size_t size)
{
	static const unsigned int keep[] = { CAP_BPF, CAP_PERFMON };
	const char *what = "dropping capabilities";
	int err;

	capng_get_caps_process();
	if (capng_have_capabilities(CAPNG_SELECT_CAPS) == CAPNG_NONE)
		err = 0;
	else if (works_without(works, ctx))
		err = capabilities_set(NULL, 0);
	else
		err = capabilities_set(keep, 2);
	if (!err) {
		what = "no_new_privs";
		err = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
	}
	if (!err) {
		what = "not dumpable";
		err = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ? -errno : 0;
	}
	if (!err) {
		what = "the seccomp filter";
		err = seccomp_install();
		/* A kernel without seccomp is no reason to refuse to run. */
		if (err == -EINVAL || err == -ENOSYS)
			err = 0;
	}
	if (err)
		snprintf(why, size, "%s: %s; refusing to run with more privilege than needed", what,
			 strerror(-err));
	return err;
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
	/* libc opens a path, ":/path" too */
	if (tz && (tz[strspn(tz, ":")] == '/' || strstr(tz, "..")))
		unsetenv("TZ");
	/* curses reads $HOME/.terminfo; the settings need no more than this */
	if (home && !getenv("XDG_CONFIG_HOME") && asprintf(&config, "%s/.config", home) >= 0) {
		setenv("XDG_CONFIG_HOME", config, 1);
		free(config);
	}
	unsetenv("HOME");
}
