/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that the stack of a network namespace drops without a message: a wrong checksum (a
 * program that rewrites headers and not their checksums causes it), no route, the reverse path
 * filter, a full listening socket. The files are opened in the namespace, before the drop of
 * privileges, and keep it alive like a socket.
 */
#pragma once

#include "model/netdev.h"

#define NETNS_FILES 3 /* snmp, netstat, snmp6 */

/* Open the files of the thread's network namespace; -1 = could not be opened. */
void netns_counts_open(int fd[NETNS_FILES]);
void netns_counts_close(const int fd[NETNS_FILES]);
/* Set the counters that the files have, of a device that has none of them yet. */
void netns_counts_read(const int fd[NETNS_FILES], struct netdev *d);
/* Add those in the text of a file. */
void netns_counts_add(const char *text, struct netdev *d);
