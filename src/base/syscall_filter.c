// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define INT     UINT32_MAX /* the mask of an int: the kernel ignores the other half */
#define ALL     UINT64_MAX
#define OWN_PID UINT64_MAX /* as a value */
#define ARGS    2

#undef pread64 /* pread in musl before 1.2.4 */

#ifdef __s390__
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif
#define CLONE_NEW                                                                      \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	 CLONE_NEWPID | CLONE_NEWNET)

/* libc's headers do not define O_TMPFILE's own bit alone; it writes in any case */
#define OPEN_WRITES (O_ACCMODE | O_CREAT | O_TRUNC)
#define OPEN_NEW    (O_CREAT | O_EXCL)
#define MODE_NOT    (07777 & ~0666) /* set-user-ID, sticky, executable */

/* MSG_FASTOPEN connects */
#define SEND_NOT (INT & ~(uint32_t)(MSG_DONTWAIT | MSG_MORE | MSG_NOSIGNAL))

/* struct termios2 of asm-generic/termbits.h, which cannot be included beside libc's; glibc 2.42 */
#define TERMIOS2(direction, number) _IOC(direction, 'T', number, 44)

struct rule {
	int call;
	unsigned int needs;
	struct {
		unsigned int arg;
		uint64_t mask, value; /* mask 0: no condition */
	} only[ARGS];
};

#define CALL(name, ...)                             \
	{                                           \
		.call = SCMP_SYS(name), __VA_ARGS__ \
	}
#define BPF(command)       CALL(bpf, .only = { { 0, INT, command } })
#define FCNTL(command)     CALL(fcntl, .only = { { 1, INT, command } })
#define IOCTL(need, which) CALL(ioctl, .needs = need, .only = { { 1, INT, (uint32_t)(which) } })

