// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table that begins with the worst rows of other views, and ends with their newest ones and a
 * line on tracepoints.
 */
#include <errno.h>
#include <stdio.h>
#include "table/table_internal.h"

/*
 * Whether a row loses packets. A finding must be more severe than information, whatever it drops.
 * Other findings are counted in *information.
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

#define NEW_S     600 /* how long a change counts as recent */
#define TAIL_ROWS 3

static bool is_new(const struct table *t, size_t row)
{
	struct cell cell;

	table_cell(t, row, COL_LAST_SEEN, &cell);
	return cell.state == CELL_VALUE && cell.real <= NEW_S;
}

static struct row *add_row(struct table *t, size_t *n)
{
	return array_append(t->scratch->row, *n, t->scratch->cap_row);
}

static void add_more(struct table *t, size_t *n, uint8_t block, size_t more)
{
	*add_row(t, n) = (struct row){
		.id = UINT64_MAX - block, .tracepoint = -1, .cpu = -1, .block = block, .more = more
	};
}

/*
 * Append a block's bad rows to scratch->row, as far as there is room. Summarize the others together
 * with information, so that the totals match the header's.
 */
static int add_block(struct table *t, uint8_t number, size_t *n)
{
	const struct table *block = &t->block[number - 1];
	const struct view *view = t->options.view;
	bool is_tail = number > view->n_blocks - view->n_tails;
	size_t bad = 0, information = 0, room = is_tail ? TAIL_ROWS : t->options.block_rows;

	for (size_t i = 0; i < block->n_rows; i++) {
		if (rates_cancelled(t->rates))
			return -ECANCELED;
		if (!(is_tail ? is_new(block, i) : is_bad(block, i, &information)) || ++bad > room)
			continue;
		*add_row(t, n) = (struct row){ .id = block->row[i].id,
					       .tracepoint = -1,
					       .cpu = -1,
					       .block = number,
					       .item = i };
	}
	if (bad <= room)
		return 0;
	/* replaces the last one */
	--*n;
	add_more(t, n, number, bad - room + 1 + information);
	return 0;
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

static void add_own(struct table *t, size_t *n)
{
	for (size_t i = 0; i < t->n_rows; i++)
		*add_row(t, n) = t->row[i];
}

int table_add_blocks(struct table *t)
{
	const struct view *view = t->options.view;
	size_t n = 0;
	int err = 0;

	if (!view->n_blocks)
		return 0;
	if (!t->block)
		t->block = memory_new(VIEW_BLOCKS, sizeof(*t->block));
	for (uint8_t i = 0; i < view->n_blocks && !err; i++) {
		if (i == view->n_blocks - view->n_tails)
			add_own(t, &n);
		err = build_block(t, &views[view->block[i]], i + 1) ?: add_block(t, i + 1, &n);
	}
	if (err)
		return err;
	if (!view->n_tails)
		add_own(t, &n);
	add_more(t, &n, 0, TP_COUNT);
	table_take_rows(t, n);
	return 0;
}

/* Up to this many tracepoints are named. */
#define NAMED 2

/* "12 on, xdp_redirect off, net_dev_queue shed" */
static int tracepoints_text(const struct table *t, char *buf, size_t size)
{
	static const enum tp_state states[] = { TP_ON, TP_OFF, TP_SHED, TP_FAILED, TP_MISSING };
	const struct snapshot *s = t->rates->to;
	struct format_text to = { .buf = buf, .size = size };

	format_add(&to, "Tracepoints%s: ", t->options.keys ? " (t)" : "");
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		const char *named[NAMED] = { "" };
		size_t n = 0;

		for (uint32_t tp = 0; tp < TP_COUNT; tp++) {
			const char *name = snapshot_tracepoint(s, tp);

			if (s->tp[tp].state != states[i] || !*name)
				continue;
			if (n < NAMED)
				named[n] = name;
			n++;
		}
		if (i && !n)
			continue;
		format_add(&to, i ? ", " : "");
		if (states[i] == TP_ON || states[i] == TP_MISSING || n > NAMED)
			format_add(&to, "%zu", n);
		else
			for (size_t k = 0; k < n; k++)
				format_add(&to, "%s%s", k ? " and " : "", named[k]);
		format_add(&to, " %s", tp_state_name(states[i]));
	}
	return (int)to.len;
}

int table_more_text(const struct table *t, const struct row *row, char *buf, size_t size)
{
	if (!row->block && t->options.view->rows->more)
		return t->options.view->rows->more(t, row, buf, size);
	if (!row->block)
		return tracepoints_text(t, buf, size);
	return snprintf(buf, size, "%zu more in %s", row->more,
			t->block[row->block - 1].options.view->name);
}
