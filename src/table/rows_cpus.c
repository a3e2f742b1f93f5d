// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs: rows of the data source softnet. */
#include <errno.h>
#include <stdio.h>
#include "model/location.h"
#include "model/tracepoint.h"
#include "source/softnet.h"
#include "table/row_kind.h"
#include "table/table_internal.h"
#include "table/value.h"

static const struct softnet_cpu *cpu_of(const struct table *t, const struct row *row)
{
	size_t n;

	return &softnet_rows(t->rates->to, &n)[row->item];
}

static int add_cpus(struct table *t)
{
	size_t n;
	int err;

	softnet_rows(t->rates->to, &n);
	err = table_add_items(t, n);
	for (size_t i = 0; i < t->n_rows; i++)
		t->row[i].id = row_id_cpu(0, cpu_of(t, &t->row[i])->cpu);
	return err;
}

/* A counter at this offset of struct softnet_cpu: in the interval, or since the baseline. */
static enum cell_state counter_cell(const struct table *t, const struct softnet_cpu *now,
				    size_t offset, struct cell *cell)
{
	const struct rates *r = t->rates;
	bool interval = cell->column->rate && table_basis(t) == BASIS_INTERVAL;
	const struct softnet_cpu *before = softnet_row(interval ? r->from : r->base, now->cpu);
	uint64_t n = *(const uint64_t *)((const char *)now + offset), was;

	if (interval && !before)
		return CELL_NOT_YET;
	was = before ? *(const uint64_t *)((const char *)before + offset) : 0;
	n = n > was ? n - was : 0;
	if (cell->column->lost && n)
		cell->tone = TONE_LOST;
	if (interval && t->options.unit == UNIT_PER_SECOND)
		return cell_set_real(cell, CELL_RATE, per_second((double)n, r->seconds));
	return cell_set_count(cell, n);
}

/* Events of the column's stage: known where one of its tracepoints was watched. */
static enum cell_state stage_cell(const struct table *t, const struct softnet_cpu *cpu,
				  struct cell *cell)
{
	enum tp_stage stage = cell->column->stage;
	enum cell_state state = CELL_MISSING;

	for (uint32_t tp = 0; tp < TP_COUNT && state != CELL_VALUE; tp++) {
		if (tracepoints[tp].stage != stage)
			continue;
		state = value_watched(t->rates, tp, table_basis(t)) ? CELL_VALUE
								    : value_unwatched(t->rates, tp);
	}
	return state == CELL_VALUE
		       ? counter_cell(t, cpu, offsetof(struct softnet_cpu, events[stage]), cell)
		       : state;
}

static enum cell_state cpu_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct softnet_cpu *cpu = cpu_of(t, row);

	switch (cell->column - columns) {
	case COL_CPU:
		return cell_set_count(cell, cpu->cpu);
	case COL_SOFTNET_RATE:
		return counter_cell(t, cpu, offsetof(struct softnet_cpu, processed), cell);
	case COL_BACKLOG_DROPS_RATE:
	case COL_BACKLOG_DROPS:
		return counter_cell(t, cpu, offsetof(struct softnet_cpu, dropped), cell);
	case COL_SQUEEZE_RATE:
		return counter_cell(t, cpu, offsetof(struct softnet_cpu, time_squeeze), cell);
	case COL_EXCEPTIONS_RATE:
	case COL_FAILED_RATE:
	case COL_QUEUED_RATE:
	case COL_BULKS_RATE:
	case COL_POLLS_RATE:
	case COL_SKBS_RATE:
		return stage_cell(t, cpu, cell);
	default:
		return CELL_NONE;
	}
}

static void locate_cpu(const struct table *t, const struct row *row, struct location *location)
{
	location->to_cpu = (int)cpu_of(t, row)->cpu;
}

static int cpus_missing(const struct table *t, const struct snapshot_host *host, char *buf,
			size_t size)
{
	const char *why = host->absent[DATA_SOURCE_SOFTNET];

	return snprintf(buf, size, "No CPU is known%s%s.\n", *why ? ": " : "", why);
}

const struct row_kind rows_cpus = {
	.list = true,
	.alone = true,
	.add = add_cpus,
	.locate = locate_cpu,
	.cell = cpu_cell,
	.missing = cpus_missing,
};
