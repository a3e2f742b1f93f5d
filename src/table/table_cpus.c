// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU rows: one for each CPU on which a series of the row has counted. */
#include "table/table_internal.h"

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

size_t table_add_cpus(struct table *t, const struct row *row, size_t n_taken, uint32_t of)
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
