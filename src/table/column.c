// SPDX-License-Identifier: GPL-2.0-or-later
/* The entries of columns[], and the functions that compute a cell from the series of a table row.
 */
#include <stdio.h>
#include <strings.h>
#include "base/clock.h"
#include "base/suggest.h"
#include "diagnose/driver.h"
#include "model/pod.h"
#include "model/target.h"
#include "source/verdicts.h"
#include "table/column.h"
#include "table/table_internal.h"

/* A rate, a total, or a ratio of two quantities. */
static enum cell_state number_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct column *column = cell->column;
	enum basis basis = column->rate || column->over ? BASIS_INTERVAL : BASIS_BASELINE;
	struct value v = value_column(t, row, column, column->value, basis), over;
	double ratio;

	if (column->over) {
		over = value_column(t, row, column, column->over, basis);
		ratio = over.count ? (double)v.count / (double)over.count : 0;
		if (*column->unit == '%')
			cell_set_real(cell, CELL_PERCENT, ratio < 1 ? ratio * 100 : 100);
		else
			cell_set_real(cell, CELL_AVERAGE, ratio);
		v.state = over.state;
		if (v.state == CELL_VALUE && !over.count)
			v.state = CELL_NONE; /* nothing to divide by */
	} else if (column->rate) {
		cell_set_real(cell, CELL_RATE, v.per_s);
	} else {
		cell_set_count(cell, v.count);
	}
	if (column->lost && v.state == CELL_VALUE && v.count)
		cell->tone = TONE_LOST;
	return v.state;
}

/*
 * Packets that failed before the queue plus packets dropped after it. In a row of one tracepoint
 * only its drops count, because each event of a failed redirect is a drop.
 */
static enum cell_state lost_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	struct cell failed = { .column = &columns[COL_FAILED_RATE], .state = CELL_NONE };
	struct cell drops = { .column = &columns[COL_DROPS_RATE] };

	drops.state = number_cell(t, row, &drops);
	if (row->tracepoint < 0)
		failed.state = number_cell(t, row, &failed);
	cell_set_real(cell, CELL_RATE, failed.real + drops.real);
	if (failed.tone == TONE_LOST || drops.tone == TONE_LOST) {
		cell->tone = TONE_LOST;
		return CELL_VALUE;
	}
	if (failed.state == CELL_NONE || (drops.state != CELL_VALUE && drops.state != CELL_NONE))
		return drops.state;
	return failed.state;
}

static enum cell_state share_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	uint32_t of = share_tracepoints(t, row);
	enum cell_state state = value_sum(t, row, of, QUANTITY_EVENTS, BASIS_INTERVAL).state;
	uint64_t all;
	uint64_t own;

	if (row->cpu < 0)
		return CELL_NONE;
	own = table_verdict_packets(t, row->verdicts, BASIS_INTERVAL);
	all = table_verdict_packets(t, row->all_verdicts, BASIS_INTERVAL);
	if (all) {
		state = CELL_VALUE;
	} else {
		own = value_cpu_events(t, row, false, of);
		all = value_cpu_events(t, row, true, of);
	}
	cell_set_real(cell, CELL_PERCENT, all ? (double)own / (double)all * 100 : 0);
	return state == CELL_VALUE && !all ? CELL_NONE : state;
}

/* The cost of counting is measured per tracepoint, not per row or CPU. */
static enum cell_state cost_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct tp_count *tp = &t->rates->to->tp[row->tracepoint < 0 ? 0 : row->tracepoint];
	bool percent = *cell->column->unit == '%';
	double cost = percent ? tp->cpu_percent : tp->ns_per_event;

	if (t->options.view->group != GROUP_TRACEPOINT || row->tracepoint < 0 || row->cpu >= 0)
		return CELL_NONE;
	if (tp->state == TP_MISSING)
		return CELL_MISSING;
	if (tp->state != TP_ON && (percent || cost < 0))
		return CELL_OFF;
	if (cost < 0)
		return CELL_NOT_YET;
	return cell_set_real(cell, percent ? CELL_PERCENT : CELL_AVERAGE, cost);
}

