// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts in rows of programs and devices, summed up once for all their cells. */
#include "source/verdicts.h"
#include "table/table_internal.h"

struct row_verdicts {
	enum cell_state state; /* CELL_VALUE, or why there is no number */
	struct verdict_sum sum;
};

/* The programs whose verdicts a row has. Returns how many, 0 if not all are counted. */
static int programs_of(const struct table *t, const struct row *row, uint32_t prog_id[2])
{
	const struct netdev *d;

	if (table_verdicts_state(t, row->verdicts, BASIS_BASELINE) != CELL_VALUE)
		return 0;
	prog_id[0] = row->prog_id;
	if (!(t->options.view->group & GROUP_LOCATION))
		return 1;
	d = snapshot_find_netdev(t->rates->to, row->netns, row->ifindex);
	return d ? verdict_programs(d, prog_id) : 0;
}

static void begin_walk(const struct table *t, const struct row *row, uint32_t prog_id,
		       struct verdict_walk *w)
{
	if (t->options.view->group & GROUP_LOCATION)
		verdict_walk_device(w, t->rates, prog_id, row->netns, row->ifindex);
	else
		verdict_walk_program(w, t->rates, prog_id);
}

static enum cell_state sum_up(const struct table *t, const struct row *row, struct verdict_sum *sum)
{
	static const enum cell_state states[PROGRAM_VERDICTS_STATES] = {
		[PROGRAM_VERDICTS_UNKNOWN] = CELL_NONE,    [PROGRAM_VERDICTS_OFF] = CELL_OFF,
		[PROGRAM_VERDICTS_ASKED] = CELL_NOT_YET,   [PROGRAM_VERDICTS_ON] = CELL_VALUE,
		[PROGRAM_VERDICTS_REFUSED] = CELL_MISSING,
	};
	const struct netdev *d;

	if (!(t->options.view->group & GROUP_LOCATION))
		return states[verdict_sum_program(t->rates, row->prog_id, sum)];
	d = snapshot_find_netdev(t->rates->to, row->netns, row->ifindex);
	return d ? states[verdict_sum_device(t->rates, d, sum)] : CELL_NONE;
}

static struct row_verdicts *add_sum(struct table *t, struct row *row)
{
	struct row_verdicts *v = array_append(t->verdict, t->n_verdicts, t->cap_verdicts);

	row->verdicts = t->n_verdicts;
	return v;
}

void table_add_verdicts(struct table *t)
{
	size_t n;
	const struct program *p = programs(t->rates->to, &n);

	for (size_t i = 0; i < n && !t->has_verdicts; i++)
		t->has_verdicts = p[i].verdicts;
	for (size_t i = 0; i < n; i++)
		t->has_runs |= p[i].runs != PROGRAM_RUNS_UNKNOWN;
	for (size_t i = 0; i < t->n_rows && t->has_verdicts; i++) {
		struct row_verdicts *v = add_sum(t, &t->row[i]);

		v->state = sum_up(t, &t->row[i], &v->sum);
	}
}

void table_merge_verdict_cpus(struct table *t, const struct row *row, size_t *n)
{
	uint32_t prog_id[2];
	int programs = programs_of(t, row, prog_id);

	for (int k = 0; k < programs; k++) {
		const struct verdict *verdict;
		struct verdict_walk w;

		begin_walk(t, row, prog_id[k], &w);
		while ((verdict = verdict_walk_next(&w))) {
			uint32_t *cpu = t->scratch->cpu;
			size_t at = array_lower_bound(cpu, *n, e, *e < verdict->cpu);

			if (at < *n && cpu[at] == verdict->cpu)
				continue;
			*array_insert(t->scratch->cpu, *n, t->scratch->cap_cpu, at) = verdict->cpu;
		}
	}
}

void table_split_verdicts(struct table *t, const struct row *row, struct row *cpu_row, size_t n)
{
	uint32_t prog_id[2];
	int programs = programs_of(t, row, prog_id);
	size_t first = t->n_verdicts;

	if (!row->verdicts)
		return;
	for (size_t i = 0; i < n; i++) {
		struct row_verdicts *v = add_sum(t, &cpu_row[i]);

		v->state = t->verdict[row->verdicts - 1].state;
		v->sum.known = t->verdict[row->verdicts - 1].sum.known;
		cpu_row[i].all_verdicts = row->verdicts;
	}
	for (int k = 0; k < programs; k++) {
		const struct verdict *verdict;
		struct verdict_walk w;

		begin_walk(t, row, prog_id[k], &w);
		while ((verdict = verdict_walk_next(&w))) {
			size_t at = array_lower_bound(cpu_row, n, e, e->cpu < (int)verdict->cpu);

			verdict_sum_add(&t->verdict[first + at].sum, &w, verdict);
		}
	}
}

enum cell_state table_verdicts_state(const struct table *t, size_t verdicts, enum basis basis)
{
	const struct row_verdicts *v = verdicts ? &t->verdict[verdicts - 1] : NULL;

	if (!v || v->state != CELL_VALUE)
		return v ? v->state : CELL_NONE;
	return basis == BASIS_INTERVAL && !v->sum.known ? CELL_NOT_YET : CELL_VALUE;
}

const struct verdict_counters *table_verdict_counters(const struct table *t, size_t verdicts,
						      enum basis basis)
{
	const struct verdict_sum *sum = &t->verdict[verdicts - 1].sum;

	return basis == BASIS_BASELINE ? sum->since : sum->delta;
}

uint64_t table_verdict_packets(const struct table *t, size_t verdicts, enum basis basis)
{
	if (table_verdicts_state(t, verdicts, basis) != CELL_VALUE)
		return 0;
	return verdict_total(table_verdict_counters(t, verdicts, basis)).packets;
}
