// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drops its privileges as the monitor does, then tries what injected code would try, and what the
 * monitor needs.
 *   confined screen|replace|batch|classic|listen|old CREATE REPLACE ELSEWHERE
 * `old` is batch on a kernel where attaching needs capabilities. The last three arguments are
 * directories with a file `old`, so that an attempt that succeeds by mistake does no harm. Prints a
 * line for each attempt, beginning with "ok" or "FAILED". The exit status is 1 if one failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include "base/landlock.h"
#include "base/privilege.h"
#include "foreign.h"

enum mode {
	SCREEN = 1,
	REPLACE = 2,
	BATCH = 4,
	CLASSIC = 8,
	LISTEN = 16,
	OLD = 32,
	RECORD = 64,
	PASS = 128,
	RENAME = SCREEN | REPLACE,
	ROOT = RENAME | RECORD,
	NOBODY = BATCH | CLASSIC | LISTEN | PASS,
	ALWAYS = ROOT | NOBODY | OLD
};

static const struct {
	const char *name;
	enum mode mode;
} modes[] = {
	{ "screen", SCREEN }, { "replace", REPLACE }, { "batch", BATCH },   { "classic", CLASSIC },
	{ "listen", LISTEN }, { "old", OLD },         { "record", RECORD }, { "verdicts", PASS },
};

struct attempt {
	const char *what;
	int modes;
	int landlock; /* least ABI that refuses it; 0 = refused without Landlock */
	int want;     /* errno; 0 = it works; -1 = anything but ENOSYS and EPERM */
	long call;
	long arg[6];
};

/* Calls that are allowed in every mode, whatever their arguments; others return ENOSYS. */
static const int used[] = {
	SYS_bpf,
	SYS_brk,
	SYS_clone,
	SYS_exit,
	SYS_exit_group,
	SYS_futex,
	SYS_madvise,
	SYS_membarrier,
	SYS_mmap,
	SYS_mprotect,
	SYS_mremap,
	SYS_munmap,
	SYS_rseq,
	SYS_sched_getaffinity,
	SYS_set_robust_list,
	SYS_close,
	SYS_faccessat,
	SYS_faccessat2,
	SYS_fcntl,
	SYS_fstat,
	SYS_fdatasync,
	SYS_fsync,
	SYS_ftruncate,
	SYS_getdents64,
	SYS_lseek,
	SYS_newfstatat,
	SYS_openat,
	SYS_pread64,
	SYS_read,
	SYS_readlinkat,
	SYS_statx,
	SYS_write,
	SYS_writev,
	SYS_ioctl,
	SYS_recvfrom,
	SYS_recvmsg,
	SYS_sendto,
	SYS_clock_gettime,
	SYS_clock_nanosleep,
	SYS_epoll_ctl,
	SYS_epoll_pwait,
	SYS_gettimeofday,
	SYS_nanosleep,
	SYS_ppoll,
	SYS_restart_syscall,
	SYS_rt_sigaction,
	SYS_rt_sigpending,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_rt_sigtimedwait,
	SYS_sigaltstack,
	SYS_signalfd4,
	SYS_tgkill,
	SYS_timerfd_create,
	SYS_timerfd_settime,
	SYS_getegid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getpid,
	SYS_getrandom,
	SYS_gettid,
	SYS_getuid,
	SYS_prlimit64,
	SYS_setfsuid,
	SYS_setitimer,
	SYS_sysinfo,
#ifdef SYS_open
	SYS_alarm,
	SYS_access,
	SYS_epoll_wait,
	SYS_lstat,
	SYS_open,
	SYS_poll,
	SYS_readlink,
	SYS_stat,
#endif
};

/* Further calls to remove and replace files, attach perf events, or accept connections. */
static const int used_remove[] = {
	SYS_unlinkat,
#ifdef SYS_unlink
	SYS_unlink,
#endif
};
static const int used_replace[] = {
	SYS_fstatfs,
	SYS_renameat,
	SYS_renameat2,
#ifdef SYS_rename
	SYS_rename,
#endif
};
static const int used_perf[] = { SYS_perf_event_open };
static const int used_listen[] = { SYS_accept4, SYS_readv };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int failed;

static void say(bool ok, const char *what, int got, int want)
{
	printf("%s %s: %s", ok ? "ok" : "FAILED", what, got ? strerrorname_np(got) : "done");
	if (!ok)
		printf(", not %s", want < 0 ? "let through"
				   : want   ? strerrorname_np(want)
					    : "done");
	printf("\n");
	failed |= !ok;
}