static const struct rule rules[] = {
	/* attach and detach, iterators, slots. No loading, no new maps, nothing by id. */
	BPF(BPF_LINK_CREATE),
	BPF(BPF_RAW_TRACEPOINT_OPEN),
	BPF(BPF_ITER_CREATE),
	BPF(BPF_OBJ_GET_INFO_BY_FD),
	BPF(BPF_MAP_LOOKUP_ELEM),
	BPF(BPF_MAP_UPDATE_ELEM),
	BPF(BPF_MAP_DELETE_ELEM),
	CALL(perf_event_open, .needs = SYSCALL_PERF),
	IOCTL(SYSCALL_PERF, PERF_EVENT_IOC_ENABLE),
	IOCTL(SYSCALL_PERF, PERF_EVENT_IOC_DISABLE),
	IOCTL(SYSCALL_PERF, PERF_EVENT_IOC_SET_BPF),
	/* memory and threads */
	CALL(brk),
	CALL(clone, .only = { { CLONE_FLAGS, CLONE_NEW | CLONE_THREAD, CLONE_THREAD } }),
	CALL(exit),
	CALL(exit_group),
	CALL(futex),
	CALL(madvise),
	CALL(membarrier),
	CALL(mmap, .only = { { 2, PROT_EXEC, 0 } }),
	CALL(mprotect, .only = { { 2, PROT_EXEC, 0 } }),
	CALL(mremap),
	CALL(munmap),
	CALL(rseq),
	CALL(sched_getaffinity),
	CALL(set_robust_list),
	/* files */
	CALL(access),
	CALL(close),
	CALL(dup3),
	CALL(faccessat),
	CALL(faccessat2),
	FCNTL(F_DUPFD_CLOEXEC),
	FCNTL(F_GETFD),
	FCNTL(F_GETFL),
	FCNTL(F_SETFD),
	CALL(fstat),
	CALL(fsync),
	CALL(ftruncate),
	CALL(getdents64),
	CALL(lseek),
	CALL(lstat),
	CALL(memfd_create, .only = { { 1, INT, MFD_CLOEXEC } }),
	CALL(newfstatat),
	CALL(open, .only = { { 1, OPEN_WRITES, 0 } }),
	CALL(open, .needs = SYSCALL_CREATE,
	     .only = { { 1, OPEN_NEW, OPEN_NEW }, { 2, MODE_NOT, 0 } }),
	CALL(openat, .only = { { 2, OPEN_WRITES, 0 } }),
	CALL(openat, .needs = SYSCALL_CREATE,
	     .only = { { 2, OPEN_NEW, OPEN_NEW }, { 3, MODE_NOT, 0 } }),
	CALL(pread64),
	CALL(read),
	CALL(readlink),
	CALL(readlinkat),
#ifndef __GLIBC__
	CALL(readv), /* stdio of musl */
#endif
	CALL(stat),
	CALL(statx),
	CALL(write),
	CALL(writev),
	CALL(fstatfs, .needs = SYSCALL_REPLACE),
	CALL(rename, .needs = SYSCALL_REPLACE),
	CALL(renameat, .needs = SYSCALL_REPLACE),
	CALL(renameat2, .needs = SYSCALL_REPLACE, .only = { { 4, INT, 0 } }),
	CALL(unlink, .needs = SYSCALL_REPLACE),
	CALL(unlinkat, .needs = SYSCALL_REPLACE, .only = { { 2, INT, 0 } }),
	/* the terminal */
	IOCTL(0, TCFLSH),
	IOCTL(0, TCGETS),
	IOCTL(0, TCSETS),
	IOCTL(0, TCSETSF),
	IOCTL(0, TCSETSW),
	IOCTL(0, TERMIOS2(_IOC_READ, 0x2a)),
	IOCTL(0, TERMIOS2(_IOC_WRITE, 0x2b)),
	IOCTL(0, TERMIOS2(_IOC_WRITE, 0x2c)),
	IOCTL(0, TERMIOS2(_IOC_WRITE, 0x2d)),
	IOCTL(0, TIOCGWINSZ),
	/*
	 * Sockets of src/inventory/netdev_socket.c, and stdout where it is one. What sets something
	 * needs CAP_NET_ADMIN. That is gone, also in user namespaces of root where root could
	 * become nobody (src/base/privilege.c).
	 */
	IOCTL(0, SIOCETHTOOL),
	IOCTL(0, SIOCGIFNAME),
	CALL(recvfrom),
	CALL(recvmsg),
	CALL(sendto, .only = { { 3, SEND_NOT, 0 } }),
	/* connections of src/output/http_server.c, on the socket that listens already */
	CALL(accept4, .needs = SYSCALL_LISTEN),
	CALL(readv, .needs = SYSCALL_LISTEN),
	IOCTL(SYSCALL_LISTEN, FIONREAD),
	/* time, waiting, signals */
	CALL(alarm),
	CALL(setitimer), /* alarm() where there is no such call */
	CALL(clock_gettime),
	CALL(clock_nanosleep),
	CALL(epoll_ctl),
	CALL(epoll_pwait),
	CALL(epoll_wait),
	CALL(gettimeofday),
	CALL(nanosleep),
	CALL(poll),
	CALL(ppoll),
	CALL(restart_syscall),
	CALL(rt_sigaction),
	CALL(rt_sigprocmask),
	CALL(rt_sigreturn),
	CALL(rt_sigtimedwait),
	CALL(sigaltstack),
	CALL(signalfd4),
	CALL(tgkill, .only = { { 0, INT, OWN_PID } }),
	CALL(timerfd_create),
	CALL(timerfd_settime),
	/* who, how much, random */
	CALL(getegid),
	CALL(geteuid),
	CALL(getgid),
	CALL(getpid),
	CALL(getrandom),
	CALL(gettid),
	CALL(getuid),
	CALL(setfsuid, .only = { { 0, INT, INT } }), /* only tells */
	CALL(prlimit64, .only = { { 0, INT, 0 }, { 2, ALL, 0 } }),
	CALL(sysinfo),
};

static int add(scmp_filter_ctx filter, const struct rule *r, bool arguments)
{
	struct scmp_arg_cmp compare[ARGS];
	unsigned int n = 0;
	int err;

	for (int i = 0; i < ARGS && arguments; i++)
		if (r->only[i].mask)
			compare[n++] = (struct scmp_arg_cmp){
				.arg = r->only[i].arg,
				.op = SCMP_CMP_MASKED_EQ,
				.datum_a = r->only[i].mask,
				.datum_b = r->only[i].value == OWN_PID ? (uint64_t)getpid()
								       : r->only[i].value,
			};
	err = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, r->call, n, compare);
	/* this architecture does not have the call; or it is listed twice */
	return err == -EDOM || err == -EINVAL || err == -EEXIST ? 0 : err;
}

static int load(unsigned int needs, bool arguments)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(arguments ? EPERM : ENOSYS));
	int err = filter ? 0 : -ENOMEM;

	if (!err)
		err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);
	if (!err)
		err = seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]) && !err; i++)
		if (!(rules[i].needs & ~needs))
			err = add(filter, &rules[i], arguments);
	/* for the other filter, which does not list it */
	if (!err && arguments)
		err = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(seccomp), 0);
	if (!err)
		err = seccomp_load(filter);
	seccomp_release(filter);
	return err;
}

/*
 * libseccomp has one result for all that no rule allows. So there are two filters: of two errors
 * the kernel takes that of the later one (kernel/seccomp.c, seccomp_run_filters()).
 */
int syscall_filter_install(unsigned int needs)
{
	int err = load(needs, true);

	if (!err)
		err = load(needs, false);
	return err == -EINVAL || err == -ENOSYS ? 0 : err;
}
