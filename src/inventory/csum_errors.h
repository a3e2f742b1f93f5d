/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets with a wrong checksum, which the stack of a network namespace drops without a message. A
 * program that rewrites headers and not their checksums causes them. The files are opened in the
 * namespace, before the drop of privileges, and keep it alive like a socket.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CSUM_FILES 3 /* snmp, netstat, snmp6 */

/* Open the files of the thread's network namespace; -1 = could not be opened. */
void csum_errors_open(int fd[CSUM_FILES]);
void csum_errors_close(const int fd[CSUM_FILES]);
/* Read the sum of all InCsumErrors. False = the files do not have any. */
bool csum_errors_read(const int fd[CSUM_FILES], uint64_t *sum);
/* Add the counters in the text of a file. False = it has none. */
bool csum_errors_add(const char *text, uint64_t *sum);
