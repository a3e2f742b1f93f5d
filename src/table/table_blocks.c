// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table that begins with the worst rows of other views, and folds missing tracepoints into one
 * row.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "table/table_internal.h"

/*
 * Whether a row loses packets. A finding must be more severe than information, whatever it drops;
 * findings that are not are counted in *information.
 */
static bool is_bad(const struct table *t, size_t row, size_t *information)
{
	struct cell cell;

	table_cell(t, row, COL_SEVERITY, &cell);
	*information += cell.state == CELL_VALUE && cell.tone == TONE_PLAIN;
	if (cell.state == CELL_VALUE) /* a finding */
		return cell.tone == TONE_LOST || cell.tone == TONE_WARN;
	table_cell(t, row, COL_LOST_RATE, &cell);
	return cell.tone == TONE_LOST;
}

static struct row *add_row(struct table *t, size_t *n)
{
	struct table_scratch *scratch = t->scratch;

	return array_reserve(scratch->row, scratch->cap_row, *n + 1) ? NULL : &scratch->row[(*n)++];
}

static bool add_more(struct table *t, size_t *n, uint8_t block, size_t more)
{
	struct row *row = add_row(t, n);

	if (row)
		*row = (struct row){ .id = UINT64_MAX - block,
				     .tracepoint = -1,
				     .cpu = -1,
				     .block = block,
				     .more = more };
	return row;
}

/*
 * Append a block's bad rows to scratch->row, as far as there is room. Summarize the others together
 * with information, so that the totals match those of the header.
 */
static int add_block(struct table *t, uint8_t number, size_t *n)
{
	const struct table *block = &t->block[number - 1];
	size_t bad = 0, information = 0, room = t->options.block_rows;

	for (size_t i = 0; i < block->n_rows; i++) {
		struct row *row;

		if (rates_cancelled(t->rates))
			return -ECANCELED;
		if (!is_bad(block, i, &information) || ++bad > room)
			continue;
		row = add_row(t, n);
		if (!row)
			return -ENOMEM;
		*row = (struct row){ .id = block->row[i].id,
				     .tracepoint = -1,
				     .cpu = -1,
				     .block = number,
				     .item = i };
	}
	if (bad <= room)
		return 0;
	/* replaces the last one */
	--*n;
	return add_more(t, n, number, bad - room + 1 + information) ? 0 : -ENOMEM;
}

static int build_block(struct table *t, const struct view *view, uint8_t number)
{
	struct table_options options = t->options;

	options.view = view;
	options.sort = view->sort;
	options.descending = view->sort >= 0 && columns[view->sort].descending;
	options.all = options.per_cpu = false;
	return table_build_view(&t->block[number - 1], t->rates, &options);
}

static bool is_missing(const struct table *t, const struct row *row)
{
	return row->tracepoint >= 0 && t->rates->to->tp[row->tracepoint].state == TP_MISSING;
}

int table_add_blocks(struct table *t)
{
	const struct view *view = t->options.view;
	bool fold = view->always && !t->options.all && !t->options.filter;
	size_t n = 0, missing = 0;
	int err = 0;

	if (!view->n_blocks)
		return 0;
	if (!t->block)
		t->block = calloc(VIEW_BLOCKS, sizeof(*t->block));
	if (!t->block)
		return -ENOMEM;
	for (uint8_t i = 0; i < view->n_blocks && !err; i++) {
		err = build_block(t, &views[view->block[i]], i + 1);
		if (!err)
			err = add_block(t, i + 1, &n);
	}
	for (size_t i = 0; i < t->n_rows && !err; i++) {
		struct row *row = NULL;

		if (fold && is_missing(t, &t->row[i])) {
			missing++;
			continue;
		}
		row = add_row(t, &n);
		if (!row)
			return -ENOMEM;
		*row = t->row[i];
	}
	if (!err && missing && !add_more(t, &n, 0, missing))
		err = -ENOMEM;
	if (!err)
		table_take_rows(t, n);
	return err;
}

int table_more_text(const struct table *t, const struct row *row, char *buf, size_t size)
{
	const struct snapshot *s = t->rates->to;
	const char *separator = ": ";
	int len;

	if (row->block)
		return snprintf(buf, size, "%zu more in %s", row->more,
				t->block[row->block - 1].options.view->name);
	len = snprintf(buf, size, "%zu missing", row->more);
	for (uint32_t tp = 0; tp < TP_COUNT && (size_t)len < size; tp++) {
		if (s->tp[tp].state != TP_MISSING || !*snapshot_tracepoint(s, tp))
			continue;
		len += snprintf(buf + len, size - (size_t)len, "%s%s", separator,
				snapshot_tracepoint(s, tp));
		separator = ", ";
	}
	return len;
}
