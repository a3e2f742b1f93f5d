/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process beside the monitor that keeps capabilities after the drop of privileges, and serves
 * requests over a socket. It drops everything else: root becomes nobody, it sets no_new_privs, is
 * not dumpable, Landlock leaves it no place to write, and its seccomp filter, which allows no
 * open(), kills it at any call without a rule, unless it starts programs. It ends when its socket
 * is closed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include "base/error.h"
#include "base/syscall_filter.h"

#define FD_PASS_MAX 2 /* descriptors in a packet of a Unix socket (SCM_RIGHTS, unix(7)) */

/*
 * Send a packet. The receiver gets copies of the descriptors; the first that is negative ends them.
 * `flags` as in sendmsg(2). 0 or -errno.
 */
int fd_pass_send(int socket, const void *data, size_t size, const int fd[FD_PASS_MAX], int flags);
/*
 * Receive a packet of `size` bytes. Sets fd to its descriptors, which the caller closes, and to -1;
 * the kernel closes those beyond FD_PASS_MAX. `flags` as in recvmsg(2). Returns the packet's size,
 * size + 1 if it was longer; 0 = the other end is closed; else -errno.
 */
ssize_t fd_pass_receive(int socket, void *data, size_t size, int fd[FD_PASS_MAX], int flags);

/* The only descriptors that it inherits. */
#define SIDE_PROCESS_SOCKET 0
#define SIDE_PROCESS_GIVEN  1

#define SIDE_PROCESS_PACKET_MAX 4096 /* bytes */

/* Calls that every such process needs. */
#define SIDE_PROCESS_RULES                                                       \
	{ .call = SYS_recvmsg }, { .call = SYS_sendmsg }, { .call = SYS_close }, \
		{ .call = SYS_exit_group }, { .call = SYS_rt_sigreturn },        \
	{                                                                        \
		.call = SYS_restart_syscall                                      \
	}
/* Allows the call if the int argument has this value. */
#define SIDE_PROCESS_CALL(name, arg, value)                                \
	{                                                                  \
		.call = SYS_##name, .only = { { arg, UINT32_MAX, value } } \
	}

struct side_process {
	const char *task;         /* "traces programs" */
	const unsigned int *keep; /* capabilities, those of them that it has */
	size_t n_keep;
	/* Landlock refuses what CAP_SYS_PTRACE allows (hook_ptrace_access_check()) */
	bool no_landlock;
	bool any_call; /* no seccomp filter: it starts other programs */
	const struct syscall_rule *rules;
	size_t n_rules;
	size_t request, answer; /* sizes of packets; an answer begins with its request */
	/*
	 * Turns a request into its answer. A packet of another size arrives as zeros. The
	 * descriptors are closed afterwards: `with` came with the request, -1 = none; `opened` are
	 * those for the answer.
	 */
	void (*serve)(void *ctx, void *packet, int with, int opened[FD_PASS_MAX]);
};

/*
 * Start it. `given` is a descriptor for it, -1 = none. Returns its socket and sets *pid and the
 * capabilities that it keeps (1 << CAP_...), or returns -errno and sets *error. Call it while there
 * is one thread, because the child would never get a lock that another thread holds.
 */
int side_process_start(const struct side_process *p, int given, void *ctx, pid_t *pid,
		       uint64_t *capabilities, struct error *error);
/*
 * The first action of the process: irrevocably drop all privileges and system calls that it does
 * not need. 0 or -errno.
 */
int side_process_confine(const struct side_process *p, uint64_t *capabilities);
