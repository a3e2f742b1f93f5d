/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets of a Unix socket that carry descriptors (SCM_RIGHTS, unix(7)). */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#define FD_PASS_MAX 2

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
