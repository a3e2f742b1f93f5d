/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source maps: the maps that XDP programs redirect through (devmap, devmap_hash, cpumap,
 * xskmap) and what each of their entries leads to. A map's own row comes in front of its entries;
 * an entry that leads nowhere has no row.
 */
#ifndef XDPTOP_MAPS_H
#define XDPTOP_MAPS_H

#include "model/row_walk.h"

#define MAP_USERS       4     /* programs of a map that are named in its row */
#define MAP_ENTRIES_MAX 65536 /* rows that are known at a time, maps included */

struct map_entry {
	uint32_t map_id;
	uint32_t is_entry; /* 0 = the map itself: of it all below `of the entry` is 0 */
	uint32_t key;      /* of a cpumap: the CPU */
	bool gone;         /* only in a recording's row: the last one of it */
	uint32_t map_type; /* enum bpf_map_type */
	char map_name[SNAPSHOT_NAME_LEN];
	/* of the map; 0 in an entry's row */
	uint32_t max_entries, used;
	uint32_t value_size; /* bytes of a value; 0 = unknown */
	uint32_t slots_read; /* up to now, of max_entries: large maps are read in parts */
	/* Ids of programs that use it: attached ones first, then ascending; 0 = no more. */
	uint32_t user[MAP_USERS];
	uint32_t users_total; /* those that are not named included */
	bool users_known;     /* false: there may be any number of others */
	/* of the entry */
	uint32_t to_netns, to_ifindex; /* device; 0 = none */
	uint32_t prog_id;              /* of the entry: it runs behind the redirect; 0 = none */
	uint32_t qsize, fill;          /* of a cpumap's queue: frames that fit, that wait now */
	uint32_t socket_inode;         /* of the AF_XDP socket; 0 = none */
	char to_ifname[SNAPSHOT_NAME_LEN];
	char prog_name[SNAPSHOT_NAME_LEN];
};

/* Rows of the snapshot, ascending by map, the map itself first, then by key. */
const struct map_entry *map_entries(const struct snapshot *s, size_t *n);
/* Whether it waits for its turn: large maps are read in parts. */
static inline bool map_is_unread(const struct map_entry *map)
{
	return !map->used && !map->slots_read && map->max_entries;
}

/* The row of a map, the next ones are its entries; NULL = unknown. s may be NULL. */
const struct map_entry *map_find(const struct snapshot *s, uint32_t map_id);
/* One entry; NULL = none at this key, or unknown. s may be NULL. */
const struct map_entry *map_entry_find(const struct snapshot *s, uint32_t map_id, uint32_t key);
/*
 * The AF_XDP socket that a slot had all the interval, for what was counted in it: slots are read
 * later than counters. 0 = none, or another one since.
 */
uint32_t map_slot_socket(const struct rates *r, uint32_t map_id, uint32_t key);
/* The first row in which the socket stands; NULL = in no map. */
const struct map_entry *map_entry_of_socket(const struct rates *r, uint32_t inode);
/* The entries that have a socket, or a program, or lead to a device: row_number(netns, ifindex). */
extern const struct row_key map_entries_by_socket, map_entries_by_program, map_entries_by_target;

enum map_use { MAP_NOT_USED, MAP_USE_UNKNOWN, MAP_USED };

/* Whether the program, or a part of it where it is a dispatcher, redirects through the map. */
enum map_use map_use(const struct rates *r, const struct map_entry *map, uint32_t prog_id);

#define MAPS_OF_PROGRAM 128
/* Those that it redirects through, ascending: how many; -1 = there may be others. */
int maps_of_program(const struct rates *r, uint32_t prog_id,
		    const struct map_entry *map[MAPS_OF_PROGRAM]);
/* Whether a device runs a program that redirects through the map. */
bool map_is_attached(const struct rates *r, const struct map_entry *map);

#endif
