// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs: rows of the data source softnet. */
#include <errno.h>
#include <stdio.h>
#include "model/tracepoint.h"
#include "source/softnet.h"
#include "table/row_id.h"
#include "table/row_kind.h"
#include "table/table_internal.h"
#include "table/value.h"

static int add_cpus(struct table *t)
{
	size_t n;
	const struct softnet_cpu *cpu = softnet_rows(t->rates->to, &n);

	if (array_reserve(t->row, t->cap_rows, n + 1))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		t->row[t->n_rows++] = (struct row){ .id = row_id_cpu(0, cpu[i].cpu),
						    .tracepoint = -1,
						    .cpu = -1,
						    .item = i,
						    .order = i };
	return 0;
}

static const struct softnet_cpu *cpu_of(const struct table *t, const struct row *row)
{
	size_t n;

	return &softnet_rows(t->rates->to, &n)[row->item];
}

static void cpu_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	cell_set_count(cell, cpu_of(t, row)->cpu);
}

/* A counter at this offset of a row: in the interval, or since the baseline. */
static void counter_cell(const struct table *t, const struct row *row, size_t offset,
			 struct cell *cell)
{
	const struct rates *r = t->rates;
	bool interval = cell->column->rate && t->options.unit != UNIT_SINCE_BASELINE;
	const struct softnet_cpu *now = cpu_of(t, row);
	const struct softnet_cpu *before = softnet_row(interval ? r->from : r->base, now->cpu);
	uint64_t n = *(const uint64_t *)((const char *)now + offset), was;

	if (interval && !before) {
		cell->state = CELL_NOT_YET;
		return;
	}
	was = before ? *(const uint64_t *)((const char *)before + offset) : 0;
	n = n > was ? n - was : 0;
	if (interval && t->options.unit == UNIT_PER_SECOND)
		cell_set_real(cell, CELL_RATE, per_second((double)n, r->seconds));
	else
		cell_set_count(cell, n);
	if (cell->column->lost && n)
		cell->tone = TONE_LOST;
}

static void processed_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	counter_cell(t, row, offsetof(struct softnet_cpu, processed), cell);
}

static void dropped_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	counter_cell(t, row, offsetof(struct softnet_cpu, dropped), cell);
}

static void squeeze_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	counter_cell(t, row, offsetof(struct softnet_cpu, time_squeeze), cell);
}

/* Events of the column's stage: known where one of its tracepoints was watched. */
static void stage_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	enum tp_stage stage = cell->column->stage;
	enum basis basis = t->options.unit == UNIT_SINCE_BASELINE ? BASIS_BASELINE : BASIS_INTERVAL;
	enum cell_state state = CELL_MISSING;

	for (uint32_t tp = 0; tp < TP_COUNT && state != CELL_VALUE; tp++) {
		if (tracepoints[tp].stage != stage || tracepoints[tp].pre_5_6)
			continue;
		state = value_watched(t->rates, tp, basis) ? CELL_VALUE
							   : value_unwatched(t->rates, tp);
	}
	if (state == CELL_VALUE)
		counter_cell(t, row,
			     offsetof(struct softnet_cpu, events) + stage * sizeof(uint64_t), cell);
	else
		cell->state = state;
}

static cell_fn *const cpu_cells[COLUMN_COUNT] = {
	[COL_CPU] = cpu_cell,
	[COL_SOFTNET_RATE] = processed_cell,
	[COL_BACKLOG_DROPS_RATE] = dropped_cell,
	[COL_BACKLOG_DROPS] = dropped_cell,
	[COL_SQUEEZE_RATE] = squeeze_cell,
	[COL_EXCEPTIONS_RATE] = stage_cell,
	[COL_FAILED_RATE] = stage_cell,
	[COL_QUEUED_RATE] = stage_cell,
	[COL_BULKS_RATE] = stage_cell,
	[COL_POLLS_RATE] = stage_cell,
	[COL_SKBS_RATE] = stage_cell,
};

static int cpus_missing(const struct table *t, const struct snapshot_host *host, char *buf,
			size_t size)
{
	const char *why = host->absent[DATA_SOURCE_SOFTNET];

	return *why ? snprintf(buf, size, "No CPU is known: %s.\n", why) : 0;
}

const struct row_kind rows_cpus = {
	.list = true,
	.none = "No CPU is known.",
	.add = add_cpus,
	.cell = cpu_cells,
	.missing = cpus_missing,
};