static enum cell_state last_seen_cell(const struct table *t, const struct row *row,
				      struct cell *cell)
{
	struct timespec last = { 0 };

	/* snapshots do not have this per CPU */
	if (row->cpu >= 0)
		return CELL_NONE;
	for (size_t i = 0; i < row->n_series; i++) {
		const struct timespec *seen = &row_series(t, row, i)->last_seen;

		if (timespec_to_ns(seen) > timespec_to_ns(&last))
			last = *seen;
	}
	if (last.tv_sec)
		return cell_set_age(t, &last, cell);
	if (row->tracepoint >= 0 &&
	    !rates_watched(t->rates, (uint32_t)row->tracepoint, BASIS_BASELINE))
		return value_unwatched(t->rates, (uint32_t)row->tracepoint);
	return CELL_NONE;
}

static enum cell_state key_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	if (row->tracepoint < 0 || !tracepoints[row->tracepoint].key)
		return CELL_NONE;
	return cell_set_text(cell, "%c", tracepoints[row->tracepoint].key);
}

static enum cell_state state_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	static const enum cell_tone tones[] = {
		[TP_OFF] = TONE_DIM,     [TP_ON] = TONE_GOOD,   [TP_MISSING] = TONE_DIM,
		[TP_FAILED] = TONE_WARN, [TP_SHED] = TONE_WARN,
	};
	const struct tp_count *tp;

	if (row->tracepoint < 0)
		return CELL_NONE;
	tp = &t->rates->to->tp[row->tracepoint];
	cell->tone = tones[tp->state];
	return cell_set_text(cell, "%s%s", tp_state_name(tp->state), tp->pending ? "..." : "");
}

static enum cell_state reason_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	return cell_set_text(cell, "%s",
			     row->tracepoint >= 0 ? t->rates->to->tp[row->tracepoint].reason : "");
}

static enum cell_state cpu_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	return row->cpu >= 0 ? cell_set_count(cell, (uint64_t)row->cpu) : CELL_NONE;
}

/* The CPU that filled a cpumap's queue or, in the row of the queue, how many CPUs did. */
static enum cell_state from_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	uint32_t cpu = 0;
	size_t n = 0;

	if (row->from)
		return cell_set_text(cell, "CPU %d", row->cpu);
	for (size_t i = 0; i < row->n_series; i++) {
		const struct series *s = row_series(t, row, i);

		if (tracepoints[s->tracepoint].stage != STAGE_SENT || !s->n_cpu)
			continue;
		n += s->n_cpu;
		cpu = t->rates->to->cpu[s->cpu].cpu;
	}
	if (n == 1)
		return cell_set_text(cell, "CPU %u", cpu);
	return n && row->cpu < 0 ? cell_set_text(cell, "%zu CPUs", n) : CELL_NONE;
}

static enum cell_state pod_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	bool to = cell->column == &columns[COL_TO_POD];
	uint32_t one = to ? GROUP_TARGET : GROUP_DEVICE;
	struct location location;
	const struct netdev_ref *of = to ? &location.to : &location.dev;
	const struct pod *pod;

	if (!row_locate(t, row, &location) && row->n_series && t->options.view->group & one)
		location_set(&location, row_series(t, row, 0), t->rates->to);
	pod = pod_of_device(t->rates->to, of->netns, of->ifindex);
	if (!pod)
		return CELL_NONE;
	pod_text(pod, cell->text, sizeof(cell->text));
	return CELL_VALUE;
}

/* The errno or action of a series; false = it has neither. */
static bool print_error(const struct table *t, const struct series *s, struct cell *cell)
{
	uint16_t has = tracepoints[s->tracepoint].has;
	char act[24];
	const char *name;
	uint64_t drops;

	if (has & HAS_ACT) {
		cell_set_text(cell, "%s", act_name(s->key.code, act, sizeof(act)));
	} else if (has & HAS_ERR && s->key.code) {
		name = errno_name(s->key.code);
		cell_set_named(cell, name ? name : "", "errno", (uint32_t)llabs(s->key.code));
	} else if (series_drops(s->tracepoint, &s->total, &drops) && drops) {
		cell_set_text(cell, "drops");
	} else {
		return false;
	}
	return true;
}

