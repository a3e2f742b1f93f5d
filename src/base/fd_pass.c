// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/fd_pass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

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
