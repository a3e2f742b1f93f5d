/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions of rules that look into maps and at AF_XDP sockets. Each sets evidence.what, and is
 * false if the maps or sockets are unknown. The next rule then says what the counts alone show.
 */
#pragma once

#include "diagnose/finding_code.h"
#include "source/maps.h"
#include "source/sockets.h"

/* Commands that look at a socket's process, and at the socket. */
#define OWNER_COMMANDS "ps -o pid,stat,pcpu,wchan:20,args -p {pid}\n{sockets}"

/* The owner: "poller[812]"; "its program" if no process is known. */
const char *socket_owner(const struct xdp_socket *s, char *buf, size_t size);
/* "; 7 addresses in it were invalid", or "". */
const char *socket_invalid(const struct xdp_socket *s, char *buf, size_t size);
/* The number of rows of a map: its own and its entries. */
size_t map_rows(const struct snapshot *s, const struct map_entry *map);
/* Whether all entries of the map are known: a large map is read in parts, and rows are limited. */
bool map_is_read(const struct snapshot *s, const struct map_entry *map);

/* Numbers as ranges, "0-3, 7". Zeroed before first use. A long list ends with "...". */
struct number_list {
	char text[96];
	uint32_t first, last; /* of the open range */
	size_t len;
	bool open, full;
};

/* Adds a range above all previous ones. */
void number_list_add(struct number_list *l, uint32_t first, uint32_t last);
/* Adds the numbers below `end` that are not keys of the map, which has n rows. */
void number_list_add_free(struct number_list *l, const struct map_entry *map, size_t n,
			  uint32_t end);
/* Returns the text. Nothing can be added after this. */
const char *number_list_end(struct number_list *l);

/* For redirects to an xskmap, describes the socket that was in the slot for the whole interval. */
bool says_full_ring_of_socket(struct evidence *e);
bool says_empty_ring_of_socket(struct evidence *e);
bool says_unbound_socket(struct evidence *e);
bool says_place_of_socket(struct evidence *e);
bool says_chunks_of_socket(struct evidence *e);
/* For XDP_ABORTED: `before`, then the slots of the program's maps. Sets evidence.map or maps. */
bool says_slots(struct evidence *e, const struct series_key *key, const char *before);
/*
 * For a cpumap, describes the queue. The second function is for entries with a program, which the
 * command would remove.
 */
bool says_queue(struct evidence *e, const char *meaning);
bool says_queue_of_program(struct evidence *e, const char *meaning);

/*
 * A program that map entries run: devmap entries for this device or, if ifindex is 0, cpumap
 * entries.
 */
struct entry_program {
	uint32_t prog_id, netns, ifindex;
};

/*
 * Describes the entries with this program, "devmap tx_port (id 6) key 7 and 2 more"; sets
 * evidence.map. Returns the first one; NULL = none is known.
 */
const struct map_entry *name_entry(struct evidence *e, const struct entry_program *p, char *buf,
				   size_t size);
/* For frames that the devmap program series.to_prog_id drops, names the program's entry. */
bool says_entry_of_program(struct evidence *e);
