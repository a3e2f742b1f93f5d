/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs pcap filters as captures do (bpf/capture_filter.h), in the kernel and here. */
#pragma once

/*
 * Reads filters from stdin, as `tcpdump -ddd` prints them, one after the other. Prints a line of
 * JSON for each, with the numbers of the packets of a pcap file that match. The last `unread` bytes
 * of each packet cannot be read. Fails if a result in the kernel differs from the one here. Returns
 * the exit status.
 */
int filter_packets(const char *pcap, unsigned int unread);
