// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/side_process.h"

#include <cap-ng.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include "base/landlock.h"
#include "base/libc.h"

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(FD_PASS_MAX * sizeof(int))];
};

int fd_pass_send(int socket, const void *data, size_t size, const int fd[FD_PASS_MAX], int flags)
{
	struct iovec part = { (void *)data, size };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	union control control = { .head = { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	size_t n = 0;

	while (n < FD_PASS_MAX && fd[n] >= 0)
		n++;
	if (n) {
		control.head.cmsg_len = CMSG_LEN(n * sizeof(*fd));
		memcpy(CMSG_DATA(&control.head), fd, n * sizeof(*fd));
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n * sizeof(*fd));
	}
	return sendmsg(socket, &m, flags | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

ssize_t fd_pass_receive(int socket, void *data, size_t size, int fd[FD_PASS_MAX], int flags)
{
	struct iovec part = { data, size };
	union control control = { 0 };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    /* not the padding, which could have room for one more */
			    .msg_controllen = CMSG_LEN(FD_PASS_MAX * sizeof(*fd)) };
	ssize_t n = recvmsg(socket, &m, flags | MSG_CMSG_CLOEXEC);
	const struct cmsghdr *head = n < 0 ? NULL : CMSG_FIRSTHDR(&m);

	for (int i = 0; i < FD_PASS_MAX; i++)
		fd[i] = -1;
	if (n < 0)
		return -errno;
	/* a packet carries all its descriptors in one header (unix(7)) */
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	return m.msg_flags & MSG_TRUNC ? (ssize_t)size + 1 : n;
}

#define NOBODY 65534

/* The first packet, which answers no request: the process is confined. */
struct announcement {
	uint64_t capabilities;
	int32_t err;
};

static void select_capabilities(const struct side_process *p, uint64_t capabilities)
{
	capng_clear(CAPNG_SELECT_CAPS);
	for (size_t i = 0; i < p->n_keep; i++)
		if (capabilities & 1ULL << p->keep[i])
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, p->keep[i]);
}

/* Keep only the capabilities in `keep` that the process has. Drop root's uid if possible. */
static int drop(const struct side_process *p, uint64_t *capabilities)
{
	if (capng_get_caps_process())
		return -EPERM;
	*capabilities = 0;
	for (size_t i = 0; i < p->n_keep; i++)
		if (capng_have_capability(CAPNG_PERMITTED, p->keep[i]))
			*capabilities |= 1ULL << p->keep[i];
	select_capabilities(p, *capabilities);
	if (!geteuid() && !capng_change_id(NOBODY, NOBODY, CAPNG_DROP_SUPP_GRP))
		return 0;
	/* on failure (no CAP_SETUID, a user namespace) it has changed the selection */
	select_capabilities(p, *capabilities);
	return capng_apply(CAPNG_SELECT_CAPS) ? -EPERM : 0;
}

int side_process_confine(const struct side_process *p, uint64_t *capabilities)
{
	int err = drop(p, capabilities);

	/* the signal ends a stopped process, which would not notice that its socket was closed */
	if (!err && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
		     prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)))
		err = -errno;
	if (!err && !p->no_landlock)
		err = landlock_confine(-1, -1, p->any_call);
	if (err || p->any_call)
		return err;
	return syscall_filter_load(p->rules, p->n_rules, 0, SECCOMP_RET_KILL_PROCESS,
				   SECCOMP_RET_KILL_PROCESS);
}

static void close_all(const int fd[FD_PASS_MAX])
{
	for (int i = 0; i < FD_PASS_MAX; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* Answer requests until the socket is closed. 0 or -errno. */
static int serve_all(const struct side_process *p, void *ctx)
{
	char packet[SIDE_PROCESS_PACKET_MAX] __attribute__((aligned(8)));
	int with[FD_PASS_MAX], opened[FD_PASS_MAX], err = 0;

	while (!err) {
		ssize_t n;

		memset(packet, 0, sizeof(packet));
		n = fd_pass_receive(SIDE_PROCESS_SOCKET, packet, p->request, with, 0);
		if (!n)
			break;
		if (n < 0) {
			err = n == -EINTR ? 0 : (int)n;
			continue;
		}
		if (n != (ssize_t)p->request)
			memset(packet, 0, sizeof(packet));
		memset(opened, -1, sizeof(opened));
		p->serve(ctx, packet, with[0], opened);
		err = fd_pass_send(SIDE_PROCESS_SOCKET, packet, p->answer, opened, 0);
		close_all(with);
		close_all(opened);
	}
	return err;
}

static int run(const struct side_process *p, void *ctx)
{
	static const int none[FD_PASS_MAX] = { -1, -1 };
	struct announcement first = { 0 };
	int err;

	/* the monitor does that for its own memory later */
	malloc_trim(0);
	/*
	 * do not end at keys like ^C and ^Z, nor at signals that systemd or killall sends to both
	 * processes: the monitor's last snapshot needs it
	 */
	setsid();
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	first.err = side_process_confine(p, &first.capabilities);
	err = fd_pass_send(SIDE_PROCESS_SOCKET, &first, sizeof(first), none, 0);
	return first.err ?: err ?: serve_all(p, ctx);
}

int side_process_start(const struct side_process *p, int given, void *ctx, pid_t *pid,
		       uint64_t *capabilities, struct error *error)
{
	struct announcement first = { 0 };
	int pair[2], err = 0, room = 1 << 20;

	/* after the drop of privileges nobody can wait for it */
	signal(SIGCHLD, SIG_IGN);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		err = -errno;
		goto out;
	}
	/* a stopped monitor must not block the answers to requests that it has sent */
	for (int i = 0; i < 2; i++)
		setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	*pid = fork();
	if (!*pid) {
		dup2(pair[1], SIDE_PROCESS_SOCKET);
		if (given >= 0)
			dup2(given, SIDE_PROCESS_GIVEN);
		closefrom(given >= 0 ? SIDE_PROCESS_GIVEN + 1 : SIDE_PROCESS_GIVEN);
		_exit(run(p, ctx) ? 1 : 0);
	}
	if (*pid < 0)
		err = -errno;
	close(pair[1]);
	if (!err && read(pair[0], &first, sizeof(first)) != sizeof(first))
		err = -ECHILD;
	err = err ?: first.err;
	*capabilities = first.capabilities;
	if (err)
		close(pair[0]);
out:
	if (err)
		error_set(error, err, "the process that %s could not be started: %s", p->task,
			  strerror(-err));
	return err ?: pair[0];
}
