// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends invalid requests to the process of --verdicts, and tries what injected code would try in
 * it. The kernel need not support tracing: then loading fails. Prints a line for each attempt,
 * beginning with "ok" or "FAILED". The exit status is 1 if one failed.
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
#include "base/fd_pass.h"
#include "tracing/verdict_tracer.h"
#include "tracing/verdict_traces.h"
#include "verdict.skel.h"

#define CALLS    480 /* numbers of system calls; 64-bit architectures have fewer */
#define COMMANDS 48  /* of bpf(2) */

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

	check(is_refused(s, VERDICT_NETNS + 1, of), "a request that it does not know");
	check(is_refused(s, UINT32_MAX, of), "the number of its first answer");
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

/* Ask for sockets in a namespace; `fd` are those of the answer. */
static struct verdict_answer enter(int s, int netns, int fd[FD_PASS_MAX])
{
	struct verdict_request request = { .op = VERDICT_NETNS, .prog_id = 7 };
	const int with[FD_PASS_MAX] = { netns, -1 };
	struct verdict_answer answer = { 0 };

	if (fd_pass_send(s, &request, sizeof(request), with, 0) ||
	    fd_pass_receive(s, &answer, sizeof(answer), fd, 0) != sizeof(answer))
		answer.err = -EPIPE;
	return answer;
}

static bool is_not_entered(int s, int netns, int err)
{
	int fd[FD_PASS_MAX];
	struct verdict_answer a = enter(s, netns, fd);

	return a.step == VERDICT_REQUEST && a.err == err && fd[0] < 0;
}

static void enter_namespaces(int s, pid_t pid)
{
	int own = open("/proc/self/ns/net", O_RDONLY), ipc = open("/proc/self/ns/ipc", O_RDONLY);
	int file = open("/dev/null", O_RDONLY), other, fd[FD_PASS_MAX];
	struct verdict_answer answer;
	struct stat st = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	other = unshare(CLONE_NEWNET) ? -1 : open("/proc/thread-self/ns/net", O_RDONLY);
	check(!setns(own, CLONE_NEWNET) && inode_of(other) && inode_of(other) != inode_of(own),
	      "another network namespace");
	answer = enter(s, other, fd);
	check(!answer.err && answer.request.op == VERDICT_NETNS && answer.request.prog_id == 7,
	      "sockets in it");
	check(is_socket_in(fd[0], inode_of(other), NETLINK_ROUTE) &&
		      is_socket_in(fd[1], inode_of(other), NETLINK_GENERIC),
	      "their namespace and protocols");
	close(fd[0]);
	close(fd[1]);
	check(!stat(path, &st) && st.st_ino == inode_of(own), "it has returned to its own");
	check(is_not_entered(s, -1, -EBADF), "no namespace");
	check(is_not_entered(s, file, -EINVAL), "a file that is none");
	check(is_not_entered(s, ipc, -EINVAL), "a namespace of another kind");
	for (int i = 0; i < 2000; i++) {
		enter(s, other, fd);
		close(fd[0]);
		close(fd[1]);
	}
	check(is_refused(s, VERDICT_MISSED, 1), "2,000 times more");
	close(own);
	close(ipc);
	close(file);
	close(other);
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

static void try_requests(const struct verdict_bpf *trial)
{
	/* a program that no kernel loads */
	static const struct verdict_programs bad = { .program[VERDICT_COUNT].n = 1, .ring = -1 };
	struct error error = { 0 };
	char command[128];
	uint64_t capabilities;
	int s, process;
	pid_t pid;

	s = verdict_tracer_start(&bad, 2, &pid, &capabilities, &error);
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
	check(is_refused(s, UINT32_MAX, 0), "SIGTERM, which systemd sends to all of a service");
	send_requests(s, prog_id(trial->progs.verdict_trial));
	enter_namespaces(s, pid);
	snprintf(command, sizeof(command), "ls /proc/%d/fd", pid);
	fflush(stdout);
	check(!system(command), "its descriptors after that, above");
	stop_monitor(s);
	close(s);
	check(has_ended(pid, process), "it ends with its socket");
}

/* A stopped process cannot see the end of its socket. */
static void try_stopped(void)
{
	static const struct verdict_programs empty = { .ring = -1 };
	struct pollfd ended = { .events = POLLIN };
	struct error error = { 0 };
	uint64_t capabilities;
	int told[2];
	pid_t monitor, pid = 0;

	if (pipe(told))
		return check(false, "a pipe");
	monitor = fork();
	if (!monitor) {
		if (verdict_tracer_start(&empty, 2, &pid, &capabilities, &error) < 0 ||
		    kill(pid, SIGSTOP) || write(told[1], &pid, sizeof(pid)) != sizeof(pid))
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
static bool is_killed(long call, long first)
{
	uint64_t capabilities;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (verdict_tracer_confine(&capabilities))
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

static void try_calls(void)
{
	static const long calls[] = { SYS_recvmsg,    SYS_sendmsg,         SYS_close,
				      SYS_exit_group, SYS_restart_syscall, SYS_rt_sigreturn,
				      SYS_bind,       SYS_connect };
	static const long commands[] = { BPF_PROG_GET_FD_BY_ID, BPF_OBJ_GET_INFO_BY_FD,
					 BPF_MAP_CREATE,        BPF_MAP_FREEZE,
					 BPF_PROG_LOAD,         BPF_RAW_TRACEPOINT_OPEN };
	/*
	 * Not tried: sigreturn returns anywhere. uretprobe() and uprobe(), which x86 has for its
	 * own probes, pass every filter (__secure_computing(), kernel/seccomp.c).
	 */
	static const long apart[] = { SYS_bpf, SYS_rt_sigreturn, 335, 336 };
	bool ok = true;

	for (long i = 0; i < CALLS; i++) {
		bool used = is_one_of(i, calls, sizeof(calls) / sizeof(calls[0]));

		if (is_one_of(i, apart, sizeof(apart) / sizeof(apart[0])) ||
		    is_killed(i, -1) == !used)
			continue;
		printf("FAILED system call %ld\n", i);
		ok = false;
	}
	for (long i = 0; i < COMMANDS; i++) {
		bool used = is_one_of(i, commands, sizeof(commands) / sizeof(commands[0]));

		if (is_killed(SYS_bpf, i) == !used)
			continue;
		printf("FAILED bpf command %ld\n", i);
		ok = false;
	}
	ok &= is_killed(SYS_socket, AF_INET) && is_killed(SYS_socket, AF_NETLINK) &&
	      is_killed(SYS_setns, -1);
	check(ok, "all other system calls and commands of bpf() end it");
}

int main(void)
{
	struct verdict_bpf *trial = verdict_bpf__open();

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (trial) {
		bpf_program__set_autoload(trial->progs.verdict, false);
		bpf_map__set_autocreate(trial->maps.verdicts, false);
	}
	check(trial && !verdict_bpf__load(trial), "a program to trace");
	if (all_ok) {
		try_requests(trial);
		try_stopped();
		try_calls();
	}
	verdict_bpf__destroy(trial);
	return all_ok ? 0 : 1;
}
