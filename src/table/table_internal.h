/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of src/table only. */
#ifndef XDPTOP_TABLE_INTERNAL_H
#define XDPTOP_TABLE_INTERNAL_H

#include "base/array.h"
#include "base/hash_index.h"
#include "table/table.h"
#include "table/value.h"

struct finding;   /* model/finding.h */
struct map_entry; /* source/maps.h */

/* A series and the id of its row: sorted, the series of a row are neighbours. */
struct series_row {
	uint64_t row;
	uint32_t tracepoint;
	size_t series;
};

/* The sort key of a row: its cell is computed once, not at each comparison. */
struct sort_key {
	bool known, descending, count_is_set;
	uint64_t count;
	double real;
	const char *text;
	uint64_t order;
	size_t row, last; /* last_place.place, 0 = none */
};

/* The place of a row in the last order, from 1. */
struct last_place {
	uint64_t id;
	size_t place;
};

/* Buffers that table_build() reuses. */
struct table_scratch {
	struct series_row *series_row;
	struct sort_key *key;
	struct row *row;
	char *text;
	uint32_t *cpu;
	struct last_place *last; /* of rows whose key was known */
	size_t n_last;
	struct hash_index index; /* of rows by their ids, while rows are added */
	size_t cap_series_row, cap_key, cap_row, cap_text, cap_cpu, cap_last;
};

/*
 * Ids of rows: 64-bit hashes of the identity fields that the view groups by. The same in every
 * snapshot; never 0.
 */
uint64_t row_id(const struct view *view, const struct series *s);
/* The row of a tracepoint in a view that has one for each. */
uint64_t row_id_tracepoint(uint32_t tracepoint);
/* The row of a device or program in a view that has one for each. */
uint64_t row_id_device(uint32_t netns, uint32_t ifindex);
uint64_t row_id_program(uint32_t prog_id);
/* The row of a map, or of an entry of it; of a socket. */
uint64_t row_id_map(uint32_t map_id, bool is_entry, uint32_t key);
uint64_t row_id_socket(uint32_t inode);
/* The row of one CPU of a row. */
uint64_t row_id_cpu(uint64_t row, uint32_t cpu);

/* Build the rows of the view, those of its blocks aside: as table_build(). */
int table_build_view(struct table *t, const struct rates *rates,
		     const struct table_options *options);
/*
 * Put the rows of the blocks in front of the table's, which are ready, and leave out missing
 * tracepoints at its end. Returns 0 or -ENOMEM.
 */
int table_add_blocks(struct table *t);

/* Swap scratch->row, which has n rows, and t->row. */
void table_take_rows(struct table *t, size_t n);
/* Append zeroed counts; the caller has reserved the memory. */
struct row_tp_counts *table_add_tp_counts(struct table *t, uint32_t tracepoint);
void table_counts_add(struct table_counts *to, uint32_t tracepoint,
		      const struct series_counters *add);
/*
 * Append a row for each CPU that counted events of these tracepoints (bits 1 << id) in `row` to
 * scratch->row, which has n rows; fold them as the options say. May reallocate t->tp_counts.
 * Returns the number of CPU rows, or -ENOMEM.
 */
long table_add_cpus(struct table *t, const struct row *row, size_t n, uint32_t of);
/*
 * Append a row for each group of series. Groups without events since the start or baseline are left
 * out unless the options or `keep` (may be NULL) ask for them. Returns 0 or -ENOMEM.
 */
int table_add_series(struct table *t, bool (*keep)(const struct table *t, const struct row *row));
/* Add up the verdicts of each row, where the snapshot has any: 0 or -ENOMEM. */
int table_add_verdicts(struct table *t);
/* Add the CPUs that a row has verdicts of to the n sorted ones of scratch->cpu. 0 or -ENOMEM. */
int table_merge_verdict_cpus(struct table *t, const struct row *row, size_t *n);
/* Give each of its n CPU rows, ascending, its part of the row's verdicts. 0 or -ENOMEM. */
int table_split_verdicts(struct table *t, const struct row *row, struct row *cpu_row, size_t n);
/* Of row.verdicts or row.all_verdicts: CELL_VALUE, or why they have no number. */
enum cell_state table_verdicts_state(const struct table *t, size_t verdicts, enum basis basis);
/* By act; of verdicts that have a value. */
const struct verdict_counters *table_verdict_counters(const struct table *t, size_t verdicts,
						      enum basis basis);
/* Their packets, 0 where that is not known. */
uint64_t table_verdict_packets(const struct table *t, size_t verdicts, enum basis basis);
/* Sort the rows by t->options. Returns 0 or -ENOMEM. */
int table_sort(struct table *t);

/* Append a row for each of n entries of a list; the caller sets row.id. 0 or -ENOMEM. */
int table_add_items(struct table *t, size_t n);

/* These set a value and return CELL_VALUE; cell_set_named() and _netns() CELL_NONE without one. */
enum cell_state cell_set_real(struct cell *cell, enum cell_type type, double real);
enum cell_state cell_set_count(struct cell *cell, uint64_t count);
enum cell_state cell_set_text(struct cell *cell, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The name, else its kind and number. */
enum cell_state cell_set_named(struct cell *cell, const char *name, const char *kind, uint32_t id);
enum cell_state cell_set_netns(const struct table *t, uint32_t netns, struct cell *cell);
/* The part of a whole, which may be 0: CELL_NONE. */
enum cell_state cell_set_part(struct cell *cell, uint32_t part, uint32_t whole);
/*
 * A column of a data source's rows: counters that only grow, uint64_t at these offsets of a row, 0
 * = no more. In the interval where the column is a rate, else since the baseline.
 */
struct counter_column {
	enum column_id column;
	uint16_t offset[3];
};
/* The cell of one of n such columns; CELL_NONE in others. */
enum cell_state cell_set_counter(const struct table *t, enum data_source_id id, const void *row,
				 const struct counter_column *of, size_t n, struct cell *cell);
/*
 * Append the codes of the active findings that are at the row, each once, to the cell's text.
 * CELL_NONE when it stays empty.
 */
enum cell_state cell_add_findings(const struct table *t, struct cell *cell,
				  bool (*is_at)(const struct finding *f, const void *of),
				  const void *of);
/* The map's name, or its type and id. */
enum cell_state map_name_cell(const struct map_entry *map, struct cell *cell);
/* The time from `since` to the snapshot, 0 when the clock was set back. */
enum cell_state cell_set_age(const struct table *t, const struct timespec *since,
			     struct cell *cell);
/* Computes a cell from the series of the row. */
cell_fn cell_of_series;
/* The same from its verdicts. */
cell_fn cell_of_verdicts;
/* From its location; CELL_NONE in columns of anything else. */
cell_fn cell_of_location;

#endif
