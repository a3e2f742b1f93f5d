/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netlink sockets that hear the kernel alone. Whoever has CAP_NET_ADMIN over the socket's network
 * namespace, as everybody has in a user namespace of his own, can send to them.
 */
#ifndef XDPTOP_NETLINK_SOCKET_H
#define XDPTOP_NETLINK_SOCKET_H

#include <libmnl/libmnl.h>
#include <stddef.h>
#include <sys/types.h>

/* Open one in the thread's network namespace; groups as in struct sockaddr_nl. Its fd or -errno. */
int netlink_socket_open(int bus, unsigned int groups);
/*
 * Read one datagram without waiting. Its bytes; 0 = somebody else sent it; -EAGAIN = none is
 * queued; -ENOBUFS or -ENOSPC = datagrams were lost: the queue overflowed, or it is larger than the
 * buffer; else -errno.
 */
ssize_t netlink_socket_receive(int fd, void *buf, size_t size);
/*
 * The next message that is whole within the n bytes of buf, which is aligned for a struct nlmsghdr;
 * NULL = none. *offset is where to look and is moved on; it begins as 0.
 */
const struct nlmsghdr *netlink_next(const void *buf, size_t n, size_t *offset);

#endif