static void try(const struct attempt *a)
{
	pid_t self = getpid();
	long r = syscall(a->call, a->arg[0], a->arg[1], a->arg[2], a->arg[3], a->arg[4], a->arg[5]);
	int got = r < 0 ? errno : 0;

	if (getpid() != self)
		_exit(0); /* the child of a clone() that should have failed */
	say(a->want < 0 ? got != ENOSYS && got != EPERM : got == a->want, a->what, got, a->want);
}

static bool is_in(const int *list, size_t n, int call)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == call)
			return true;
	return false;
}

/* Every number, including calls that only newer kernels have. */
static void try_all(enum mode mode)
{
	pid_t self = getpid();
	int wrong = 0;

	for (int call = 0; call < 600; call++) {
		/* no filter sees x86's uretprobe and uprobe, which kill a process without probes */
		if (call == 335 || call == 336 || is_in(used, COUNT(used), call) ||
		    (mode & ROOT && is_in(used_remove, COUNT(used_remove), call)) ||
		    (mode & RENAME && is_in(used_replace, COUNT(used_replace), call)) ||
		    (mode & CLASSIC && is_in(used_perf, COUNT(used_perf), call)) ||
		    (mode & LISTEN && is_in(used_listen, COUNT(used_listen), call)) ||
		    (mode & PASS && (call == SYS_sendmsg || call == SYS_pidfd_open)))
			continue;
		if (syscall(call, -1, -1, -1, -1, -1, -1) >= 0 || errno != ENOSYS) {
			if (getpid() != self)
				_exit(0);
			printf("FAILED system call %d is not needed: %s, not ENOSYS\n", call,
			       strerrorname_np(errno));
			wrong++;
		}
	}
	failed |= wrong > 0;
	if (!wrong)
		printf("ok all other system calls: ENOSYS\n");
}

static void *thread(void *arg)
{
	*(bool *)arg = true;
	return NULL;
}

static void try_thread(void)
{
	bool ran = false;
	pthread_t t;
	int err = pthread_create(&t, NULL, thread, &ran);

	if (!err)
		pthread_join(t, NULL);
	say(!err && ran, "start a thread", err, 0);
}

/* Nobody, except if files of root are written: new files then belong to root. */
static void try_uid(enum mode mode, int create)
{
	uid_t files = (uid_t)setfsuid((uid_t)-1), want = mode & NOBODY ? 65534 : 0;
	bool ok = getuid() == 65534 && geteuid() == 65534 && files == want;
	struct stat st;

	printf("%s user id: %u, %u for files\n", ok ? "ok" : "FAILED", geteuid(), files);
	failed |= !ok;
	if (mode & SCREEN)
		say(!fstatat(create, "new", &st, 0) && !st.st_uid && !st.st_gid,
		    "root owns the new file", 0, 0);
}

static uint64_t capabilities(const char *set)
{
	FILE *f = fopen("/proc/self/status", "re");
	uint64_t caps = UINT64_MAX;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, set, strlen(set)))
			caps = strtoull(line + strlen(set), NULL, 16);
	if (f)
		fclose(f);
	return caps;
}

/* Before 6.1. */
static int needs_cap_bpf(void *ctx)
{
	return capabilities("CapEff:") & 1ull << CAP_BPF ? 0 : -EPERM;
}

static void try_capabilities(enum mode mode)
{
	uint64_t want = mode & OLD ? 1ull << CAP_BPF | 1ull << CAP_PERFMON : 0,
		 got = capabilities("CapPrm:") | capabilities("CapInh:");

	printf("%s capabilities: %" PRIx64 "\n", got == want ? "ok" : "FAILED", got);
	failed |= got != want;
}

static void try_foreign(const struct foreign *f)
{
	int err = foreign_set_up(f);

	say(err == EPERM, "set a device up in a user namespace of root", err, EPERM);
	err = foreign_set_channels(f);
	say(err == EPERM, "set channels there", err, EPERM);
}

/* Landlock alone: what is left if the filter has a gap. */
static void try_landlock(long abi, const struct sockaddr_in *peer)
{
	int status = 0, s = socket(AF_INET, SOCK_STREAM, 0);
	pid_t pid = fork();

	if (!pid) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || landlock_confine(-1, -1, false))
			_exit(0);
		_exit(connect(s, (const struct sockaddr *)peer, sizeof(*peer)) ? errno : 0);
	}
	waitpid(pid, &status, 0);
	close(s);
	if (abi >= 4)
		say(WEXITSTATUS(status) == EACCES, "connect, refused by Landlock alone",
		    WEXITSTATUS(status), EACCES);
}

