// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys are computed once for each row: the comparison formats nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "table_scratch.h"

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

/* What to sort a row by, from its cell; text goes to scratch->text at *used. */
static int set_key(struct table *t, size_t row, struct sort_key *key, size_t *used)
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
		return 0;
	}
	table_cell(t, row, (enum column_id)column, &cell);
	key->known = cell.state == CELL_VALUE;
	if (!key->known)
		return 0;
	if (cell.type == CELL_COUNT) {
		key->count_is_set = true;
		key->count = cell.count;
	} else if (cell.type != CELL_TEXT) {
		key->real = cell.real;
	} else {
		len = strlen(cell.text) + 1;
		if (!table_reserve(&t->scratch->text, &t->scratch->cap_text, *used + len, 1))
			return -ENOMEM;
		memcpy(t->scratch->text + *used, cell.text, len);
		/* where it stands in a buffer that may still move; sort() makes it a pointer */
		key->count = *used;
		key->text = "";
		*used += len;
	}
	return 0;
}

int table_sort(struct table *t)
{
	struct table_scratch *scratch = t->scratch;
	size_t used = 0;
	int err;

	if (!table_reserve(&scratch->key, &scratch->cap_key, t->n_rows, sizeof(*scratch->key)) ||
	    !table_reserve(&scratch->row, &scratch->cap_row, t->n_rows, sizeof(*scratch->row)))
		return -ENOMEM;
	for (size_t i = 0; i < t->n_rows; i++) {
		err = set_key(t, i, &scratch->key[i], &used);
		if (err)
			return err;
	}
	for (size_t i = 0; i < t->n_rows; i++)
		if (scratch->key[i].text)
			scratch->key[i].text = scratch->text + scratch->key[i].count;
	if (t->n_rows)
		qsort(scratch->key, t->n_rows, sizeof(*scratch->key), by_key);
	for (size_t i = 0; i < t->n_rows; i++)
		scratch->row[i] = t->row[scratch->key[i].row];
	table_take_rows(t, t->n_rows);
	return 0;
}
