/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netlink sockets that accept messages from the kernel only. Otherwise every process with
 * CAP_NET_ADMIN over the socket's network namespace could send to them, and any user has that
 * capability in a user namespace of their own.
 */
#pragma once

#include <libmnl/libmnl.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Open a socket in the thread's network namespace; groups as in struct sockaddr_nl. The fd or
 * -errno.
 */
int netlink_socket_open(int bus, unsigned int groups);
/*
 * Read one datagram without waiting. Returns its size; 0 = not from the kernel; -EAGAIN = none is
 * queued; -ENOBUFS or -ENOSPC = datagrams were lost, because the queue overflowed or one exceeds
 * the buffer; else -errno.
 */
ssize_t netlink_socket_receive(int fd, void *buf, size_t size);
/*
 * The next complete message in the n bytes of buf, which is aligned for a struct nlmsghdr; NULL =
 * none. Starts at *offset, which is advanced. Begin with 0.
 */
const struct nlmsghdr *netlink_next(const void *buf, size_t n, size_t *offset);
