/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions of rules that look into maps and at AF_XDP sockets. Each sets evidence.what, and is
 * false where these are unknown: the rule behind it then says what the counts alone tell.
 */
#ifndef XDPTOP_MAP_EVIDENCE_H
#define XDPTOP_MAP_EVIDENCE_H

#include "diagnose/finding_code.h"
#include "source/maps.h"
#include "source/sockets.h"

/* Who has it: "poller[812]"; "its program" where no process is seen. */
const char *socket_owner(const struct xdp_socket *s, char *buf, size_t size);
/* "; 7 addresses in it were invalid", or "". */
const char *socket_invalid(const struct xdp_socket *s, char *buf, size_t size);
/* The row of a map and its entries: how many rows. */
size_t map_rows(const struct snapshot *s, const struct map_entry *map);
/* Whether all its entries are known: a large map is read in parts, and rows have a limit. */
bool map_is_read(const struct snapshot *s, const struct map_entry *map);

/* Numbers as ranges, "0-3, 7". Zeroed at first use; after a few it ends with "...". */
struct number_list {
	char text[96];
	uint32_t first, last; /* of the range that is open */
	size_t len;
	bool open, full;
};

/* Adds a range above all others. */
void number_list_add(struct number_list *l, uint32_t first, uint32_t last);
/* Adds the numbers below `end` that are no key of the map, which has n rows. */
void number_list_add_free(struct number_list *l, const struct map_entry *map, size_t n,
			  uint32_t end);
/* The text. Nothing can be added any more. */
const char *number_list_end(struct number_list *l);

/* Of redirects to an xskmap: the socket in the slot, which stood there all the interval. */
bool says_full_ring_of_socket(struct evidence *e);
bool says_empty_ring_of_socket(struct evidence *e);
bool says_unbound_socket(struct evidence *e);
bool says_place_of_socket(struct evidence *e);
bool says_chunks_of_socket(struct evidence *e);
/* Of XDP_ABORTED, behind `before`: the slots of the program's maps; sets evidence.map or maps. */
bool says_slots(struct evidence *e, const struct series_key *key, const char *before);
/* Of a cpumap: its queue; the second where a program of the entry forbids the command. */
bool says_queue(struct evidence *e, const char *meaning);
bool says_queue_of_program(struct evidence *e, const char *meaning);

/* A program of an entry: of a devmap to that device, else (ifindex 0) of a cpumap. */
struct entry_program {
	uint32_t prog_id, netns, ifindex;
};

/*
 * "devmap tx_port (id 6) key 7 and 2 more": the entries that have it; sets evidence.map. The first
 * one; NULL = none is known.
 */
const struct map_entry *name_entry(struct evidence *e, const struct entry_program *p, char *buf,
				   size_t size);
/* Of frames that the devmap program series.to_prog_id drops: whose entry has it. */
bool says_entry_of_program(struct evidence *e);

#endif
