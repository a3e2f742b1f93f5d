// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builds the rows of a view. Its blocks make a table that begins with the worst rows of other
 * views, and ends with their newest ones and a line on tracepoints.
 */
#include "table/table_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "table/filter.h"

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

/* Sort the rows as t->options say. 0 or -ECANCELED. */
static int table_sort(struct table *t)
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

/* Merge the sorted CPUs of all series and verdicts into scratch->cpu. Returns how many. */
static size_t merge_cpus(struct table *t, const struct row *row, uint32_t of)
{
	struct table_scratch *scratch = t->scratch;
	size_t n = 0;

	for (size_t m = 0; m < row->n_series; m++) {
		const struct series *series = row_series(t, row, m);
		size_t at = 0;

		if (!(of & BIT(series->tracepoint)))
			continue;
		for (size_t i = 0; i < series->n_cpu; i++) {
			uint32_t cpu = t->rates->to->cpu[series->cpu + i].cpu;

			while (at < n && scratch->cpu[at] < cpu)
				at++;
			if (at < n && scratch->cpu[at] == cpu)
				continue;
			*array_insert(scratch->cpu, n, scratch->cap_cpu, at) = cpu;
		}
	}
	table_merge_verdict_cpus(t, row, &n);
	return n;
}

/* Counts of a CPU in an earlier snapshot. CPUs ascend, so *at only advances. */
static const struct series_counters *walk_to(const struct snapshot *s, const struct series *series,
					     size_t *at, uint32_t cpu)
{
	static const struct series_counters none;

	if (!series)
		return &none;
	while (*at < series->n_cpu && s->cpu[series->cpu + *at].cpu < cpu)
		(*at)++;
	if (*at == series->n_cpu || s->cpu[series->cpu + *at].cpu != cpu)
		return &none;
	return &s->cpu[series->cpu + *at].count;
}

/* Add the counts of a series: tp_counts[i * stride] for scratch->cpu[i], all_cpus for the sum. */
static void add_cpus(struct table *t, size_t index, struct row_tp_counts *tp_counts, size_t stride,
		     struct row_tp_counts *all_cpus)
{
	const struct rates *r = t->rates;
	const struct series *to = &r->to->series[index];
	const struct series *from = r->from ? snapshot_find(r->from, to->id) : NULL;
	const struct series *base = r->base ? snapshot_find(r->base, to->id) : NULL;
	size_t i = 0, at_from = 0, at_base = 0;

	for (size_t j = 0; j < to->n_cpu; j++) {
		const struct cpu_count *now = &r->to->cpu[to->cpu + j];
		struct series_counters c;

		while (t->scratch->cpu[i] != now->cpu)
			i++;
		if (r->from) {
			c = series_counters_sub(&now->count,
						walk_to(r->from, from, &at_from, now->cpu));
			table_counts_add(&tp_counts[i * stride].delta, to->tracepoint, &c);
			table_counts_add(&all_cpus->delta, to->tracepoint, &c);
		}
		c = series_counters_sub(&now->count, walk_to(r->base, base, &at_base, now->cpu));
		table_counts_add(&tp_counts[i * stride].since, to->tracepoint, &c);
		table_counts_add(&all_cpus->since, to->tracepoint, &c);
	}
}

/*
 * With more than TABLE_FOLD CPUs keep only rows with events, unless their events are unknown or all
 * rows are asked for. Returns how many are kept.
 */
static size_t fold(struct table *t, struct row *row, size_t cpus)
{
	size_t kept = 0;
	uint32_t of;

	if (!t->options.fold || t->options.all || cpus <= TABLE_FOLD || !t->rates->from ||
	    table_verdicts_state(t, row[0].verdicts, BASIS_INTERVAL) == CELL_NOT_YET)
		return cpus;
	of = share_tracepoints(t, &row[0]);
	for (size_t i = 0; i < cpus; i++)
		if (value_cpu_events(t, &row[i], false, of) ||
		    table_verdict_packets(t, row[i].verdicts, BASIS_INTERVAL))
			row[kept++] = row[i];
	t->folded += cpus - kept;
	return kept;
}

/*
 * Append a row to scratch->row, which has n_taken rows, for each CPU on which `row` counted events
 * of these tracepoints (bits 1 << id), and fold them as the options say. Leaves t->row alone, but
 * may reallocate t->tp_counts and scratch->row. Returns the number of CPU rows.
 */
