// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/location.h"
#include "table/table_internal.h"

void table_take_rows(struct table *t, size_t n)
{
	struct table_scratch *scratch = t->scratch;
	struct row *row = t->row;
	size_t cap = t->cap_rows;

	t->row = scratch->row;
	t->cap_rows = scratch->cap_row;
	t->n_rows = n;
	scratch->row = row;
	scratch->cap_row = cap;
}

void table_add_items(struct table *t, size_t n)
{
	array_reserve(t->row, t->cap_rows, n + 1);
	for (size_t i = 0; i < n; i++)
		t->row[t->n_rows++] =
			(struct row){ .tracepoint = -1, .cpu = -1, .item = i, .order = i };
}

bool row_locate(const struct table *t, const struct row *row, struct location *l)
{
	const struct row_kind *rows = t->options.view->rows;

	location_init(l);
	if (rows->locate)
		rows->locate(t, row, l);
	return rows->locate;
}

long table_find(const struct table *t, uint64_t id)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (t->row[i].id == id)
			return (long)i;
	return -1;
}

const struct series *table_series(const struct table *t, const struct row *row)
{
	const struct series *youngest = NULL;

	for (size_t i = 0; i < row->n_series; i++)
		if (!youngest || row_series(t, row, i)->id > youngest->id)
			youngest = row_series(t, row, i);
	return youngest;
}