static bool print_meaning(const struct table *t, const struct series *s, struct cell *cell)
{
	const struct cause *cause = NULL;

	if (print_error(t, s, cell) || BIT(s->tracepoint) & AT_ATTACH)
		cause = cause_in(t->rates->to, s->tracepoint, &s->key);
	cell_set_text(cell, "%s", cause ? cause->meaning : "");
	return cause;
}

/* Define struct column.same for two series a and b. */
#define SAME(fn, expression)                                           \
	static bool fn(const struct series *a, const struct series *b) \
	{                                                              \
		return expression;                                     \
	}

SAME(same_error, a->tracepoint == b->tracepoint && a->key.code == b->key.code)

static bool print_tracepoint(const struct table *t, const struct series *s, struct cell *cell)
{
	cell_set_text(cell, "%s", snapshot_tracepoint(t->rates->to, s->tracepoint));
	return *cell->text;
}

SAME(same_tracepoint, a->tracepoint == b->tracepoint)

static bool print_netns(const struct table *t, const struct series *s, struct cell *cell)
{
	return tracepoints[s->tracepoint].has & (HAS_DEVICE | HAS_NETNS) &&
	       cell_set_netns(t, s->key.netns, cell) == CELL_VALUE;
}

SAME(same_netns, a->key.netns == b->key.netns)

static bool print_device(const struct table *t, const struct series *s, struct cell *cell)
{
	return tracepoints[s->tracepoint].has & HAS_DEVICE &&
	       cell_set_named(cell, s->ifname, "ifindex", s->key.ifindex) == CELL_VALUE;
}

SAME(same_device, same_netns(a, b) && a->key.ifindex == b->key.ifindex)

static bool print_target(const struct table *t, const struct series *s, struct cell *cell)
{
	return series_target_text(t->rates->to, s, t->options.netns, cell->text,
				  sizeof(cell->text)) > 0;
}

static bool same_target(const struct series *a, const struct series *b)
{
	struct target x = target_of(a), y = target_of(b);

	return x.kind == y.kind && x.netns == y.netns && x.index == y.index && x.map_id == y.map_id;
}

static bool print_program(const struct table *t, const struct series *s, struct cell *cell)
{
	return tracepoints[s->tracepoint].has & HAS_PROG &&
	       cell_set_named(cell, s->prog_name, "id", s->key.prog_id) == CELL_VALUE;
}

static bool print_prog_id(const struct table *t, const struct series *s, struct cell *cell)
{
	cell_set_text(cell, "%u", s->key.prog_id);
	return tracepoints[s->tracepoint].has & HAS_PROG && s->key.prog_id;
}

SAME(same_program, a->key.prog_id == b->key.prog_id)

static bool print_map(const struct table *t, const struct series *s, struct cell *cell)
{
	if (!(tracepoints[s->tracepoint].has & HAS_MAP) || !s->key.map_type)
		return false;
	cell_set_map(s->key.map_id, s->key.map_type, s->map_name, cell);
	return true;
}

static bool print_map_id(const struct table *t, const struct series *s, struct cell *cell)
{
	cell_set_text(cell, "%u", s->key.map_id);
	return tracepoints[s->tracepoint].has & HAS_MAP && s->key.map_id;
}

SAME(same_map, a->key.map_type == b->key.map_type && a->key.map_id == b->key.map_id)

/* The text of the newest series that has one; "several" if others differ. */
static enum cell_state series_text_cell(const struct table *t, const struct row *row,
					struct cell *cell)
{
	const struct column *column = cell->column;
	const struct series *chosen = NULL;
	uint16_t expected = 0;
	struct cell other;

