/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pcap filter (pcap-filter(7)), as `tcpdump -ddd` prints it. */
#pragma once

#include "base/error.h"
#include "model/capture.h"

#define PCAP_FILTER_TEXT (CAPTURE_INSNS * 32) /* bytes of the text, or more */

/*
 * Read untrusted text, and check the instructions as the kernel checks a socket's
 * (bpf_check_classic() in net/core/filter.c). 0, or -EINVAL and *error.
 */
int pcap_filter_parse(const char *text, struct capture_code *to, struct error *error);
