/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source maps: the maps that XDP programs redirect through (devmap, devmap_hash, cpumap,
 * xskmap) and where their entries lead. The row of a map precedes its entries. Empty entries have
 * no row.
 */
#pragma once

#include "model/row_walk.h"

#define MAP_USERS       4     /* programs named in the row of a map */
#define MAP_ENTRIES_MAX 65536 /* limit of rows, including the maps' own */

struct map_entry {
	uint32_t map_id;
	uint32_t is_entry; /* 0 = the map itself: the members of entries, below, are 0 */
	uint32_t key;      /* in a cpumap: the CPU */
	bool gone;         /* only in a recording: the last row of the map or entry */
	uint32_t map_type; /* enum bpf_map_type */
	char map_name[SNAPSHOT_NAME_LEN];
	/* of the map; 0 in an entry's row */
	uint32_t max_entries, used;
	uint32_t value_size; /* bytes of a value; 0 = unknown */
	uint32_t slots_read; /* so far, of max_entries: large maps are read in parts */
	/* Ids of programs that use the map: attached ones first, then ascending; 0 = no more. */
	uint32_t user[MAP_USERS];
	uint32_t users_total; /* including unnamed ones */
	bool users_known;     /* false = there may be any number of others */
	/* of an entry */
	uint32_t to_netns, to_ifindex; /* target device; 0 = none */
	uint32_t prog_id;              /* runs after the redirect; 0 = none */
	uint32_t qsize, fill;          /* cpumap queue: its size, and frames waiting now */
	uint32_t socket_inode;         /* AF_XDP socket; 0 = none */
	char to_ifname[SNAPSHOT_NAME_LEN];
	char prog_name[SNAPSHOT_NAME_LEN];
};

/* Rows of the snapshot, by map: first the map itself, then its entries by key. */
const struct map_entry *map_entries(const struct snapshot *s, size_t *n);
/* Whether it has not yet been read, because large maps are read in parts. */
static inline bool map_is_unread(const struct map_entry *map)
{
	return !map->used && !map->slots_read && map->max_entries;
}

/* The row of a map, followed by its entries; NULL = unknown. s may be NULL. */
const struct map_entry *map_find(const struct snapshot *s, uint32_t map_id);
/* An entry of a map; NULL = none with this key, or unknown. s may be NULL. */
const struct map_entry *map_entry_find(const struct snapshot *s, uint32_t map_id, uint32_t key);
/*
 * The AF_XDP socket that was in the slot throughout the interval, since slots are read later than
 * counters. 0 = none, or it changed.
 */
uint32_t map_slot_socket(const struct rates *r, uint32_t map_id, uint32_t key);
/* The first entry that leads to the socket; NULL = none. */
const struct map_entry *map_entry_of_socket(const struct rates *r, uint32_t inode);
/* Entries by socket, by program, and by target device: row_number(netns, ifindex). */
extern const struct row_key map_entries_by_socket, map_entries_by_program, map_entries_by_target;

enum map_use { MAP_NOT_USED, MAP_USE_UNKNOWN, MAP_USED };

/* Whether the program, or a part of it if it is a dispatcher, redirects through the map. */
enum map_use map_use(const struct rates *r, const struct map_entry *map, uint32_t prog_id);

#define MAPS_OF_PROGRAM 128
/*
 * The maps that the program redirects through, ascending. Returns how many; -1 = there may be more.
 */
int maps_of_program(const struct rates *r, uint32_t prog_id,
		    const struct map_entry *map[MAPS_OF_PROGRAM]);
/* Whether a device runs a program that redirects through the map. */
bool map_is_attached(const struct rates *r, const struct map_entry *map);
