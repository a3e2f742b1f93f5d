// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include "table/table_internal.h"

static int by_key(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	int order = 0;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->known) {
		if (x->text)
			order = strverscmp(x->text, y->text);
		else if (x->count_is_set)
			order = (x->count > y->count) - (x->count < y->count);
		else
			order = (x->real > y->real) - (x->real < y->real);
	}
	if (order)
		return x->descending ? -order : order;
	return (x->order > y->order) - (x->order < y->order);
}

/* Set the sort key from the cell of a row. Its text is copied to scratch->text at *used. */
static void set_key(struct table *t, size_t row, struct sort_key *key, size_t *used)
{
	int column = t->options.sort;
	struct cell cell;
	size_t len;

	*key = (struct sort_key){ .order = t->row[row].order,
				  .row = row,
				  .descending = t->options.descending };
	if (column < 0) {
		key->known = key->count_is_set = true;
		key->count = key->order;
		return;
	}
	if (column >= COLUMN_COUNT) {
		cell.type = CELL_RATE;
		cell.real = t->options.sort_value(t->options.sort_ctx, &t->row[row]);
		cell.state = isnan(cell.real) ? CELL_NOT_YET : CELL_VALUE;
	} else {
		table_cell(t, row, (enum column_id)column, &cell);
	}
	key->known = cell.state == CELL_VALUE;
	if (!key->known)
		return;
	if (cell.type == CELL_COUNT || (cell.type == CELL_TEXT && cell.count)) {
		key->count_is_set = true;
		key->count = cell.count;
	} else if (cell.type != CELL_TEXT) {
		key->real = cell.real;
	} else {
		len = strlen(cell.text) + 1;
		array_reserve(t->scratch->text, t->scratch->cap_text, *used + len);
		memcpy(t->scratch->text + *used, cell.text, len);
		/* an offset, because scratch->text may still move; table_sort() sets the pointer */
		key->count = *used;
		key->text = "";
		*used += len;
	}
}

COMPARE(by_id, struct last_place, ORDER(x->id, y->id))

COMPARE(by_place, struct last_place, ORDER(x->place, y->place))

static size_t last_place(const struct table_scratch *scratch, uint64_t id)
{
	const struct last_place *last =
		array_find(scratch->last, scratch->n_last, e, e->id < id, e->id == id);

	return last ? last->place : 0;
}

/* A row whose value is 0 does not keep its place: a change from or to 0 is not due to chance. */
static bool is_kept(const struct sort_key *key)
{
	return key->known && (key->text || key->count || key->real > 0);
}

/*
 * Keep rows from swapping at each sample because rates vary by chance. Rows of the previous order
 * keep that order among the places that their keys give them. Others are placed by their key.
 */
static void order_keep(struct table *t)
{
	struct table_scratch *scratch = t->scratch;
	struct last_place *last = scratch->last;
	struct sort_key *key = scratch->key;
	size_t n = 0;

	if (!t->options.keep_order || !scratch->n_last)
		return;
	qsort(last, scratch->n_last, sizeof(*last), by_id);
	for (size_t i = 0; i < t->n_rows; i++)
		key[i].last = is_kept(&key[i]) ? last_place(scratch, t->row[key[i].row].id) : 0;
	for (size_t i = 0; i < t->n_rows; i++) {
		if (n == scratch->n_last)
			key[i].last = 0; /* two rows have the same id */
		else if (key[i].last)
			last[n++] = (struct last_place){ key[i].row, key[i].last };
	}
	qsort(last, n, sizeof(*last), by_place);
	n = 0;
	for (size_t i = 0; i < t->n_rows; i++)
		if (key[i].last)
			key[i].row = last[n++].id;
}

static void order_remember(struct table *t)
{
	struct table_scratch *scratch = t->scratch;

	scratch->n_last = 0;
	array_reserve(scratch->last, scratch->cap_last, t->n_rows);
	for (size_t i = 0; i < t->n_rows; i++)
		if (is_kept(&scratch->key[i]))
			scratch->last[scratch->n_last++] =
				(struct last_place){ t->row[scratch->key[i].row].id, i + 1 };
}

int table_sort(struct table *t)
{
	struct table_scratch *scratch = t->scratch;
	size_t used = 0;

	array_reserve(scratch->key, scratch->cap_key, t->n_rows);
	array_reserve(scratch->row, scratch->cap_row, t->n_rows);
	for (size_t i = 0; i < t->n_rows; i++) {
		if (rates_cancelled(t->rates))
			return -ECANCELED;
		set_key(t, i, &scratch->key[i], &used);
	}
	for (size_t i = 0; i < t->n_rows; i++)
		if (scratch->key[i].text)
			scratch->key[i].text = scratch->text + scratch->key[i].count;
	if (t->n_rows)
		qsort(scratch->key, t->n_rows, sizeof(*scratch->key), by_key);
	order_keep(t);
	order_remember(t);
	for (size_t i = 0; i < t->n_rows; i++)
		scratch->row[i] = t->row[scratch->key[i].row];
	table_take_rows(t, t->n_rows);
	return 0;
}
