// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/syscall_filter.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/net.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CODE_MAX 2048

#define INT     UINT32_MAX /* the mask of an int: the kernel ignores the other half */
#define ALL     UINT64_MAX
#define OWN_PID UINT64_MAX /* as a value */

#ifdef __s390__
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif
#define CLONE_NEW                                                                      \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	 CLONE_NEWPID | CLONE_NEWNET)

/* libc's headers do not define the bit of O_TMPFILE alone; O_TMPFILE always writes */
#define OPEN_WRITES (O_ACCMODE | O_CREAT | O_TRUNC)
#define OPEN_NEW    (O_CREAT | O_EXCL)
#define MODE_NOT    (07777 & ~0666) /* set-user-ID, sticky, executable */

/* MSG_FASTOPEN connects */
#define SEND_NOT (INT & ~(uint32_t)(MSG_DONTWAIT | MSG_MORE | MSG_NOSIGNAL))

/* struct termios2 of asm-generic/termbits.h, which cannot be included beside libc's; glibc 2.42 */
#define TERMIOS2(direction, number) _IOC(direction, 'T', number, 44)

#define CALL(name, ...)                         \
	{                                       \
		.call = SYS_##name, __VA_ARGS__ \
	}
#define BPF(command)       CALL(bpf, .only = { { 0, INT, command } })
#define FCNTL(command)     CALL(fcntl, .only = { { 1, INT, command } })
#define IOCTL(need, which) CALL(ioctl, .needs = need, .only = { { 1, INT, (uint32_t)(which) } })

static const struct syscall_rule rules[] = {
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
	CALL(close),
	CALL(faccessat),
	CALL(faccessat2),
	FCNTL(F_DUPFD_CLOEXEC),
	FCNTL(F_GETFD),
	FCNTL(F_GETFL),
	FCNTL(F_SETFD),
	CALL(fdatasync),
	CALL(fstat),
	CALL(fsync),
	CALL(ftruncate),
	CALL(getdents64),
	CALL(lseek),
	CALL(newfstatat),
	CALL(openat, .only = { { 2, OPEN_WRITES, 0 } }),
	CALL(openat, .needs = SYSCALL_CREATE,
	     .only = { { 2, OPEN_NEW, OPEN_NEW }, { 3, MODE_NOT, 0 } }),
	CALL(pread64),
	CALL(read),
	CALL(readlinkat),
#ifndef __GLIBC__
	CALL(readv), /* stdio of musl */
#endif
	CALL(statx),
	CALL(write),
	CALL(writev),
	CALL(fstatfs, .needs = SYSCALL_REPLACE),
	CALL(renameat2, .needs = SYSCALL_REPLACE, .only = { { 4, INT, 0 } }),
	CALL(unlinkat, .needs = SYSCALL_REMOVE, .only = { { 2, INT, 0 } }),
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
	 * Sockets of src/inventory/netdev_socket.c, and stdout if it is a socket. Requests that
	 * change something need CAP_NET_ADMIN, which is dropped, even in root's user namespaces if
	 * root could become nobody (src/base/privilege.c).
	 */
	IOCTL(0, SIOCETHTOOL),
	IOCTL(0, SIOCGIFNAME),
	CALL(recvfrom),
	CALL(recvmsg),
	CALL(sendto, .only = { { 3, SEND_NOT, 0 } }),
	/* src/inventory/netns_opener.c */
	CALL(pidfd_open, .needs = SYSCALL_PASS),
	CALL(sendmsg, .needs = SYSCALL_PASS, .only = { { 2, SEND_NOT, 0 } }),
	/* connections of src/output/http_server.c, on its listening socket */
	CALL(accept4, .needs = SYSCALL_LISTEN),
	CALL(readv, .needs = SYSCALL_LISTEN),
	IOCTL(SYSCALL_LISTEN, FIONREAD),
	/* time, waiting, signals */
	CALL(setitimer), /* alarm() on architectures without that call */
	CALL(clock_gettime),
	CALL(clock_nanosleep),
	CALL(epoll_ctl),
	CALL(epoll_pwait),
	CALL(gettimeofday),
	CALL(nanosleep),
	CALL(ppoll),
	CALL(restart_syscall),
	CALL(rt_sigaction),
	CALL(rt_sigpending),
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
	CALL(setfsuid, .only = { { 0, INT, INT } }), /* only returns the id */
	CALL(prlimit64, .only = { { 0, INT, 0 }, { 2, ALL, 0 } }),
	CALL(sysinfo),
/* arm64 and later architectures do not have these */
#ifdef SYS_open
	CALL(access),
	CALL(alarm),
	CALL(epoll_wait),
	CALL(lstat),
	CALL(open, .only = { { 1, OPEN_WRITES, 0 } }),
	CALL(open, .needs = SYSCALL_CREATE,
	     .only = { { 1, OPEN_NEW, OPEN_NEW }, { 2, MODE_NOT, 0 } }),
	CALL(poll),
	CALL(readlink),
	CALL(rename, .needs = SYSCALL_REPLACE),
	CALL(stat),
	CALL(unlink, .needs = SYSCALL_REMOVE),
#endif
#ifdef SYS_renameat
	CALL(renameat, .needs = SYSCALL_REPLACE),
#endif
#ifdef SYS_socketcall /* s390x, where glibc is built for kernels before 4.3 */
	CALL(socketcall, .only = { { 0, INT, SYS_RECVFROM } }),
	CALL(socketcall, .only = { { 0, INT, SYS_RECVMSG } }),
	CALL(socketcall, .only = { { 0, INT, SYS_SENDTO } }),
	CALL(socketcall, .needs = SYSCALL_PASS, .only = { { 0, INT, SYS_SENDMSG } }),
	CALL(socketcall, .needs = SYSCALL_LISTEN, .only = { { 0, INT, SYS_ACCEPT4 } }),
	CALL(socketcall, .needs = SYSCALL_LISTEN, .only = { { 0, INT, SYS_SENDMSG } }),
	CALL(socketcall, .needs = SYSCALL_LISTEN, .only = { { 0, INT, SYS_SETSOCKOPT } }),
	CALL(socketcall, .needs = SYSCALL_LISTEN, .only = { { 0, INT, SYS_SHUTDOWN } }),
#endif
};

