/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles pcap filters by tcpdump, in processes of their own: libpcap would bring a dozen
 * libraries into a process of root. A process without capabilities, as nobody if root started it
 * (base/side_process.h), starts tcpdump, even after the drop of privileges, when the monitor may
 * start no program. tcpdump opens no device, and reads an empty capture of Ethernet from a pipe.
 */
#pragma once

#include "model/capture.h"
#include "base/error.h"

#define PCAP_FILTER_MAX 4000 /* bytes of a filter */

/*
 * Start the process, before there is a second thread. Returns its socket, or -errno and sets
 * *error.
 */
int filter_compiler_start(struct error *error);
/* Compile a filter, in a few seconds. 0, or -errno and *error with tcpdump's own words. */
int filter_compile(int socket, const char *filter, struct capture_code *to, struct error *error);
