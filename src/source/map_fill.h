/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source map: the hashes and LPM tries of running XDP programs, including those that a map of
 * maps leads to, and how full they are. No entry of them is read, only their number. Also maps that
 * no program uses although a running one uses another of the name, and emptied program arrays.
 */
#pragma once

#include "source/maps.h"

#define MAP_FILL_ROWS_MAX 16384 /* limit of listed maps */

enum map_fill_state {
	MAP_FILL_UNREAD,
	MAP_FILL_COUNTED,
	MAP_FILL_UNCOUNTED, /* a hash before 6.6, an rhash */
};

struct map_fill {
	uint32_t map_id; /* 0 = not a map: `left_out` */
	bool gone;       /* only in a recording: the last row of the map */
	uint32_t map_type;
	uint32_t user[MAP_USERS]; /* running programs that use it, ascending; 0 = no more */
	uint32_t users_total;     /* including unnamed ones */
	/*
	 * No program uses it, but a running one uses this map of the same name, type and sizes. 0 =
	 * a program uses it.
	 */
	uint32_t like_id, like_prog;
	enum map_fill_state state;
	/* How many counts in a row, one every MAP_FILL_LOOK_S, have found more entries. */
	uint32_t rises;
	bool has_growth;  /* it was counted more than once */
	double growth;    /* entries per second between the last two counts, 0 if it shrank */
	uint64_t added;   /* entries by which it grew since it was first counted */
	uint64_t entries; /* when last counted */
	uint64_t max_entries;
	uint64_t left_out;   /* maps without a row; 0 = an unknown number */
	uint64_t counted_ns; /* live: when it was last counted, for the growth */
	/* 0 = in the interval that ends with the snapshot, or never: see rates_age() */
	struct timespec counted_at;
	char map_name[SNAPSHOT_NAME_LEN];
};

#define MAP_FILL_LOOK_S 5

/* Rows of the snapshot, ascending by id. *left_out: maps without a row, UINT64_MAX = an unknown
 * number. */
const struct map_fill *map_fills(const struct snapshot *s, size_t *n, uint64_t *left_out);
/* The row of a map; NULL = unknown. */
const struct map_fill *map_fill_find(const struct snapshot *s, uint32_t map_id);
/* Maps by a program that uses them. */
extern const struct row_key map_fills_by_user;
/* Whether it is a program array of a running program that the kernel has emptied. */
bool map_fill_is_emptied(const struct map_fill *m);
/* Whether the kernel evicts entries when the map is full, so that no new entry is refused. */
bool map_fill_evicts(const struct map_fill *m);
/* The part of max_entries that is in use; 0 = unknown. */
double map_fill_part(const struct map_fill *m);
/* Seconds until the map is full at the rate between the last two counts; NAN = never. */
double map_fill_full_in(const struct map_fill *m);
/* "full in 4 min", "full"; "" = unknown, or it does not grow */
const char *map_fill_outlook(const struct map_fill *m, char *buf, size_t size);

struct map_fill_record; /* bpf/iter_records.h */
/* Set what was counted at this time (CLOCK_MONOTONIC), after the earlier counts in the row. */
void map_fill_count(struct map_fill *row, const struct map_fill_record *now, uint64_t ns);
