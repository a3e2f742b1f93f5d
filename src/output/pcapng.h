/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of a pcapng file (draft-ietf-opsawg-pcapng), in the byte order of this machine. libpcap
 * writes no pcapng, and the interface of Wireshark's libwiretap is not stable.
 */
#ifndef XDPTOP_PCAPNG_H
#define XDPTOP_PCAPNG_H

#include <stddef.h>
#include <stdint.h>

#define PCAPNG_BLOCK_MAX 2048

/* A block that is complete after pcapng_end(). What does not fit is left out. */
struct pcapng_block {
	uint8_t bytes[PCAPNG_BLOCK_MAX];
	size_t n;
};

struct pcapng_packet {
	uint32_t interface;
	int64_t time_ns;
	const void *bytes;
	uint32_t n, length; /* bytes that are here, and of the packet */
	uint32_t queue, act, cpu;
};

struct pcapng_statistics {
	uint32_t interface;
	int64_t from_ns, until_ns;
	uint64_t matched, left_out, written;
	const char *comment;
};

/* The first block of a file. */
void pcapng_section(struct pcapng_block *b, const char *os, const char *program,
		    const char *comment);
/* Interfaces are numbered from 0 in the order of their blocks. `snap` = bytes of a packet at most.
 */
void pcapng_interface(struct pcapng_block *b, const char *name, const char *description,
		      uint32_t snap);
void pcapng_packet(struct pcapng_block *b, const struct pcapng_packet *p);
void pcapng_statistics(struct pcapng_block *b, const struct pcapng_statistics *s);

#endif
