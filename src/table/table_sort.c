// SPDX-License-Identifier: GPL-2.0-or-later
/* Sorting: keys are computed once for each row, the comparison formats nothing. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "table/sort_hysteresis.h"
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

/* Does the value vary by chance? Totals only grow. */
static bool noisy(const struct table *t, const struct cell *cell)
{
	int column = t->options.sort;

	if (!t->options.hysteresis || t->options.unit == UNIT_SINCE_BASELINE ||
	    cell->type == CELL_TEXT || cell->type == CELL_GAP)
		return false;
	return cell->type != CELL_COUNT || (column < COLUMN_COUNT && columns[column].rate);
}

static double row_events(const struct table *t, const struct row *row)
{
	uint64_t events = table_verdict_packets(t, row->verdicts, BASIS_INTERVAL);

	for (size_t i = 0; i < row->n_tp_counts; i++)
		events += t->tp_counts[row->tp_counts + i].delta.sum.events;
	return (double)events;
}

/* A number in units of its noise. */
static double noise_units(const struct table *t, const struct row *row, const struct cell *cell)
{
	switch (cell->type) {
	case CELL_COUNT:
		return sort_hysteresis_count((double)cell->count);
	case CELL_RATE:
		return sort_hysteresis_count(cell->real * t->rates->seconds);
	case CELL_AGE:
		return cell->real;
	default:
		/* the noise of a share depends on its number of events */
		if (t->options.sort < COLUMN_COUNT && columns[t->options.sort].noise_of_events)
			return sort_hysteresis_count(row_events(t, row));
		return sort_hysteresis_ratio(cell->real);
	}
}

/* Set the sort key from the cell of a row; its text is copied to scratch->text at *used. */
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
	if (column >= COLUMN_COUNT) {
		cell.type = CELL_RATE;
		cell.real = t->options.sort_value(t->options.sort_ctx, &t->row[row]);
		cell.state = isnan(cell.real) ? CELL_NOT_YET : CELL_VALUE;
	} else {
		table_cell(t, row, (enum column_id)column, &cell);
	}
	key->known = cell.state == CELL_VALUE;
	key->noise_units = -INFINITY;
	if (!key->known)
		return 0;
	if (noisy(t, &cell)) {
		t->scratch->noisy = true;
		key->noise_units = noise_units(t, &t->row[row], &cell);
		if (!key->descending)
			key->noise_units = -key->noise_units;
	}
	if (cell.type == CELL_COUNT || (cell.type == CELL_TEXT && cell.count)) {
		key->count_is_set = true;
		key->count = cell.count;
	} else if (cell.type != CELL_TEXT) {
		key->real = cell.real;
	} else {
		len = strlen(cell.text) + 1;
		if (array_reserve(t->scratch->text, t->scratch->cap_text, *used + len))
			return -ENOMEM;
		memcpy(t->scratch->text + *used, cell.text, len);
		/* an offset: scratch->text may still move; table_sort() sets the pointer */
		key->count = *used;
		key->text = "";
		*used += len;
	}
	return 0;
}

/* Set scratch->place: the order with hysteresis, as indices into scratch->key. */
static int apply_hysteresis(struct table *t)
{
	struct table_scratch *scratch = t->scratch;

	if (array_reserve(scratch->hysteresis, scratch->cap_hysteresis, t->n_rows) ||
	    array_reserve(scratch->place, scratch->cap_place, t->n_rows))
		return -ENOMEM;
	for (size_t i = 0; i < t->n_rows; i++) {
		scratch->place[i] = i;
		scratch->hysteresis[i] =
			(struct hysteresis_row){ .id = t->row[scratch->key[i].row].id,
						 .value = scratch->key[i].noise_units };
	}
	if (scratch->noisy)
		return sort_hysteresis(t->options.hysteresis, scratch->hysteresis, t->n_rows,
				       scratch->place);
	if (t->options.hysteresis)
		sort_hysteresis_forget(t->options.hysteresis);
	return 0;
}

int table_sort(struct table *t)
{
	struct table_scratch *scratch = t->scratch;
	size_t used = 0;
	int err;

	if (array_reserve(scratch->key, scratch->cap_key, t->n_rows) ||
	    array_reserve(scratch->row, scratch->cap_row, t->n_rows))
		return -ENOMEM;
	scratch->noisy = false;
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
	err = apply_hysteresis(t);
	if (err)
		return err;
	for (size_t i = 0; i < t->n_rows; i++)
		scratch->row[i] = t->row[scratch->key[scratch->place[i]].row];
	table_take_rows(t, t->n_rows);
	return 0;
}
