/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds rows of a snapshot by a number that they are not sorted by: the devices that run a program,
 * the map entries that lead to a device. The first walk with a key indexes all rows, so a walk for
 * each row of another kind stays linear. The index belongs to the rates, until rates_set().
 */
#pragma once

#include "model/rates.h"

#define ROW_SERIES    DATA_SOURCE_COUNT /* struct row_key.rows: the series */
#define ROW_NO_NUMBER UINT64_MAX

/* How rows of one kind are looked up. */
struct row_key {
	int rows;       /* enum data_source_id, or ROW_SERIES */
	unsigned int n; /* numbers per row */
	/*
	 * Returns the ith number, or ROW_NO_NUMBER. If NULL, the row has n numbers of 4 bytes at
	 * offset `ids`, where 0 is none.
	 */
	uint64_t (*number)(const void *row, unsigned int i);
	size_t ids;
};

/* Define row_key.number for rows of a type: an expression of the row `r`. */
#define ROW_NUMBER(fn, type, r, expression)                 \
	static uint64_t fn(const void *row, unsigned int i) \
	{                                                   \
		const type *r = row;                        \
                                                            \
		return expression;                          \
	}

/* The ids in member m of rows of struct type. */
#define ROW_KEY_IDS(rows, type, m)                                                       \
	{                                                                                \
		rows, sizeof(((type *)0)->m) / sizeof(uint32_t), NULL, offsetof(type, m) \
	}

struct row_walk {
	const struct row_key *key;
	const struct row_index *index; /* NULL = too many indexes: search row by row */
	uint64_t number;
	const char *row;
	size_t size, n;
	size_t at;
};

/* Combines two numbers, such as a network namespace and an ifindex. */
static inline uint64_t row_number(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* Find the rows of a snapshot of the rates that have the number. s may be NULL. */
void row_walk_begin(struct row_walk *w, const struct rates *r, const struct snapshot *s,
		    const struct row_key *key, uint64_t number);
/* The next row, in the order of the snapshot; NULL = no more. */
const void *row_walk_next(struct row_walk *w);

static inline struct row_walk row_walk(const struct rates *r, const struct snapshot *s,
				       const struct row_key *key, uint64_t number)
{
	struct row_walk w;

	row_walk_begin(&w, r, s, key, number);
	return w;
}

#define for_each_row(row, rates, snapshot, key, number)                        \
	for (struct row_walk w_##row = row_walk(rates, snapshot, key, number); \
	     ((row) = row_walk_next(&w_##row));)

/* The first row; NULL = none. */
const void *row_walk_first(const struct rates *r, const struct snapshot *s,
			   const struct row_key *key, uint64_t number);

/* The devices that run a program, in any mode; devices that ran it and are gone. */
extern const struct row_key netdevs_by_program, gone_netdevs_by_program;
/* The bonds, by `true`. */
extern const struct row_key bonds;
extern const struct row_key vlans_by_netns;
extern const struct row_key series_by_device, series_by_target, series_by_program;
/* The series of a map slot: row_number(map_id, target). */
extern const struct row_key series_by_map;
