/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source packet_kinds: a sample of the packets that programs returned, by kind, without
 * addresses and ports. Only with --verdicts, and while packets of every verdict are read, as the
 * view packets does.
 */
#pragma once

#include "model/capture.h"
#include "model/row_walk.h"

/* Packets of a program of one verdict, type and length. */
struct packet_kind {
	uint32_t prog_id;
	uint32_t act;       /* enum xdp_action, or VERDICT_UNKNOWN */
	uint32_t length_to; /* bytes that they have at most; 0 = more than the largest class */
	/* as in struct packet_header; "other", or no protocol: the kinds that got no row */
	char ethertype[8], protocol[12];
	bool gone; /* only in a recording: the program has ended */
	char prog_name[SNAPSHOT_NAME_LEN];
	uint64_t packets; /* of the sample, since xdptop started */
};

#define PACKET_KIND_WORDS (offsetof(struct packet_kind, gone) / sizeof(uint32_t)) /* of its key */

struct packet_kinds;

/* Adds a packet. `kinds` may be NULL. */
void packet_kinds_add(struct packet_kinds *kinds, const struct packet *p);
/* Whether the filter is one whose packets are a sample of all. */
bool packet_kinds_covers(const struct capture_filter *f);
/* Rows of the snapshot, sorted by the members in order. */
const struct packet_kind *packet_kinds(const struct snapshot *s, size_t *n);
/* The rows of a program. */
extern const struct row_key packet_kinds_by_program;
/* Packets of the row in the interval; since the baseline or the start. */
uint64_t packet_kind_grew(const struct rates *r, const struct packet_kind *k);
uint64_t packet_kind_since(const struct rates *r, const struct packet_kind *k);
