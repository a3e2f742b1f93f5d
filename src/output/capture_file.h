/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --capture: the pcapng file of captured packets. Only its owner can read it. */
#pragma once

#include <limits.h>
#include "model/source.h"

/*
 * Blocks of a pcapng file (draft-ietf-opsawg-pcapng), in the byte order of this machine. libpcap
 * writes no pcapng, and the interface of Wireshark's libwiretap is not stable.
 */

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

struct capture_config {
	char path[PATH_MAX]; /* "" = none */
	uint32_t acts;       /* bits 1 << verdict */
	uint64_t rate;       /* packets of a program in a second */
	bool both;           /* before the program, too */
	const char *filter;  /* of pcap-filter(7); NULL = every packet */
	struct capture_code code;
	int compiler; /* filter_compiler_start(), -1 = none */
};

struct capture_file;

/*
 * Creates the file, which must not exist, and writes its head. Call it before the drop of
 * privileges. 0, or -errno and *error.
 */
int capture_file_open(struct capture_file **f, const struct capture_config *config,
		      const struct snapshot_host *host, struct error *error);
/*
 * The same in a new file that is open as fd, which it then owns. Errors are left to the caller of
 * capture_file_end().
 */
struct capture_file *capture_file_attach(int fd, const char *path,
					 const struct capture_config *config,
					 const struct snapshot_host *host);
/* Closes it without counts. 0, or -errno of the first write that failed. */
int capture_file_end(struct capture_file *f);
/* A packet_fn: writes a packet, or counts it after a write has failed. */
void capture_file_packet(void *file, const struct packet *p);
/*
 * After the last packet: writes the counts and prints them, unless quiet. Returns the exit code.
 * Takes NULL.
 */
int capture_file_close(struct capture_file *f, struct source *source, bool quiet);
/* Removes the file, before the drop of privileges. Takes NULL. */
void capture_file_remove(struct capture_file *f);

#define CAPTURE_TEXT 1024 /* bytes; a longer filter is cut */
/* What --capture reads, for a message: "DROP, ABORTED: at most 10 packets a second ...". */
const char *capture_text(const struct capture_config *config, char *buf, size_t size);