static size_t table_add_cpus(struct table *t, const struct row *row, size_t n_taken, uint32_t of)
{
	struct table_scratch *scratch = t->scratch;
	size_t cpus = merge_cpus(t, row, of);
	size_t n = row->n_tp_counts, all_cpus, first, p = 0;

	if (!cpus)
		return 0;
	array_reserve(scratch->row, scratch->cap_row, n_taken + cpus);
	array_reserve(t->tp_counts, t->cap_tp_counts, t->n_tp_counts + n * (cpus + 1));
	all_cpus = t->n_tp_counts;
	first = all_cpus + n;
	for (size_t i = 0; i <= cpus; i++)
		for (size_t j = 0; j < n; j++)
			table_add_tp_counts(t, t->tp_counts[row->tp_counts + j].tracepoint);
	/* if n is 0, the series only gives the row its name: see table_add_senders() */
	for (size_t m = 0; n && m < row->n_series; m++) {
		size_t series = t->series_idx[row->series_idx + m];

		/* series and counts are in the same order */
		while (t->tp_counts[row->tp_counts + p].tracepoint !=
		       t->rates->to->series[series].tracepoint)
			p++;
		if (of & BIT(t->rates->to->series[series].tracepoint))
			add_cpus(t, series, &t->tp_counts[first + p], n,
				 &t->tp_counts[all_cpus + p]);
	}
	for (size_t i = 0; i < cpus; i++) {
		struct row *cpu_row = &scratch->row[n_taken + i];

		*cpu_row = *row;
		cpu_row->id = row_id_cpu(row->id, scratch->cpu[i]);
		cpu_row->parent = row->id;
		cpu_row->cpu = (int)scratch->cpu[i];
		cpu_row->tp_counts = first + i * n;
		cpu_row->all_cpus = all_cpus;
		cpu_row->n_cpus = (uint32_t)cpus;
		cpu_row->order = scratch->cpu[i];
	}
	table_split_verdicts(t, row, &scratch->row[n_taken], cpus);
	return fold(t, &scratch->row[n_taken], cpus);
}

static void drill(struct table *t)
{
	long at = table_find(t, t->options.drill);

	table_take_rows(t, at < 0 ? 0 : table_add_cpus(t, &t->row[at], 0, UINT32_MAX));
}

/* Insert the CPU rows. If only one CPU fills a queue, the FROM column already names it. */
static int expand(struct table *t)
{
	struct table_scratch *scratch = t->scratch;
	bool from = t->options.view->from_cpus;
	size_t n = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		size_t cpus;

		if (rates_cancelled(t->rates))
			return -ECANCELED;
		*array_append(scratch->row, n, scratch->cap_row) = t->row[i];
		cpus = table_add_cpus(t, &t->row[i], n,
				      from ? tracepoints_at(BIT(STAGE_SENT)) : UINT32_MAX);
		for (size_t k = 0; k < cpus; k++)
			scratch->row[n + k].from = from;
		if (!from || (cpus && scratch->row[n].n_cpus > 1))
			n += cpus;
	}
	table_take_rows(t, n);
	return 0;
}

static int filter(struct table *t)
{
	size_t kept = 0;

	if (!t->options.filter)
		return 0;
	for (size_t i = 0; i < t->n_rows; i++) {
		if (rates_cancelled(t->rates))
			return -ECANCELED;
		if (filter_match(t->options.filter, t, i))
			t->row[kept++] = t->row[i];
		else
			t->hidden++;
	}
	t->n_rows = kept;
	return 0;
}

/* As table_build(), but without the blocks of the view. */
static int table_build_view(struct table *t, const struct rates *rates,
			    const struct table_options *options)
{
	int err;

	t->options = *options;
	t->rates = rates;
	t->tracepoints = view_tracepoints(options->view);
	for (int stage = 0; stage <= STAGE_STACK; stage++)
		t->at_stage[stage] = tracepoints_at(BIT(stage));
	t->n_rows = t->n_series = t->n_tp_counts = t->n_verdicts = t->n_paths = t->hidden =
		t->folded = 0;
	t->has_verdicts = t->has_runs = t->has_skipped = false;
	t->counted_stages = 0;
	t->has_pods = rates->to->rows[DATA_SOURCE_PODS].n;
	t->has_fills = rates->to->rows[DATA_SOURCE_MAP_FILLS].n;
	if (!t->scratch)
		t->scratch = memory_new(1, sizeof(*t->scratch));
#ifdef __SANITIZE_ADDRESS__
	/* so that the use of a row of an earlier build is found even if the array need not grow */
	free(t->row);
	t->row = NULL;
	t->cap_rows = 0;
#endif
	options->view->rows->add(t);
	err = rates_cancelled(rates) ? -ECANCELED : 0;
	if (!err && options->drill)
		drill(t);
	if (!err)
		err = table_sort(t);
	if (!err && (options->per_cpu || options->view->from_cpus) && !options->drill)
		err = expand(t);
	if (!err)
		err = filter(t);
	if (err)
		t->n_rows = 0;
	return err;
}

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

/*
 * Build the blocks and insert their bad rows before the rows of the table, which are complete.
 * Merge rows of missing tracepoints at its end into one. 0 or -ECANCELED.
 */
static int table_add_blocks(struct table *t)
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

int table_build(struct table *t, const struct rates *rates, const struct table_options *options)
{
	int err = table_build_view(t, rates, options);

	if (!err && options->block_rows && !options->drill)
		err = table_add_blocks(t);
	if (err)
		t->n_rows = 0;
	return err;
}

int table_build_findings(struct table *t, const struct rates *rates,
			 const struct table_options *options)
{
	struct table_options wanted = {
		.view = &views[VIEW_FINDINGS],
		.filter = options->filter,
		.sort = -1,
		.all = true,
		.netns = options->netns,
		.findings = options->findings,
	};

	return table_build(t, rates, &wanted);
}