#define LOAD(member)       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no)
#define END(result)        BPF_STMT(BPF_RET | BPF_K, result)
#define EMIT(c, ...)       emit(c, (struct sock_filter)__VA_ARGS__)

struct code {
	struct sock_filter insn[CODE_MAX];
	unsigned short n;
};

/* From the linker. e_machine is the kernel's number of the architecture, except for two bits. */
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

static const bool little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

static struct sock_filter *emit(struct code *c, struct sock_filter insn)
{
	/* when it is full, syscall_filter_load() fails */
	c->n += c->n < CODE_MAX;
	c->insn[c->n - 1] = insn;
	return &c->insn[c->n - 1];
}

static void emit_rule(struct code *c, const struct syscall_rule *r)
{
	unsigned short first = c->n;

	EMIT(c, LOAD(nr));
	EMIT(c, IS(r->call, 0, 0));
	/* an argument is compared in halves, the low one first */
	for (int i = 0; i < 2 * SYSCALL_ARGS; i++) {
		int high = i % 2;
		uint64_t mask = r->only[i / 2].mask, value = r->only[i / 2].value;

		value = value == OWN_PID ? (uint64_t)getpid() : value;
		if (!(uint32_t)(mask >> 32 * high))
			continue;
		EMIT(c, LOAD(args[r->only[i / 2].arg]))->k += high == little_endian ? 4 : 0;
		EMIT(c, BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (uint32_t)(mask >> 32 * high)));
		EMIT(c, IS(value >> 32 * high, 0, 0));
	}
	EMIT(c, END(SECCOMP_RET_ALLOW));
	/* a comparison that fails leads to the next rule */
	for (unsigned short i = first; i < c->n; i++)
		if (BPF_CLASS(c->insn[i].code) == BPF_JMP)
			c->insn[i].jf = (uint8_t)(c->n - i - 1);
}

int syscall_filter_load(const struct syscall_rule *rule, size_t n, unsigned int needs,
			uint32_t other_call, uint32_t other_arguments)
{
	struct code c = { .n = 0 };
	struct sock_fprog program = { .filter = c.insn };

	EMIT(&c, LOAD(arch));
	EMIT(&c,
	     IS(__ehdr_start.e_machine | __AUDIT_ARCH_64BIT | (little_endian ? __AUDIT_ARCH_LE : 0),
		1, 0));
	EMIT(&c, END(other_call));
	for (size_t i = 0; i < n; i++)
		if (!(rule[i].needs & ~needs))
			emit_rule(&c, &rule[i]);
	EMIT(&c, LOAD(nr));
	for (size_t i = 0; i < n; i++) {
		if (rule[i].needs & ~needs)
			continue;
		EMIT(&c, IS(rule[i].call, 0, 1));
		EMIT(&c, END(other_arguments));
	}
	EMIT(&c, END(other_call));
	if (c.n == CODE_MAX)
		return -E2BIG;
	program.len = c.n;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) ? -errno : 0;
}

int syscall_filter_install(unsigned int needs)
{
	int err = syscall_filter_load(rules, sizeof(rules) / sizeof(rules[0]), needs,
				      SECCOMP_RET_ERRNO | ENOSYS, SECCOMP_RET_ERRNO | EPERM);

	return err == -EINVAL || err == -ENOSYS ? 0 : err;
}
