/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The packets of the pane: the newest of a sample, and the most frequent. No curses. */
#pragma once

#include "model/capture.h"
#include "model/packet_header.h"
#include "prompt.h"

#define PACKETS_MAX      1024 /* that are kept */
#define PACKETS_FREQUENT 5
#define PACKET_KIND_LEN  96

struct packet_entry {
	struct packet packet;
	struct packet_header header;
	char kind[PACKET_KIND_LEN]; /* "TCP 192.0.2.1 port 80" */
};

struct packets {
	bool on;
	bool paused;
	char what[192];               /* whose packets */
	char pcap[PROMPT_SIZE];       /* a filter of pcap-filter(7); "" = none */
	struct capture_filter filter; /* with its code */
	struct packet_entry *entry;   /* PACKETS_MAX elements */
	uint64_t taken;               /* packets so far; the next is entry[taken % PACKETS_MAX] */
	uint64_t missed;              /* packets that came during the pause */
	struct capture_counts before; /* of earlier captures */
	struct list list;
};

struct packet_frequency {
	const char *kind;
	size_t n;
};

void packets_open(struct packets *p);
void packets_free(struct packets *p);
/* A packet_fn. */
void packets_take(void *packets, const struct packet *packet);
/* The entries, the newest first. Returns how many. */
size_t packets_shown(const struct packets *p, const struct packet_entry *shown[PACKETS_MAX]);
/* The most frequent kinds of n packets. Returns how many. */
size_t packets_frequent(const struct packet_entry *const *shown, size_t n,
			struct packet_frequency to[PACKETS_FREQUENT]);
/* The titles, and the line of a packet below them. */
extern const char packet_titles[];
void packet_line(const struct packet_entry *e, char *buf, size_t size);
