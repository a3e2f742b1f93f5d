/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The known maps and their entries, merged from partial readings. Rows that a reading did not reach
 * stay as they were.
 */
#pragma once

#include "source/attached.h"
#include "source/map_users.h"
#include "source/maps.h"

/* All zero = empty. */
struct map_table {
	struct map_entry *row; /* as map_entries() returns them */
	size_t n, cap;
	struct map_entry *before; /* memory for the next update */
	size_t n_before, cap_before;
	struct map_entry *fresh;
	size_t n_fresh, cap_fresh;
	struct map_record *last; /* the previous reading; empty if it was not complete */
	size_t n_last, cap_last;
};

void map_table_free(struct map_table *t);
/* Merge a reading (inventory/map_iter.h). If it is not complete, maps may be missing at its end. */
void map_table_update(struct map_table *t, const struct map_record *record, size_t n,
		      bool complete);
void map_table_set_users(struct map_table *t, const struct map_users *u,
			 const struct attached_programs *attached);