/* A target process of root. It lives as long as this one, which holds the pipe. */
static pid_t victim_start(void)
{
	int life[2];
	pid_t pid = pipe2(life, O_CLOEXEC) ? -1 : fork();
	char end;

	if (pid)
		return pid;
	close(life[1]);
	(void)!read(life[0], &end, 1);
	_exit(0);
}

/* The controlling terminal: a pty. Returns its slave. */
static int terminal_take(void)
{
	int master, slave;

	if (setsid() < 0 && errno != EPERM)
		return -1;
	if (openpty(&master, &slave, NULL, NULL, NULL) || ioctl(slave, TIOCSCTTY, 1))
		return -1;
	return slave;
}

static int directory(const char *path)
{
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

#define AT(path)   AT_FDCWD, (long)(path)
#define NEW        (O_WRONLY | O_CREAT | O_EXCL)
#define P(pointer) (long)(pointer)
/* what, modes, ABI of Landlock, errno, system call, its arguments */
#define ROW(what, modes, landlock, want, name, ...)      \
	{                                                \
		what, modes, landlock, want, SYS_##name, \
		{                                        \
			__VA_ARGS__                      \
		}                                        \
	}

int main(int argc, char **argv)
{
	static char bytes[4096] __attribute__((aligned(4096)));
	struct error error = { 0 };
	char stolen = 'x';
	struct privilege_needs needs = { .create = -1, .replace = -1 };
	struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(event) };
	struct rlimit limit = { 0 };
	struct foreign foreign;
	enum mode mode = 0;
	struct ethtool_drvinfo driver = { .cmd = ETHTOOL_GDRVINFO };
	struct ethtool_value value = { .cmd = ETHTOOL_SMSGLVL };
	struct ifreq lo = { .ifr_name = "lo", .ifr_ifindex = 1 };
	struct ifreq ask = { .ifr_name = "lo", .ifr_data = (void *)&driver };
	struct ifreq set = { .ifr_name = "lo", .ifr_data = (void *)&value };
	int tty, null, file, create, replace, elsewhere, route, tcp, listener, one = 1;
	long abi = syscall(444, NULL, 0, 1); /* -1 = none */
	struct sockaddr_in peer = { .sin_family = AF_INET };
	socklen_t peer_len = sizeof(peer);
	pid_t victim, self = getpid();

	for (size_t i = 0; argc == 5 && i < COUNT(modes); i++)
		if (!strcmp(argv[1], modes[i].name))
			mode = modes[i].mode;
	if (!mode)
		return 2;
	setbuf(stdout, NULL);
	victim = victim_start();
	tty = terminal_take();
	null = open("/dev/null", O_RDONLY);
	route = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	tcp = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	create = directory(argv[2]);
	replace = directory(argv[3]);
	elsewhere = directory(argv[4]);
	file = openat(replace, "fd", O_WRONLY | O_CREAT, 0600);
	if (victim < 0 || tty < 0 || null < 0 || route < 0 || tcp < 0 || listen(tcp, 1) ||
	    listen(listener, 1) || getsockname(listener, (struct sockaddr *)&peer, &peer_len) ||
	    create < 0 || replace < 0 || elsewhere < 0 || file < 0) {
		perror("confined");
		return 2;
	}
	try_landlock(abi, &peer);
	if (foreign_open(&foreign)) {
		perror("confined: a user namespace");
		return 2;
	}
	needs.create = mode & SCREEN ? dup(create) : -1;
	needs.replace = mode & ROOT ? dup(replace) : -1;
	needs.renames = mode & RENAME;
	needs.perf_events = mode & CLASSIC;
	needs.listens = mode & LISTEN;
	needs.passes = mode & PASS;
	needs.works = mode & OLD ? needs_cap_bpf : NULL;
	if (privilege_lower(&error) || privilege_drop(&needs, &error)) {
		fprintf(stderr, "confined: %s\n", error.text);
		return 2;
	}
	const struct attempt attempts[] = {
		/* files of root */
		ROW("write /etc/shadow", ALWAYS, 0, EPERM, openat, AT("/etc/shadow"), O_WRONLY),
		ROW("append to a file of root", ALWAYS, 0, EPERM, openat, elsewhere, P("old"),
		    O_WRONLY | O_APPEND),
		ROW("empty it by reading", ALWAYS, 0, EPERM, openat, elsewhere, P("old"),
		    O_RDONLY | O_TRUNC),
		ROW("read /etc/shadow as nobody", NOBODY, 0, EACCES, openat, AT("/etc/shadow"),
		    O_RDONLY),
		ROW("read a file of root, as W and w do", ROOT, 0, 0, openat, replace, P("fd"),
		    O_RDONLY),
		ROW("write core_pattern", ALWAYS, 0, EPERM, openat,
		    AT("/proc/sys/kernel/core_pattern"), O_WRONLY),
		ROW("write core_pattern as a new file", ROOT, 1, EEXIST, openat,
		    AT("/proc/sys/kernel/core_pattern"), NEW, 0644),
		ROW("open /dev/kvm", ALWAYS, 0, EPERM, openat, AT("/dev/kvm"), O_RDWR),
		ROW("open /dev/mem", ALWAYS, 0, EPERM, openat, AT("/dev/mem"), O_RDWR),
		ROW("open a device for ioctl() alone", ALWAYS, 0, EPERM, openat, AT("/dev/null"),
		    O_ACCMODE),
		ROW("new file in /etc", ROOT, 1, EACCES, openat, AT("/etc/xdptop-confined"), NEW,
		    0644),
		ROW("new file in /etc/cron.d", ROOT, 1, EACCES, openat,
		    AT("/etc/cron.d/xdptop-confined"), NEW, 0644),
		ROW("new file in /etc", NOBODY, 0, EPERM, openat, AT("/etc/xdptop-confined"), NEW,
		    0644),
		ROW("new file in /tmp", NOBODY, 0, EPERM, openat, AT("/tmp/xdptop-confined"), NEW,
		    0644),
		ROW("replace it", RENAME, 2, EACCES, renameat2, replace, P("fd"), elsewhere,
		    P("old"), 0),
		ROW("remove it", ROOT, 1, EACCES, unlinkat, elsewhere, P("old"), 0),
		ROW("read /etc/passwd", ALWAYS, 0, 0, openat, AT("/etc/passwd"), O_RDONLY),
		ROW("open by openat2()", ALWAYS, 0, ENOSYS, openat2, AT("/etc/shadow"), 0, 24),
		/* the directory for new files */
		ROW("new file there", SCREEN, 0, 0, openat, create, P("new"), NEW, 0644),
		ROW("new file there", REPLACE | RECORD, 1, EACCES, openat, create, P("new"), NEW,
		    0644),
		ROW("write an old file there", ALWAYS, 0, EPERM, openat, create, P("old"),
		    O_WRONLY),
		ROW("new or old file there", ALWAYS, 0, EPERM, openat, create, P("old"),
		    O_WRONLY | O_CREAT, 0644),
		ROW("O_EXCL without O_CREAT", ALWAYS, 0, EPERM, openat, create, P("old"),
		    O_WRONLY | O_EXCL),
		ROW("set-user-ID file there", ALWAYS, 0, EPERM, openat, create, P("suid"), NEW,
		    04644),
		ROW("executable file there", ALWAYS, 0, EPERM, openat, create, P("exec"), NEW,
		    0755),
		ROW("file without a name there", ALWAYS, 0, EPERM, openat, create, P("."),
		    O_TMPFILE | O_WRONLY, 0644),
		ROW("remove a file there", ROOT, 1, EACCES, unlinkat, create, P("old"), 0),
		ROW("rename a file there", RENAME, 1, EACCES, renameat2, create, P("old"), create,
		    P("older"), 0),
		/* the directory with replaced files */
		ROW("new file to replace with", ROOT, 0, 0, openat, replace, P("new"), NEW, 0600),
		ROW("replace", RENAME, 0, 0, renameat2, replace, P("new"), replace, P("old"), 0),
		ROW("exchange", RENAME, 0, EPERM, renameat2, replace, P("fd"), replace, P("old"),
		    2),
		ROW("rename while recording", RECORD, 0, ENOSYS, renameat2, replace, P("new"),
		    replace, P("newer"), 0),
		ROW("remove a file of the parent", RECORD, 1, EACCES, unlinkat, replace,
		    P("../elsewhere/old"), 0),
		ROW("remove", ROOT, 0, 0, unlinkat, replace, P("old"), 0),
		ROW("remove a directory", ROOT, 0, EPERM, unlinkat, replace, P("old"),
		    AT_REMOVEDIR),
		ROW("a file of root readable by others", ALWAYS, 0, ENOSYS, fchmod, file, 0644),
		ROW("the same by its name", ALWAYS, 0, ENOSYS, fchmodat, elsewhere, P("old"), 0644),
		/* other processes */
		ROW("signal a process of root", ALWAYS, 0, ENOSYS, kill, victim, 0),
		ROW("signal a thread of root", ALWAYS, 0, EPERM, tgkill, victim, victim, 0),
		ROW("signal itself", ALWAYS, 0, 0, tgkill, self, self, 0),
		ROW("signal by an owner of a file", ALWAYS, 0, EPERM, fcntl, tty, F_SETOWN, victim),
		ROW("limits of a process of root", ALWAYS, 0, EPERM, prlimit64, victim, RLIMIT_CORE,
		    P(&limit), 0),
		ROW("see its limits", ALWAYS, 0, EPERM, prlimit64, victim, RLIMIT_CORE, 0,
		    P(&limit)),
		ROW("set own limits", ALWAYS, 0, EPERM, prlimit64, 0, RLIMIT_CORE, P(&limit), 0),
		ROW("see own limits", ALWAYS, 0, 0, prlimit64, 0, RLIMIT_CORE, 0, P(&limit)),
		/* processes and namespaces */
		ROW("clone() with a user namespace", ALWAYS, 0, EPERM, clone,
		    CLONE_NEWUSER | SIGCHLD),
		ROW("clone() with all namespaces", ALWAYS, 0, EPERM, clone,
		    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | SIGCHLD),
		ROW("clone() with a mount namespace", ALWAYS, 0, EPERM, clone,
		    CLONE_NEWNS | SIGCHLD),
		ROW("fork", ALWAYS, 0, EPERM, clone, SIGCHLD),
		ROW("clone3()", ALWAYS, 0, ENOSYS, clone3, 0, 0),
		ROW("unshare()", ALWAYS, 0, ENOSYS, unshare, CLONE_NEWUSER),
		ROW("execve()", ALWAYS, 0, ENOSYS, execve, P("/bin/true"), 0, 0),
		/* executable memory */
		ROW("map writable and executable", ALWAYS, 0, EPERM, mmap, 0, 4096,
		    PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		ROW("map executable", ALWAYS, 0, EPERM, mmap, 0, 4096, PROT_READ | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		ROW("make executable", ALWAYS, 0, EPERM, mprotect, P(bytes), sizeof(bytes),
		    PROT_READ | PROT_EXEC),
		ROW("map writable", ALWAYS, 0, 0, mmap, 0, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		ROW("make writable", ALWAYS, 0, 0, mprotect, P(bytes), sizeof(bytes),
		    PROT_READ | PROT_WRITE),
		/* the terminal and other devices */
		ROW("type into the terminal", ALWAYS, 0, EPERM, ioctl, tty, TIOCSTI, P(&stolen)),
		ROW("the same in 64 bits", ALWAYS, 0, EPERM, ioctl, tty, 1L << 32 | TIOCSTI,
		    P(&stolen)),
		ROW("paste on a console", ALWAYS, 0, EPERM, ioctl, tty, TIOCLINUX, P(&stolen)),
		ROW("take a terminal", ALWAYS, 0, EPERM, ioctl, tty, TIOCSCTTY, 1),
		ROW("make a virtual machine", ALWAYS, 0, EPERM, ioctl, null, 0xae01, 0),
		ROW("modes of the terminal", ALWAYS, 0, 0, ioctl, tty, TCGETS, P(bytes)),
		ROW("size of the terminal", ALWAYS, 0, 0, ioctl, tty, TIOCGWINSZ, P(bytes)),
		/* network devices; lo has no driver */
		ROW("name of a device", ALWAYS, 0, 0, ioctl, route, SIOCGIFNAME, P(&lo)),
		ROW("driver of a device", ALWAYS, 0, EOPNOTSUPP, ioctl, route, SIOCETHTOOL,
		    P(&ask)),
		ROW("set something by ethtool", ALWAYS, 0, EPERM, ioctl, route, SIOCETHTOOL,
		    P(&set)),
		ROW("flags of a device", ALWAYS, 0, EPERM, ioctl, route, SIOCSIFFLAGS, P(&lo)),
		/* connections */
		ROW("take a connection", LISTEN, 0, EAGAIN, accept4, tcp, 0, 0, 0),
		ROW("take a connection", ALWAYS & ~LISTEN, 0, ENOSYS, accept4, tcp, 0, 0, 0),
		ROW("bytes that wait", LISTEN, 0, -1, ioctl, tcp, FIONREAD, P(bytes)),
		ROW("bytes that wait", ALWAYS & ~LISTEN, 0, EPERM, ioctl, tcp, FIONREAD, P(bytes)),
		ROW("set a socket's option", ALWAYS, 0, ENOSYS, setsockopt, tcp, IPPROTO_TCP,
		    TCP_NODELAY, P(&one), sizeof(one)),
		ROW("connect", ALWAYS, 0, ENOSYS, connect, tcp, P(bytes), 16),
		ROW("stop listening", ALWAYS, 0, ENOSYS, shutdown, tcp, SHUT_RDWR),
		ROW("connect by sending", ALWAYS, 0, EPERM, sendto, tcp, P(bytes), 1, MSG_FASTOPEN,
		    P(&peer), sizeof(peer)),
		ROW("send", ALWAYS, 0, EPIPE, sendto, tcp, P(bytes), 1, MSG_NOSIGNAL | MSG_MORE, 0,
		    0),
		ROW("send parts", ALWAYS & ~PASS, 0, ENOSYS, sendmsg, tcp, P(bytes), MSG_NOSIGNAL),
		ROW("send parts", PASS, 0, -1, sendmsg, tcp, P(bytes), MSG_NOSIGNAL),
		ROW("connect by sending parts", PASS, 0, EPERM, sendmsg, tcp, P(bytes),
		    MSG_FASTOPEN),
		ROW("listen somewhere else", ALWAYS, 0, ENOSYS, bind, tcp, P(bytes), 16),
		/* BPF and perf events */
		ROW("load a BPF program", ALWAYS, 0, EPERM, bpf, BPF_PROG_LOAD, P(bytes), 48),
		ROW("make a BPF map", ALWAYS, 0, EPERM, bpf, BPF_MAP_CREATE, P(bytes), 48),
		ROW("pin", ALWAYS, 0, EPERM, bpf, BPF_OBJ_PIN, P(bytes), 48),
		ROW("BPF programs by id", ALWAYS, 0, EPERM, bpf, BPF_PROG_GET_NEXT_ID, P(bytes),
		    48),
		ROW("what a BPF object is", ALWAYS, 0, -1, bpf, BPF_OBJ_GET_INFO_BY_FD, P(bytes),
		    16),
		ROW("perf events", ALWAYS & ~CLASSIC, 0, ENOSYS, perf_event_open, P(&event), 0, -1,
		    -1, 0),
		ROW("perf events", CLASSIC, 0, -1, perf_event_open, P(&event), 0, -1, -1, 0),
		/* undoing the confinement */
		ROW("another filter", ALWAYS, 0, ENOSYS, seccomp, 1, 0, 0),
		ROW("be dumpable", ALWAYS, 0, ENOSYS, prctl, 4, 1),
		ROW("be root", ALWAYS, 0, ENOSYS, setuid, 0),
		ROW("be root by the saved id", ALWAYS, 0, ENOSYS, setresuid, 0, 0, 0),
		ROW("be root for files", ALWAYS, 0, EPERM, setfsuid, 0),
		ROW("a socket", ALWAYS, 0, ENOSYS, socket, 16, 3, 0),
		ROW("trace a process", ALWAYS, 0, ENOSYS, ptrace, 16, victim, 0, 0),
		ROW("write its memory", ALWAYS, 0, ENOSYS, process_vm_writev, victim, 0, 0, 0, 0,
		    0),
		ROW("mount", ALWAYS, 0, ENOSYS, mount, 0, P("/mnt"), P("tmpfs"), 0, 0),
		ROW("io_uring", ALWAYS, 0, ENOSYS, io_uring_setup, 1, P(bytes)),
	};

	printf("ok Landlock ABI: %ld\n", abi);
	for (size_t i = 0; i < COUNT(attempts); i++)
		if (attempts[i].modes & mode &&
		    (!attempts[i].landlock || abi >= attempts[i].landlock))
			try(&attempts[i]);
	if (abi >= 5) {
		long other = open("/dev/ptmx", O_RDONLY | O_NOCTTY),
		     own = open("/dev/tty", O_RDONLY);

		try(&(struct attempt){ "ioctl() on a device opened now", .want = EACCES,
				       .call = SYS_ioctl, .arg = { other, TCGETS, P(bytes) } });
		try(&(struct attempt){ "ioctl() on /dev/tty", .want = 0, .call = SYS_ioctl,
				       .arg = { own, TCGETS, P(bytes) } });
	}
	try_thread();
	try_uid(mode, create);
	try_capabilities(mode);
	try_foreign(&foreign);
	try_all(mode);
	return failed;
}
