// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include "model/location.h"
#include "source/softnet.h"
#include "table/table_internal.h"

static const struct softnet_cpu *cpu_of(const struct table *t, const struct row *row)
{
	size_t n;

	return &softnet_rows(t->rates->to, &n)[row->item];
}

static void add_cpus(struct table *t)
{
	size_t n;

	softnet_rows(t->rates->to, &n);
	table_add_items(t, n);
	for (size_t i = 0; i < t->n_rows; i++)
		t->row[i].id = row_id_cpu(0, cpu_of(t, &t->row[i])->cpu);
}

#define COUNTER(member) offsetof(struct softnet_cpu, member)

static const struct counter_column counters[] = {
	{ COL_SOFTNET_RATE, { COUNTER(processed) } },
	{ COL_BACKLOG_DROPS_RATE, { COUNTER(dropped) } },
	{ COL_BACKLOG_DROPS, { COUNTER(dropped) } },
	{ COL_SQUEEZE_RATE, { COUNTER(time_squeeze) } },
	{ COL_EXCEPTIONS_RATE, { COUNTER(events[STAGE_VERDICT]) } },
	{ COL_FAILED_RATE, { COUNTER(events[STAGE_FAILED]) } },
	{ COL_QUEUED_RATE, { COUNTER(events[STAGE_QUEUED]) } },
	{ COL_BULKS_RATE, { COUNTER(events[STAGE_SENT]) } },
	{ COL_POLLS_RATE, { COUNTER(events[STAGE_TAKEN]) } },
	{ COL_SKBS_RATE, { COUNTER(events[STAGE_STACK]) } },
};

/* CELL_VALUE if a tracepoint of the column's stage was watched, else why there is no number. */
static enum cell_state stage_state(const struct table *t, const struct column *column)
{
	enum cell_state state = column->stage == STAGE_NONE ? CELL_VALUE : CELL_MISSING;

	for (uint32_t tp = 0; tp < TP_COUNT && state != CELL_VALUE; tp++)
		if (tracepoints[tp].stage == column->stage)
			state = rates_watched(t->rates, tp, BASIS_INTERVAL)
					? CELL_VALUE
					: value_unwatched(t->rates, tp);
	return state;
}

static enum cell_state cpu_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct softnet_cpu *cpu = cpu_of(t, row);
	enum cell_state state = stage_state(t, cell->column);

	if (cell->column == &columns[COL_CPU])
		return cell_set_count(cell, cpu->cpu);
	return state == CELL_VALUE ? cell_set_counter(t, DATA_SOURCE_SOFTNET, cpu, counters,
						      sizeof(counters) / sizeof(*counters), cell)
				   : state;
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
