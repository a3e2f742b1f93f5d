// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends invalid requests to a process that keeps capabilities, and tries what injected code would
 * try in it.
 *   tracer verdicts|later|named
 * `later` is the process of --later-namespaces, `named` that of --verdicts alone. The kernel need
 * not support tracing: then loading fails. Prints a line for each attempt, beginning with "ok" or
 * "FAILED". The exit status is 1 if one failed.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/side_process.h"
#include "inventory/netns_opener.h"
#include "tracing/verdict_tracer.h"
#include "tracing/verdict_traces.h"
#include "verdict.skel.h"

#define CALLS    480 /* numbers of system calls; 64-bit architectures have fewer */
#define COMMANDS 48  /* of bpf(2) */

enum kind { VERDICTS, LATER, NAMED };

static bool all_ok = true;

static void check(bool ok, const char *what)
{
	printf("%s %s\n", ok ? "ok" : "FAILED", what);
	all_ok &= ok;
}

static struct verdict_answer ask(int s, uint32_t op, uint32_t prog_id)
{
	struct verdict_request request = { .op = op, .prog_id = prog_id };
	struct verdict_answer answer = { 0 };

	if (send(s, &request, sizeof(request), MSG_NOSIGNAL) < 0 ||
	    recv(s, &answer, sizeof(answer), 0) != sizeof(answer))
		answer.err = -EPIPE;
	return answer;
}

static bool is_refused(int s, uint32_t op, uint32_t prog_id)
{
	struct verdict_answer a = ask(s, op, prog_id);

	return a.step == VERDICT_REQUEST && a.err == -EINVAL && a.request.op == op;
}

static bool has_ended(pid_t pid, int process)
{
	struct pollfd ended = { .fd = process, .events = POLLIN };

	return poll(&ended, 1, -1) == 1 && waitpid(pid, NULL, 0) == pid;
}

static uint32_t prog_id(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);

	return bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) ? 0 : info.id;
}

static void send_requests(int s, uint32_t of)
{
	/* the first 8 bytes alone would be a request that reaches VERDICT_PROGRAM */
	const struct verdict_request longer[2] = { { .op = VERDICT_TRACE, .prog_id = 0x7ffffffe } };
	struct verdict_answer answer = { 0 };

	check(is_refused(s, VERDICT_UNCAPTURE + 1, of), "a request that it does not know");
	check(is_refused(s, UINT32_MAX, of), "the largest number of a request");
	check(is_refused(s, VERDICT_TRACE, 0), "to trace the program 0");
	check(is_refused(s, VERDICT_UNTRACE, of), "to end a trace that there is not");
	check(is_refused(s, VERDICT_UNTRACE, 0), "to end the trace of the program 0");
	check(is_refused(s, VERDICT_MISSED, of), "to ask about a trace that there is not");
	check(is_refused(s, VERDICT_CAPTURE, of), "to capture without a trace");
	check(is_refused(s, VERDICT_UNCAPTURE, of), "to end a capture that there is not");
	check(send(s, "abc", 3, MSG_NOSIGNAL) == 3 &&
		      recv(s, &answer, sizeof(answer), 0) == sizeof(answer) &&
		      answer.step == VERDICT_REQUEST,
	      "a packet that is too short");
	check(send(s, &longer, sizeof(longer), MSG_NOSIGNAL) == sizeof(longer) &&
		      recv(s, &answer, sizeof(answer), 0) == sizeof(answer) &&
		      answer.step == VERDICT_REQUEST && answer.err == -EINVAL,
	      "a packet that is too long");
	answer = ask(s, VERDICT_TRACE, 0x7ffffffe);
	check(answer.step == VERDICT_PROGRAM && answer.err == -ENOENT, "a program that is gone");
	answer = ask(s, VERDICT_TRACE, of);
	check(answer.step == VERDICT_LOAD && answer.err, "all of a trace up to loading");
}

static ino_t inode_of(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) ? st.st_ino : 0;
}

/* The namespace and the protocol of a netlink socket. */
static bool is_socket_in(int fd, ino_t netns, int protocol)
{
	socklen_t size = sizeof(int);
	int in = ioctl(fd, SIOCGSKNS), got = -1;
	bool ok = in >= 0 && inode_of(in) == netns &&
		  !getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &got, &size) && got == protocol;

	if (in >= 0)
		close(in);
	return ok;
}

/* Ask for sockets in a namespace, through a file of it or a pidfd; `fd` are those of the answer. */
static struct netns_opened enter(int s, int with, int fd[FD_PASS_MAX])
{
	const uint32_t request = 7;
	const int passed[FD_PASS_MAX] = { with, -1 };
	struct netns_opened answer = { 0 };

	if (fd_pass_send(s, &request, sizeof(request), passed, 0) ||
	    fd_pass_receive(s, &answer, sizeof(answer), fd, 0) != sizeof(answer))
		answer.err = -EPIPE;
	return answer;
}

