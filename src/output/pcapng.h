/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of a pcapng file (draft-ietf-opsawg-pcapng), in the byte order of this machine. libpcap
 * writes no pcapng, and the interface of Wireshark's libwiretap is not stable.
 */
#pragma once

#include "model/capture.h"

#define PCAPNG_BLOCK_MAX 2048

/* A block that is complete after pcapng_end(). What does not fit is left out. */
struct pcapng_block {
	uint8_t bytes[PCAPNG_BLOCK_MAX];
	size_t n;
};

/* The first block of a file. */
void pcapng_section(struct pcapng_block *b, const char *os, const char *program,
		    const char *comment);
/* Interfaces are numbered from 0 in the order of their blocks. */
void pcapng_interface(struct pcapng_block *b, const char *name, const char *description);
void pcapng_packet(struct pcapng_block *b, uint32_t interface, const struct packet *p);
void pcapng_statistics(struct pcapng_block *b, uint32_t interface, int64_t from_ns,
		       int64_t until_ns, const struct capture_counts *n, const char *comment);
