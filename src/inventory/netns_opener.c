// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netns_opener.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include "base/libc.h"
#include "inventory/netlink_socket.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif
#define ANSWER_MS 5000 /* the process makes only six system calls */

static void serve_netns(void *ctx, void *packet, int with, int opened[FD_PASS_MAX])
{
	struct netns_opened *answer = packet;
	socklen_t size = sizeof(answer->cookie);

	(void)ctx;
	if (setns(with, CLONE_NEWNET)) {
		answer->err = -errno;
		return;
	}
	opened[0] = netlink_socket_open(NETLINK_ROUTE, 0);
	opened[1] = netlink_socket_open(NETLINK_GENERIC, 0);
	for (int i = 0; i < FD_PASS_MAX; i++)
		answer->err = opened[i] < 0 ? opened[i] : answer->err;
	if (!answer->err &&
	    getsockopt(opened[0], SOL_SOCKET, SO_NETNS_COOKIE, &answer->cookie, &size))
		answer->err = -errno;
	/* it would keep the namespace alive */
	if (setns(SIDE_PROCESS_GIVEN, CLONE_NEWNET))
		_exit(1);
}

#define NETLINK(bus)                                   \
	{                                              \
		.call = SYS_socket, .only = {          \
			{ 0, UINT32_MAX, AF_NETLINK }, \
			{ 2, UINT32_MAX, bus }         \
		}                                      \
	}

static const struct syscall_rule rules[] = {
	SIDE_PROCESS_RULES,
	NETLINK(NETLINK_ROUTE),
	NETLINK(NETLINK_GENERIC),
	{ .call = SYS_bind },
	{ .call = SYS_connect },
	SIDE_PROCESS_CALL(getsockopt, 2, SO_NETNS_COOKIE),
	SIDE_PROCESS_CALL(setns, 1, CLONE_NEWNET),
};

static const unsigned int keep[] = { CAP_SYS_ADMIN, CAP_SYS_PTRACE };

const struct side_process netns_opener = {
	.task = "opens sockets in later network namespaces",
	.keep = keep,
	.n_keep = sizeof(keep) / sizeof(keep[0]),
	.rules = rules,
	.n_rules = sizeof(rules) / sizeof(rules[0]),
	.request = sizeof(uint32_t),
	.answer = sizeof(struct netns_opened),
	.serve = serve_netns,
};

int netns_opener_start(bool ptrace, pid_t *pid, uint64_t *capabilities, struct error *error)
{
	struct side_process p = netns_opener;
	/* to return from other namespaces */
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), opener;

	if (own < 0)
		return error_set(error, -errno, "its own network namespace: %s", strerror(errno));
	p.n_keep -= !ptrace;
	p.no_landlock = ptrace;
	opener = side_process_start(&p, own, NULL, pid, capabilities, error);
	close(own);
	if (opener < 0 || *capabilities & 1ULL << CAP_SYS_ADMIN)
		return opener;
	close(opener);
	return error_set(error, -EPERM,
			 "CAP_SYS_ADMIN is missing: entering network namespaces needs it");
}

int netns_opener_ask(int opener, struct netns_handle *ns, pid_t pid, uint64_t cookie,
		     int socket[FD_PASS_MAX])
{
	struct pollfd answers = { .fd = opener, .events = POLLIN };
	struct netns_opened answer = { .netns = ns->inode };
	int file = netns_file_open(ns->inode, &ns->path), err;
	int with[FD_PASS_MAX] = { file, -1 };

	if (file < 0 && pid)
		with[0] = ns->process[0].pidfd = pidfd_open(pid, 0);
	if (with[0] < 0)
		return -ENOENT;
	err = fd_pass_send(opener, &answer.netns, sizeof(answer.netns), with, MSG_DONTWAIT);
	if (file >= 0)
		close(file);
	if (err || poll(&answers, 1, ANSWER_MS) != 1 ||
	    fd_pass_receive(opener, &answer, sizeof(answer), socket, MSG_DONTWAIT) !=
		    sizeof(answer))
		return -EPIPE;
	/* the pid may belong to another process by now, or the process may have moved */
	if (!answer.err && (answer.netns != ns->inode || answer.cookie != cookie))
		answer.err = -ESRCH;
	for (int i = 0; i < FD_PASS_MAX && answer.err; i++)
		if (socket[i] >= 0)
			close(socket[i]);
	return answer.err;
}
