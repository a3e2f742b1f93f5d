/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of src/table share with each other and with nobody else. */
#ifndef XDPTOP_TABLE_INTERNAL_H
#define XDPTOP_TABLE_INTERNAL_H

#include "base/array.h"
#include "table/sort_hysteresis.h"
#include "table/table.h"

/* A series on its way into a row. */
struct series_row {
	uint64_t row;
	uint32_t tracepoint;
	size_t series;
};

/* What a row is sorted by, computed once. */
struct sort_key {
	bool known, descending, count_is_set;
	uint64_t count;
	double real;
	double noise_units; /* of sort_hysteresis() */
	const char *text;
	uint64_t order;
	size_t row;
};

/* Memory that a rebuild uses again. */
struct table_scratch {
	struct series_row *series_row;
	struct sort_key *key;
	struct row *row;
	char *text;
	uint32_t *cpu, *cpu_merged;
	struct hysteresis_row *hysteresis;
	size_t *place;
	bool noisy; /* what is sorted by goes up and down by chance */
	size_t cap_series_row, cap_key, cap_row, cap_text, cap_cpu, cap_cpu_merged, cap_hysteresis,
		cap_place;
};

/* The first n rows in scratch->row become the table's. */
void table_take_rows(struct table *t, size_t n);
/* Append zeroed counts, for which there is room. */
struct row_tp_counts *table_add_tp_counts(struct table *t, uint32_t tracepoint);
void table_counts_add(struct table_counts *to, uint32_t tracepoint,
		      const struct series_counters *add);
/*
 * Append the CPU rows of a row to scratch->row, of which n are taken: those that its series of
 * these tracepoints (bits 1 << id) counted on, folded as the options say. How many, or -ENOMEM. May
 * move table.tp_counts.
 */
long table_add_cpus(struct table *t, const struct row *row, size_t n, uint32_t of);
/*
 * Append a row for each group of series that the view tells apart; those that counted nothing since
 * the start or baseline only where `keep` (may be NULL) or the options say so. 0 or -ENOMEM.
 */
int table_add_series(struct table *t, bool (*keep)(const struct table *t, const struct row *row));
/* Sort the rows as table.options ask for: 0 or -ENOMEM. */
int table_sort(struct table *t);

void cell_set_real(struct cell *cell, enum cell_type type, double real);
void cell_set_count(struct cell *cell, uint64_t count);
/* An empty text is a value, too. */
void cell_set_text(struct cell *cell, const char *text);
/* How long before the snapshot something was. */
void cell_set_age(const struct table *t, const struct timespec *since, struct cell *cell);
/* The cell as the series of the row tell it. */
void cell_of_series(const struct table *t, const struct row *row, struct cell *cell);

#endif