static bool is_not_entered(int s, int with, int err)
{
	int fd[FD_PASS_MAX];
	struct netns_opened a = enter(s, with, fd);

	return a.err == err && a.netns == 7 && fd[0] < 0;
}

static bool is_entered(int s, int with, ino_t netns)
{
	int fd[FD_PASS_MAX];
	struct netns_opened a = enter(s, with, fd);
	bool ok = !a.err && a.netns == 7 && a.cookie && is_socket_in(fd[0], netns, NETLINK_ROUTE) &&
		  is_socket_in(fd[1], netns, NETLINK_GENERIC);

	for (int i = 0; i < FD_PASS_MAX; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return ok;
}

static void enter_namespaces(int s, pid_t pid, bool ptrace)
{
	int own = open("/proc/self/ns/net", O_RDONLY), ipc = open("/proc/self/ns/ipc", O_RDONLY);
	int file = open("/dev/null", O_RDONLY), other, process, life[2] = { -1, -1 };
	pid_t in = pipe2(life, O_CLOEXEC) ? -1 : fork();
	struct stat st = { 0 };
	bool all = true;
	char path[64];

	if (!in) {
		/* a process in a namespace without a file, until the pipe is closed */
		close(life[1]);
		(void)!read(life[0], path, unshare(CLONE_NEWNET) ? 0 : 1);
		_exit(0);
	}
	close(life[0]);
	process = pidfd_open(in, 0);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", in);
	while (!stat(path, &st) && st.st_ino == inode_of(own))
		sched_yield();
	check(is_entered(s, process, st.st_ino) == ptrace, "the namespace of a process");
	check(ptrace || is_not_entered(s, process, -EPERM), "it takes CAP_SYS_PTRACE");
	close(life[1]);
	waitpid(in, NULL, 0);
	check(is_not_entered(s, process, -ESRCH), "a process that has ended");
	other = unshare(CLONE_NEWNET) ? -1 : open("/proc/thread-self/ns/net", O_RDONLY);
	check(!setns(own, CLONE_NEWNET) && inode_of(other) && inode_of(other) != inode_of(own),
	      "another network namespace");
	check(is_entered(s, other, inode_of(other)), "sockets in it");
	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	check(!stat(path, &st) && st.st_ino == inode_of(own), "it has returned to its own");
	check(is_not_entered(s, -1, -EBADF), "no namespace");
	check(is_not_entered(s, file, -EINVAL), "a file that is none");
	check(is_not_entered(s, ipc, -EINVAL), "a namespace of another kind");
	for (int i = 0; i < 2000; i++)
		all &= is_entered(s, other, inode_of(other));
	check(all, "2,000 times more");
	close(own);
	close(ipc);
	close(file);
	close(other);
	close(process);
}

/* ^Z with the maximum number of traces: ends all of them, after other requests. */
static void stop_monitor(int s)
{
	const size_t n = 2 * VERDICT_TRACES_MAX;
	const struct verdict_request request = { .op = VERDICT_MISSED, .prog_id = 1 };
	int unread = 0;
	size_t sent = 0;

	while (sent < n && send(s, &request, sizeof(request), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		sent++;
	check(sent == n, "all requests at once");
	/* if it waits for a reader, this ends with the test's timeout */
	while (sent == n && unread < (int)(n * sizeof(struct verdict_answer)))
		if (ioctl(s, FIONREAD, &unread))
			break;
	check(unread == (int)(n * sizeof(struct verdict_answer)),
	      "it has done them while nobody reads its answers");
}

/* As xdptop starts it. */
static int start(enum kind kind, pid_t *pid, uint64_t *capabilities, struct error *error)
{
	/* a program that no kernel loads */
	static const struct verdict_programs bad = { .program[VERDICT_COUNT].n = 1, .ring = -1 };

	int s = kind == VERDICTS ? verdict_tracer_start(&bad, 2, pid, capabilities, error)
				 : netns_opener_start(kind == LATER, pid, capabilities, error);

	/* this program waits for its children */
	signal(SIGCHLD, SIG_DFL);
	return s;
}

static void try_requests(enum kind kind, const struct verdict_bpf *trial)
{
	struct error error = { 0 };
	char command[128];
	uint64_t capabilities;
	int s, process;
	pid_t pid;

	s = start(kind, &pid, &capabilities, &error);
	check(s >= 0, error.text[0] ? error.text : "it starts");
	printf("keeps: %" PRIx64 "\n", capabilities);
	if (s < 0)
		return;
	process = pidfd_open(pid, 0);
	snprintf(command, sizeof(command),
		 "grep -E '^(Uid|Cap|NoNewPrivs|Seccomp:)' /proc/%d/status; ls /proc/%d/fd", pid,
		 pid);
	fflush(stdout);
	check(!system(command), "its status and descriptors, above");
	kill(pid, SIGTERM);
	check(kind == VERDICTS ? is_refused(s, UINT32_MAX, 0) : is_not_entered(s, -1, -EBADF),
	      "SIGTERM, which systemd sends to all of a service");
	if (kind == VERDICTS)
		send_requests(s, prog_id(trial->progs.verdict_trial));
	else
		enter_namespaces(s, pid, kind == LATER);
	snprintf(command, sizeof(command), "ls /proc/%d/fd", pid);
	fflush(stdout);
	check(!system(command), "its descriptors after that, above");
	if (kind == VERDICTS)
		stop_monitor(s);
	close(s);
	check(has_ended(pid, process), "it ends with its socket");
}

/* A stopped process cannot see the end of its socket. */
static void try_stopped(enum kind kind)
{
	struct pollfd ended = { .events = POLLIN };
	struct error error = { 0 };
	uint64_t capabilities;
	int told[2];
	pid_t monitor, pid = 0;

	if (pipe(told))
		return check(false, "a pipe");
	monitor = fork();
	if (!monitor) {
		if (start(kind, &pid, &capabilities, &error) < 0 || kill(pid, SIGSTOP) ||
		    write(told[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		pause();
	}
	close(told[1]);
	if (read(told[0], &pid, sizeof(pid)) == sizeof(pid)) {
		ended.fd = pidfd_open(pid, 0);
		kill(monitor, SIGKILL);
	}
	waitpid(monitor, NULL, 0);
	check(ended.fd > 0 && poll(&ended, 1, -1) == 1, "stopped, it ends with the monitor");
}

/* Whether a call kills a process that is confined in this way. */
static bool is_killed(const struct side_process *p, long call, long first)
{
	uint64_t capabilities;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (side_process_confine(p, &capabilities))
			_exit(2);
		syscall(call, first, -1L, -1L, -1L, -1L, -1L);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

static bool is_one_of(long n, const long *set, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (set[i] == n)
			return true;
	return false;
}

/* `used`: the n calls that it makes, with any argument. */
static void try_calls(const struct side_process *p, const long *used, size_t n)
{
	/*
	 * Not tried: sigreturn returns anywhere. uretprobe() and uprobe(), which x86 has for its
	 * own probes, pass every filter (__secure_computing(), kernel/seccomp.c).
	 */
	static const long apart[] = { SYS_rt_sigreturn, 335, 336 };
	bool ok = true;

	for (long i = 0; i < CALLS; i++) {
		if (is_one_of(i, apart, sizeof(apart) / sizeof(apart[0])) ||
		    is_killed(p, i, -1) == !is_one_of(i, used, n))
			continue;
		printf("FAILED system call %ld\n", i);
		ok = false;
	}
	ok &= is_killed(p, SYS_socket, AF_INET) && is_killed(p, SYS_socket, AF_NETLINK) &&
	      is_killed(p, SYS_setns, -1);
	check(ok, "all other system calls end it");
}

static void try_commands(void)
{
	static const long commands[] = { BPF_PROG_GET_FD_BY_ID, BPF_OBJ_GET_INFO_BY_FD,
					 BPF_MAP_CREATE,        BPF_MAP_FREEZE,
					 BPF_PROG_LOAD,         BPF_RAW_TRACEPOINT_OPEN };
	bool ok = true;

	for (long i = 0; i < COMMANDS; i++) {
		bool used = is_one_of(i, commands, sizeof(commands) / sizeof(commands[0]));

		if (is_killed(&verdict_tracer, SYS_bpf, i) == !used)
			continue;
		printf("FAILED bpf command %ld\n", i);
		ok = false;
	}
	check(ok, "all other commands of bpf() end it");
}

int main(int argc, char **argv)
{
	static const long calls[] = { SYS_recvmsg,         SYS_sendmsg, SYS_close,  SYS_exit_group,
				      SYS_restart_syscall, SYS_bind,    SYS_connect };
	enum kind kind = argc < 2                    ? VERDICTS
			 : !strcmp(argv[1], "later") ? LATER
			 : !strcmp(argv[1], "named") ? NAMED
						     : VERDICTS;
	struct verdict_bpf *trial = verdict_bpf__open();

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (trial) {
		bpf_program__set_autoload(trial->progs.verdict, false);
		bpf_map__set_autocreate(trial->maps.verdicts, false);
	}
	check(trial && !verdict_bpf__load(trial), "a program to trace");
	if (all_ok) {
		try_requests(kind, trial);
		try_stopped(kind);
		if (kind == VERDICTS)
			try_commands();
		/* only the opener makes the last two */
		try_calls(kind == VERDICTS ? &verdict_tracer : &netns_opener, calls,
			  sizeof(calls) / sizeof(calls[0]) - (kind == VERDICTS ? 2 : 0));
	}
	verdict_bpf__destroy(trial);
	return all_ok ? 0 : 1;
}
