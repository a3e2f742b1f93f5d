/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table over an interval of 2 s between handmade snapshots. */
#pragma once

#include <stdlib.h>
#include "table/filter.h"
#include "table/table.h"
#include "made.h"

struct made {
	struct snapshot base, from, to;
	struct rates rates;
	struct table table;
	struct table_options options;
	bool first, with_base;
};

static inline int made_setup(void **state)
{
	struct made *m = calloc(1, sizeof(*m));

	if (!m)
		return -1;
	made_snapshot(&m->base, 5);
	made_snapshot(&m->from, 10);
	made_snapshot(&m->to, 12); /* 2 s, so that a rate differs from a count */
	m->options.sort = -1;
	*state = m;
	return 0;
}

static inline int made_teardown(void **state)
{
	struct made *m = *state;

	table_free(&m->table);
	rates_free(&m->rates);
	snapshot_free(&m->base);
	snapshot_free(&m->from);
	snapshot_free(&m->to);
	free(m);
	return 0;
}

static inline void build(struct made *m, enum view_id view)
{
	m->options.view = &views[view];
	rates_set(&m->rates, m->first ? NULL : &m->from, &m->to, m->with_base ? &m->base : NULL);
	assert_int_equal(table_build(&m->table, &m->rates, &m->options), 0);
}

/* Uses a filter for this build only. */
static inline void build_filtered(struct made *m, enum view_id view, const char *expr)
{
	struct filter *filter;
	struct error error = { 0 };

	assert_int_equal(filter_parse(expr, &filter, &error), 0);
	m->options.filter = filter;
	build(m, view);
	m->options.filter = NULL;
	filter_free(filter);
}

/* A series in both snapshots of the interval. */
static inline void put(struct made *m, uint64_t id, uint32_t tp, struct series_key key,
		       struct series_counters before, struct series_counters now)
{
	made_series(&m->from, id, tp, key, before);
	made_series(&m->to, id, tp, key, now);
}

static inline const char *text(struct made *m, size_t row, enum column_id column)
{
	static char buf[SNAPSHOT_TEXT_LEN];
	struct cell cell;
	int len;

	assert_true(row < m->table.n_rows);
	table_cell(&m->table, row, column, &cell);
	len = cell_text(&cell, buf, sizeof(buf), NUMBER_SI, true);
	assert_int_equal(len, strlen(buf));
	return buf;
}

#define CELL(row, column, expected) assert_string_equal(text(m, row, column), expected)

/* The row of a tracepoint in the overview. */
static inline size_t row_of(struct made *m, uint32_t tp)
{
	for (size_t i = 0; i < m->table.n_rows; i++)
		if (m->table.row[i].tracepoint == (int)tp)
			return i;
	fail_msg("no row of tracepoint %u", tp);
	return 0;
}

/* The only row with these texts for device and target. */
static inline size_t flow(struct made *m, const char *device, const char *target)
{
	for (size_t i = 0; i < m->table.n_rows; i++) {
		if (strcmp(text(m, i, COL_DEVICE), device))
			continue;
		if (!strcmp(text(m, i, COL_TARGET), target))
			return i;
	}
	fail_msg("no flow from %s to %s", device, target);
	return 0;
}

/* A test with the argument struct made *m. */
#define TABLE_TEST(name) TEST_OF(name, made_setup, made_teardown, struct made *m)