	for (size_t i = row->n_series; i-- > 0;) {
		const struct series *s = row_series(t, row, i);

		expected |= tracepoints[s->tracepoint].has & column->expected;
		if (s->overflow)
			return column->overflow ? cell_set_text(cell, "%s", column->overflow)
						: CELL_MISSING;
		if (!chosen || (column->same && column->same(chosen, s))) {
			if ((!chosen || s->id > chosen->id) && column->print(t, s, cell))
				chosen = s;
		} else if (column->print(t, s, &other) &&
			   (column->same || strcmp(other.text, cell->text) != 0)) {
			return cell_set_text(cell, "several");
		}
	}
	return chosen ? CELL_VALUE : expected ? CELL_MISSING : CELL_NONE;
}

static enum cell_state tracepoint_cell(const struct table *t, const struct row *row,
				       struct cell *cell)
{
	if (row->tracepoint < 0)
		return series_text_cell(t, row, cell);
	return cell_set_text(cell, "%s",
			     snapshot_tracepoint(t->rates->to, (uint32_t)row->tracepoint));
}

_Static_assert(COL_VERDICT_UNKNOWN_RATE - COL_VERDICT_ABORTED_RATE == VERDICT_UNKNOWN,
	       "columns in the order of acts");

static enum cell_state cell_of_verdicts(const struct table *t, const struct row *row,
					struct cell *cell)
{
	enum column_id column = (enum column_id)(cell->column - columns);
	enum cell_state state = table_verdicts_state(t, row->verdicts, BASIS_INTERVAL);
	const struct verdict_counters *act;
	uint64_t n;

	if (state != CELL_VALUE)
		return state;
	act = table_verdict_counters(t, row->verdicts, BASIS_INTERVAL);
	n = column == COL_VERDICT_BYTES_RATE ? verdict_total(act).bytes
					     : act[column - COL_VERDICT_ABORTED_RATE].packets;
	if (cell->column->lost && n)
		cell->tone = TONE_LOST;
	return cell_set_real(cell, CELL_RATE, per_second((double)n, t->rates->seconds));
}

/* In rows without a packet path. */
static enum cell_state path_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	static const enum column_id of[] = { COL_VERDICT_PASS_RATE, COL_VERDICT_DROP_RATE,
					     COL_VERDICT_TX_RATE, COL_VERDICT_REDIRECT_RATE };
	const struct column *column = cell->column;
	enum cell_state state;

	if (column == &columns[COL_PATH_IN])
		return CELL_NONE;
	cell->column = &columns[of[column - &columns[COL_PATH_PASS]]];
	state = cell_of_verdicts(t, row, cell);
	cell->column = column;
	return state;
}

#define TEXT(column_width, column_share) \
	.width = (column_width), .share = (column_share), .unit = ""
#define NUMBER(column_width, column_unit) \
	.width = (column_width), .number = true, .descending = true, .unit = (column_unit)
#define TOTAL(column_width, column_unit, quantity) \
	NUMBER(column_width, column_unit), .cell = number_cell, .value = (quantity)
#define RATE(column_width, column_unit, quantity) \
	TOTAL(column_width, column_unit, quantity), .rate = true
#define RATIO(column_width, column_unit, quantity, divisor) \
	TOTAL(column_width, column_unit, quantity), .over = (divisor)
#define VERDICT(column_width, column_unit)                                    \
	NUMBER(column_width, column_unit), .rate = true, .of_verdicts = true, \
					   .cell = cell_of_verdicts
#define COLUMN(id, ...) [id] = { __VA_ARGS__ },

const struct column columns[COLUMN_COUNT] = {
#include "table/columns.def"
};

int column_find(const char *name)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (!strcmp(columns[i].name, name))
			return i;
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (!strcasecmp(columns[i].title, name))
			return i;
	return -1;
}

static const char *name_at(size_t i)
{
	return columns[i].name;
}

void column_suggest(const char *name, char *buf, size_t size)
{
	suggest(name, name_at, COLUMN_COUNT, buf, size);
}
