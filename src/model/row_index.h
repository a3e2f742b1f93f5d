/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What row_walk_begin() keeps in struct rates. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ROW_INDEXES_MAX 24 /* rows of further keys are searched one by one */

struct row_key;  /* model/row_walk.h */
struct snapshot; /* model/snapshot.h */

/* A number of a row, in the list of its bucket. */
struct row_entry {
	uint64_t number;
	uint32_t row;
	uint32_t next; /* 1 + its place; 0 = the last of the bucket */
};

struct row_index {
	const struct row_key *key;
	const struct snapshot *of;
	struct row_entry *entry;
	size_t n, cap;
	uint32_t *bucket; /* 1 + its first entry; 0 = none */
	size_t n_buckets; /* a power of two */
	size_t cap_buckets;
};

struct row_indexes {
	struct row_index index[ROW_INDEXES_MAX];
	size_t n;
};

/* x may be NULL. */
void row_indexes_free(struct row_indexes *x);
