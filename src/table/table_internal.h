/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the files of src/table only. table_build() builds the view with table_build_view(), then its
 * blocks with table_add_blocks(). table_build_view() calls row_kind.add(), which appends rows with
 * table_add_series(), table_add_items() and table_add_verdicts(). Then it sorts, inserts CPU rows
 * with table_add_cpus(), and filters. Steps that reorder or insert rows write them to scratch->row
 * and end with table_take_rows().
 */
#pragma once

#include "base/array.h"
#include "base/hash.h"
#include "source/map_fill.h"
#include "table/cell.h"

struct finding;     /* model/finding.h */
struct location;    /* model/location.h */
struct packet_kind; /* source/packet_kinds.h */

/* A series and the id of its row. After sorting, the series of a row are adjacent. */
struct series_row {
	uint64_t row;
	uint32_t tracepoint;
	size_t series;
};

/* The sort key of a row, so that its cell is computed once, not at each comparison. */
struct sort_key {
	bool known, descending, count_is_set;
	uint64_t count;
	double real;
	const char *text;
	uint64_t order;
	size_t row, last; /* last_place.place, 0 = none */
};

/* The place of a row in the previous order, from 1. */
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
	struct last_place *last; /* rows of the previous order whose sort key was known */
	size_t n_last;
	struct hash_index index; /* row ids, while rows are added */
	size_t cap_series_row, cap_key, cap_row, cap_text, cap_cpu, cap_last;
};

/*
 * Row ids: 64-bit hashes of the identity fields that the view groups by. Equal in all snapshots;
 * never 0.
 */
uint64_t row_id(const struct view *view, const struct series *s);
/* For views with a row per tracepoint. */
uint64_t row_id_tracepoint(uint32_t tracepoint);
/* For views with a row per device or program. */
uint64_t row_id_device(uint32_t netns, uint32_t ifindex);
uint64_t row_id_program(uint32_t prog_id);
/* For maps, their entries, sockets, and receive queues. */
uint64_t row_id_map(uint32_t map_id, bool is_entry, uint32_t key);
uint64_t row_id_socket(uint32_t inode);
uint64_t row_id_queue(uint32_t netns, uint32_t ifindex, uint32_t queue);
uint64_t row_id_packets(const struct packet_kind *k);
/* For the row of a CPU below `row`. */
uint64_t row_id_cpu(uint64_t row, uint32_t cpu);

/* Swap t->row and scratch->row, which has n rows, and set t->n_rows. */
void table_take_rows(struct table *t, size_t n);
/* Append zeroed counts to t->tp_counts. The caller has reserved the memory. */
struct row_tp_counts *table_add_tp_counts(struct table *t, uint32_t tracepoint);
void table_counts_add(struct table_counts *to, uint32_t tracepoint,
		      const struct series_counters *add);
/*
 * Append a row to t->row for each group of series. Groups without events since the start or
 * baseline are omitted unless the options or `keep` (may be NULL) ask for them.
 */
void table_add_series(struct table *t, bool (*keep)(const struct table *t, const struct row *row));
/* Append a row for each device with XDP or events, with `all` for each device. */
void table_add_devices(struct table *t, bool all);
/*
 * After table_add_devices(): append a row for each device that netlink does not list and that
 * xdp_devmap_xmit names as the source of frames.
 */
void table_add_senders(struct table *t);
bool finding_is_at_row(const struct finding *f, const void *of);
void locate_device(const struct table *t, const struct row *row, struct location *location);
/* Sum up the verdicts of each row if the snapshot has any. */
void table_add_verdicts(struct table *t);
/* Merge the CPUs for which a row has verdicts into the *n sorted CPUs of scratch->cpu. */
void table_merge_verdict_cpus(struct table *t, const struct row *row, size_t *n);
/* Distribute the row's verdicts to its n CPU rows, which are ascending by CPU. */
void table_split_verdicts(struct table *t, const struct row *row, struct row *cpu_row, size_t n);
/* `verdicts` is row.verdicts or row.all_verdicts. CELL_VALUE, or why there is no number. */
enum cell_state table_verdicts_state(const struct table *t, size_t verdicts, enum basis basis);
/* Counters by act. Call it only if the state is CELL_VALUE. */
const struct verdict_counters *table_verdict_counters(const struct table *t, size_t verdicts,
						      enum basis basis);
/* The sum of the packets, 0 = unknown. */
uint64_t table_verdict_packets(const struct table *t, size_t verdicts, enum basis basis);

/* Append a row for each of n list entries, with row.item set. The caller sets row.id. */
void table_add_items(struct table *t, size_t n);

/* Set a value and return CELL_VALUE; cell_set_named() and cell_set_netns() may return CELL_NONE. */
enum cell_state cell_set_real(struct cell *cell, enum cell_type type, double real);
enum cell_state cell_set_count(struct cell *cell, uint64_t count);
enum cell_state cell_set_text(struct cell *cell, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The name or, without one, kind and number. */
enum cell_state cell_set_named(struct cell *cell, const char *name, const char *kind, uint32_t id);
enum cell_state cell_set_netns(const struct table *t, uint32_t netns, struct cell *cell);
/* A part of a whole; CELL_NONE if the whole is 0. */
enum cell_state cell_set_part(struct cell *cell, uint32_t part, uint32_t whole);
/*
 * A column of a data source's rows: the sum of counters that only grow, uint64_t at these offsets,
 * 0 = no more. A rate is over the interval, a total since the baseline.
 */
struct counter_column {
	enum column_id column;
	uint16_t offset[3];
};
/* Set the cell if its column is among these n; CELL_NONE for other columns. */
enum cell_state cell_set_counter(const struct table *t, enum data_source_id id, const void *row,
				 const struct counter_column *of, size_t n, struct cell *cell);
/*
 * Append the codes of active findings at the row, without duplicates, to the cell's text. CELL_NONE
 * if it stays empty.
 */
enum cell_state cell_add_findings(const struct table *t, struct cell *cell,
				  bool (*is_at)(const struct finding *f, const void *of),
				  const void *of);
/* The map's name or, without one, its type and id. */
enum cell_state cell_set_map(uint32_t map_id, uint32_t map_type, const char *name,
			     struct cell *cell);
enum cell_state map_name_cell(const struct map_entry *map, struct cell *cell);
/* The names or, in the ID column, ids of programs that use a map; 0 = no more. */
enum cell_state cell_set_users(const struct table *t, const uint32_t user[MAP_USERS],
			       uint32_t total, struct cell *cell);
/* Rows of the maps view that are in map_fills(). */
const struct map_fill *table_fill(const struct table *t, const struct row *row);
enum cell_state fill_cell(const struct table *t, const struct map_fill *m, struct cell *cell);
void fill_locate(const struct map_fill *m, struct location *location);
/* The time from `since` to the snapshot; 0 if the clock was set back. */
enum cell_state cell_set_age(const struct table *t, const struct timespec *since,
			     struct cell *cell);
cell_fn cell_of_series;
cell_fn cell_of_device;
/* Compute a cell from the location of the row; CELL_NONE for other columns. */
cell_fn cell_of_location;
