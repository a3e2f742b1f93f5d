// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netlink_socket.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

int netlink_socket_open(int bus, unsigned int groups)
{
	struct sockaddr_nl own = { .nl_family = AF_NETLINK, .nl_groups = groups };
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, bus);
	int err;

	if (fd < 0)
		return -errno;
	/*
	 * On a connected socket the kernel refuses unicast messages of others
	 * (netlink_getsockbyportid() in net/netlink/af_netlink.c), but not their multicasts.
	 */
	if (!bind(fd, (void *)&own, sizeof(own)) && !connect(fd, (void *)&kernel, sizeof(kernel)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

ssize_t netlink_socket_receive(int fd, void *buf, size_t size)
{
	struct sockaddr_nl from = { 0 };
	struct iovec data = { .iov_base = buf, .iov_len = size };
	struct msghdr m = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &data, .msg_iovlen = 1
	};
	ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT);

	if (n < 0)
		return -errno;
	if (m.msg_namelen != sizeof(from) || from.nl_pid)
		return 0;
	return m.msg_flags & MSG_TRUNC ? -ENOSPC : n;
}

/* Not mnl_nlmsg_ok(): it reads a length above INT_MAX as negative, which always fits. */
const struct nlmsghdr *netlink_next(const void *buf, size_t n, size_t *offset)
{
	const struct nlmsghdr *message = (const void *)((const char *)buf + *offset);
	size_t left = *offset < n ? n - *offset : 0;

	if (left < sizeof(*message) || message->nlmsg_len < sizeof(*message) ||
	    message->nlmsg_len > left)
		return NULL;
	*offset += NLMSG_ALIGN((size_t)message->nlmsg_len);
	return message;
}
