// SPDX-License-Identifier: GPL-2.0-or-later
/* What programs returned, in rows of programs and devices: added up once for all of their cells. */
#include <errno.h>
#include "source/programs.h"
#include "source/verdicts.h"
#include "table/table_internal.h"
#include "table/value.h"

struct row_verdicts {
	enum cell_state state; /* CELL_VALUE, or why there is no number */
	bool known;            /* of the interval, too */
	struct verdict_sum sum;
};

_Static_assert(COL_VERDICT_UNKNOWN_RATE - COL_VERDICT_ABORTED_RATE == VERDICT_UNKNOWN,
	       "columns in the order of acts");

/* The programs that the verdicts of a row are of. */
struct row_programs {
	uint32_t id[2];
	int n;
};

static struct row_programs programs_of(const struct table *t, const struct row *row)
{
	struct row_programs of = { { row->prog_id }, row->prog_id != 0 };
	const struct netdev *d;

	if (!(t->options.view->group & GROUP_LOCATION))
		return of;
	d = snapshot_find_netdev(t->rates->to, row->netns, row->ifindex);
	of.n = 0;
	if (!d || d->gone)
		return of;
	if (d->prog_id)
		of.id[of.n++] = d->prog_id;
	if (d->skb_prog_id && d->skb_prog_id != d->prog_id)
		of.id[of.n++] = d->skb_prog_id;
	return of;
}

static void begin_walk(const struct table *t, const struct row *row, uint32_t prog_id,
		       struct verdict_walk *w)
{
	if (t->options.view->group & GROUP_LOCATION)
		verdict_walk_device(w, t->rates, prog_id, row->netns, row->ifindex);
	else
		verdict_walk_program(w, t->rates, prog_id);
}

static enum cell_state state_of(const struct table *t, const struct row *row, uint32_t prog_id)
{
	static const enum cell_state states[PROGRAM_VERDICTS_STATES] = {
		[PROGRAM_VERDICTS_UNKNOWN] = CELL_NONE,    [PROGRAM_VERDICTS_OFF] = CELL_OFF,
		[PROGRAM_VERDICTS_ASKED] = CELL_NOT_YET,   [PROGRAM_VERDICTS_ON] = CELL_VALUE,
		[PROGRAM_VERDICTS_REFUSED] = CELL_MISSING,
	};
	const struct program *p = program_find(t->rates->to, prog_id);
	struct verdict_walk placeless;

	if (p && p->verdicts == PROGRAM_VERDICTS_ON && t->options.view->group & GROUP_LOCATION) {
		/* what found no place may be of this device */
		verdict_walk_device(&placeless, t->rates, prog_id, 0, 0);
		if (verdict_walk_next(&placeless))
			return CELL_MISSING;
	}
	return p ? states[p->verdicts] : CELL_NONE;
}

static struct row_verdicts *add_sum(struct table *t, struct row *row, enum cell_state state,
				    bool known)
{
	struct row_verdicts *v = array_append(t->verdict, t->n_verdicts, t->cap_verdicts);

	if (!v)
		return NULL;
	row->verdicts = t->n_verdicts;
	v->state = state;
	v->known = known;
	return v;
}

int table_add_verdicts(struct table *t)
{
	size_t n_programs, n_rows;
	const struct program *p = programs(t->rates->to, &n_programs);

	verdicts(t->rates->to, &n_rows);
	t->has_verdicts = n_rows;
	for (size_t i = 0; i < n_programs && !t->has_verdicts; i++)
		t->has_verdicts = p[i].verdicts;
	for (size_t i = 0; i < t->n_rows && t->has_verdicts; i++) {
		struct row *row = &t->row[i];
		const struct row_programs of = programs_of(t, row);
		struct row_verdicts *v = of.n ? add_sum(t, row, CELL_VALUE, true) : NULL;

		if (of.n && !v)
			return -ENOMEM;
		for (int k = 0; k < of.n; k++) {
			const struct verdict *verdict;
			struct verdict_walk w;

			if (v->state == CELL_VALUE)
				v->state = state_of(t, row, of.id[k]);
			begin_walk(t, row, of.id[k], &w);
			v->known = v->known && w.known;
			while ((verdict = verdict_walk_next(&w)))
				verdict_sum_add(&v->sum, &w, verdict);
		}
	}
	return 0;
}

int table_merge_verdict_cpus(struct table *t, const struct row *row, size_t *n)
{
	const struct row_programs of = programs_of(t, row);

	for (int k = 0; k < of.n && row->verdicts; k++) {
		const struct verdict *verdict;
		struct verdict_walk w;

		begin_walk(t, row, of.id[k], &w);
		while ((verdict = verdict_walk_next(&w))) {
			uint32_t *cpu = t->scratch->cpu;
			size_t at = array_lower_bound(cpu, *n, e, *e < verdict->cpu);

			if (at < *n && cpu[at] == verdict->cpu)
				continue;
			cpu = array_insert(t->scratch->cpu, *n, t->scratch->cap_cpu, at);
			if (!cpu)
				return -ENOMEM;
			*cpu = verdict->cpu;
		}
	}
	return 0;
}

int table_split_verdicts(struct table *t, const struct row *row, struct row *cpu_row, size_t n)
{
	const struct row_programs of = programs_of(t, row);
	size_t first = t->n_verdicts;

	if (!row->verdicts)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const struct row_verdicts all = t->verdict[row->verdicts - 1];

		if (!add_sum(t, &cpu_row[i], all.state, all.known))
			return -ENOMEM;
		cpu_row[i].all_verdicts = row->verdicts;
	}
	for (int k = 0; k < of.n; k++) {
		const struct verdict *verdict;
		struct verdict_walk w;

		begin_walk(t, row, of.id[k], &w);
		while ((verdict = verdict_walk_next(&w))) {
			size_t at = array_lower_bound(cpu_row, n, e, e->cpu < (int)verdict->cpu);

			verdict_sum_add(&t->verdict[first + at].sum, &w, verdict);
		}
	}
	return 0;
}

uint64_t table_verdict_packets(const struct table *t, size_t verdicts, enum basis basis)
{
	const struct verdict_sum *sum = verdicts ? &t->verdict[verdicts - 1].sum : NULL;

	return sum ? verdict_total(basis == BASIS_BASELINE ? sum->since : sum->delta).packets : 0;
}

enum cell_state cell_of_verdicts(const struct table *t, const struct row *row, struct cell *cell)
{
	enum basis basis = table_basis(t);
	enum column_id column = (enum column_id)(cell->column - columns);
	const struct row_verdicts *v = row->verdicts ? &t->verdict[row->verdicts - 1] : NULL;
	const struct verdict_counters *act;
	uint64_t n;

	if (!v || v->state != CELL_VALUE)
		return v ? v->state : CELL_NONE;
	if (basis == BASIS_INTERVAL && !v->known)
		return CELL_NOT_YET;
	act = basis == BASIS_BASELINE ? v->sum.since : v->sum.delta;
	n = column == COL_VERDICT_BYTES_RATE ? verdict_total(act).bytes
					     : act[column - COL_VERDICT_ABORTED_RATE].packets;
	if (cell->column->lost && n)
		cell->tone = TONE_LOST;
	if (t->options.unit == UNIT_PER_SECOND)
		return cell_set_real(cell, CELL_RATE, per_second((double)n, t->rates->seconds));
	return cell_set_count(cell, n);
}
