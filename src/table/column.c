// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of columns[], and how their cells are computed from the series of a row. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/clock.h"
#include "base/suggest.h"
#include "diagnose/cause.h"
#include "model/kernel_names.h"
#include "model/target.h"
#include "table/column.h"
#include "table/table_internal.h"
#include "table/value.h"

static enum basis basis_of(const struct table *t)
{
	return t->options.unit == UNIT_SINCE_BASELINE ? BASIS_BASELINE : BASIS_INTERVAL;
}

/* A rate, a total, or a quantity over another. */
static void number_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct column *column = cell->column;
	enum basis basis = column->rate || column->over ? basis_of(t) : BASIS_BASELINE;
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
	} else if (column->rate && t->options.unit == UNIT_PER_SECOND) {
		cell_set_real(cell, CELL_RATE, v.per_s);
	} else {
		cell_set_count(cell, v.count);
	}
	cell->state = v.state;
	if (column->lost && v.state == CELL_VALUE && v.count)
		cell->tone = TONE_LOST;
}

/*
 * Failed before the queue, and dropped after it. In a row of one tracepoint its drops alone: those
 * of a failed redirect are its events.
 */
static void lost_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	struct cell failed = { .column = &columns[COL_FAILED_RATE] };
	struct cell drops = { .column = &columns[COL_DROPS_RATE] };

	number_cell(t, row, &drops);
	if (row->tracepoint < 0)
		number_cell(t, row, &failed);
	else
		failed.state = CELL_NONE;
	if (t->options.unit == UNIT_PER_SECOND)
		cell_set_real(cell, CELL_RATE, failed.real + drops.real);
	else
		cell_set_count(cell, failed.count + drops.count);
	if (failed.tone == TONE_LOST || drops.tone == TONE_LOST)
		cell->tone = TONE_LOST;
	else if (failed.state == CELL_NONE ||
		 (drops.state != CELL_VALUE && drops.state != CELL_NONE))
		cell->state = drops.state;
	else
		cell->state = failed.state;
}

/* Share or skew of a CPU. */
static void share_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	enum basis basis = basis_of(t);
	uint32_t of = share_tracepoints(t, row, basis);
	struct value v = value_sum(t, row, of, QUANTITY_EVENTS, basis);
	uint64_t all;
	double share;

	if (row->cpu < 0)
		return;
	all = value_cpu_events(t, row, true, of, basis);
	share = all ? (double)value_cpu_events(t, row, false, of, basis) / (double)all : 0;
	if (*cell->column->unit == '%')
		cell_set_real(cell, CELL_PERCENT, share * 100);
	else
		cell_set_real(cell, CELL_AVERAGE, share * row->n_cpus);
	cell->state = v.state == CELL_VALUE && !all ? CELL_NONE : v.state;
}

/* The cost of counting, which is measured for each tracepoint, not for its rows or CPUs. */
static void cost_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct tp_count *tp = &t->rates->to->tp[row->tracepoint < 0 ? 0 : row->tracepoint];
	bool percent = *cell->column->unit == '%';
	double cost = percent ? tp->cpu_percent : tp->ns_per_event;

	cell_set_real(cell, percent ? CELL_PERCENT : CELL_AVERAGE, cost);
	if (t->options.view->group != GROUP_TRACEPOINT || row->tracepoint < 0 || row->cpu >= 0)
		cell->state = CELL_NONE;
	else if (tp->state == TP_MISSING)
		cell->state = CELL_MISSING;
	else if (tp->state != TP_ON && (percent || cost < 0))
		cell->state = CELL_OFF;
	else if (cost < 0)
		cell->state = CELL_NOT_YET;
}

static void last_seen_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct snapshot *to = t->rates->to;
	struct timespec last = { 0 };

	/* a snapshot does not say when a CPU was last seen */
	if (row->cpu >= 0)
		return;
	for (size_t i = 0; i < row->n_series; i++) {
		const struct timespec *seen =
			&to->series[t->series_idx[row->series_idx + i]].last_seen;

		if (timespec_to_ns(seen) > timespec_to_ns(&last))
			last = *seen;
	}
	if (last.tv_sec) {
		cell_set_age(t, &last, cell);
	} else if (row->tracepoint >= 0 &&
		   !value_watched(t->rates, (uint32_t)row->tracepoint, BASIS_BASELINE)) {
		cell->state = value_unwatched(t->rates, (uint32_t)row->tracepoint);
	}
}

static void key_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	char key[2] = { row->tracepoint >= 0 ? tracepoints[row->tracepoint].key : '\0' };

	if (*key)
		cell_set_text(cell, key);
}

static void state_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	static const enum cell_tone tones[] = {
		[TP_OFF] = TONE_DIM,     [TP_ON] = TONE_GOOD,   [TP_MISSING] = TONE_DIM,
		[TP_FAILED] = TONE_WARN, [TP_SHED] = TONE_WARN,
	};
	const struct tp_count *tp;

	if (row->tracepoint < 0)
		return;
	tp = &t->rates->to->tp[row->tracepoint];
	cell_set_text(cell, "");
	snprintf(cell->text, sizeof(cell->text), "%s%s", tp_state_name(tp->state),
		 tp->pending ? "..." : "");
	cell->tone = tones[tp->state];
}

static void reason_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	cell_set_text(cell, row->tracepoint >= 0 ? t->rates->to->tp[row->tracepoint].reason : "");
}

static void cpu_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	if (row->cpu >= 0)
		cell_set_count(cell, (uint64_t)row->cpu);
}

/* The CPU that put packets into a cpumap's queue; on the row of the queue, how many did. */
static void from_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct snapshot *s = t->rates->to;
	size_t n = 0;
	uint32_t cpu = 0;

	for (size_t i = 0; i < row->n_series && !row->from; i++) {
		const struct series *m = &s->series[t->series_idx[row->series_idx + i]];

		if (tracepoints[m->tracepoint].stage != STAGE_SENT || !m->n_cpu)
			continue;
		n += m->n_cpu;
		cpu = s->cpu[m->cpu].cpu;
	}
	if (row->from)
		snprintf(cell->text, sizeof(cell->text), "CPU %d", row->cpu);
	else if (n == 1)
		snprintf(cell->text, sizeof(cell->text), "CPU %u", cpu);
	else if (n && row->cpu < 0)
		snprintf(cell->text, sizeof(cell->text), "%zu CPUs", n);
	if (cell->text[0])
		cell->state = CELL_VALUE;
}

/* The errno or action of a series; false where it has neither. */
static bool print_error(const struct table *t, const struct series *s, struct cell *cell)
{
	uint16_t has = tracepoints[s->tracepoint].has;
	char act[24];
	const char *name;
	uint64_t drops;

	if (has & HAS_ACT) {
		snprintf(cell->text, sizeof(cell->text), "%s",
			 act_name(s->key.code, act, sizeof(act)));
	} else if (has & HAS_ERR && s->key.code) {
		name = errno_name(s->key.code);
		if (name)
			snprintf(cell->text, sizeof(cell->text), "%s", name);
		else
			snprintf(cell->text, sizeof(cell->text), "errno %d",
				 s->key.code < 0 ? -s->key.code : s->key.code);
	} else if (series_drops(s->tracepoint, &s->total, &drops) && drops) {
		snprintf(cell->text, sizeof(cell->text), "drops");
	} else {
		return false;
	}
	return true;
}

static bool print_meaning(const struct table *t, const struct series *s, struct cell *cell)
{
	const struct cause *cause = NULL;

	if (print_error(t, s, cell) || s->tracepoint == TP_LINK_ATTACH_FAILED)
		cause = cause_find(s->tracepoint, &s->key);
	snprintf(cell->text, sizeof(cell->text), "%s", cause ? cause->meaning : "");
	return cause;
}

static bool same_error(const struct series *a, const struct series *b)
{
	return a->tracepoint == b->tracepoint && a->key.code == b->key.code;
}

static bool print_tracepoint(const struct table *t, const struct series *s, struct cell *cell)
{
	snprintf(cell->text, sizeof(cell->text), "%s",
		 snapshot_tracepoint(t->rates->to, s->tracepoint));
	return *cell->text;
}

static bool same_tracepoint(const struct series *a, const struct series *b)
{
	return a->tracepoint == b->tracepoint;
}

static bool print_netns(const struct table *t, const struct series *s, struct cell *cell)
{
	return tracepoints[s->tracepoint].has & (HAS_DEVICE | HAS_NETNS) &&
	       netns_text_id(s->key.netns, t->options.netns, cell->text, sizeof(cell->text),
			     &cell->id) > 0;
}

static bool same_netns(const struct series *a, const struct series *b)
{
	return a->key.netns == b->key.netns;
}

/* The name, else its kind and number; false where there is neither. */
static bool print_named(struct cell *cell, const char *name, const char *kind, uint32_t id)
{
	if (*name)
		snprintf(cell->text, sizeof(cell->text), "%s", name);
	else
		snprintf(cell->text, sizeof(cell->text), "%s %u", kind, id);
	return *name || id;
}

static bool print_device(const struct table *t, const struct series *s, struct cell *cell)
{
	return tracepoints[s->tracepoint].has & HAS_DEVICE &&
	       print_named(cell, s->ifname, "ifindex", s->key.ifindex);
}

static bool same_device(const struct series *a, const struct series *b)
{
	return same_netns(a, b) && a->key.ifindex == b->key.ifindex;
}

static bool print_target(const struct table *t, const struct series *s, struct cell *cell)
{
	return target_text(s, t->options.netns, cell->text, sizeof(cell->text), &cell->id) > 0;
}

static bool same_target(const struct series *a, const struct series *b)
{
	struct target x = target_of(a), y = target_of(b);

	return x.kind == y.kind && x.netns == y.netns && x.index == y.index && x.map_id == y.map_id;
}

static bool print_program(const struct table *t, const struct series *s, struct cell *cell)
{
	return tracepoints[s->tracepoint].has & HAS_PROG &&
	       print_named(cell, s->prog_name, "id", s->key.prog_id);
}

static bool print_prog_id(const struct table *t, const struct series *s, struct cell *cell)
{
	snprintf(cell->text, sizeof(cell->text), "%u", s->key.prog_id);
	return tracepoints[s->tracepoint].has & HAS_PROG && s->key.prog_id;
}

static bool same_program(const struct series *a, const struct series *b)
{
	return a->key.prog_id == b->key.prog_id;
}

static bool print_map(const struct table *t, const struct series *s, struct cell *cell)
{
	const char *type = map_type_name(s->key.map_type);
	char label[32];

	if (!(tracepoints[s->tracepoint].has & HAS_MAP) || !s->key.map_type)
		return false;
	snprintf(label, sizeof(label), "%s ", type ? type : "map");
	if (*s->map_name)
		cell_set_text(cell, s->map_name);
	else
		format_id(cell->text, sizeof(cell->text), "", label, s->key.map_id, "", &cell->id);
	return true;
}

static bool same_map(const struct series *a, const struct series *b)
{
	return a->key.map_type == b->key.map_type && a->key.map_id == b->key.map_id;
}

/* The text of the youngest series that has one; "several" when others differ. */
static void series_text_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct column *column = cell->column;
	const struct series *chosen = NULL;
	uint16_t expected = 0;
	struct cell other;

	for (size_t i = row->n_series; i-- > 0;) {
		const struct series *s = &t->rates->to->series[t->series_idx[row->series_idx + i]];

		expected |= tracepoints[s->tracepoint].has & column->expected;
		if (s->overflow) {
			cell_set_text(cell, column->overflow ? column->overflow : "");
			cell->state = column->overflow ? CELL_VALUE : CELL_MISSING;
			return;
		}
		if (!chosen) {
			if (column->print(t, s, cell))
				chosen = s;
			continue;
		}
		if (column->same(chosen, s)) {
			if (s->id > chosen->id && column->print(t, s, cell))
				chosen = s;
			continue;
		}
		if (column->print(t, s, &other)) {
			cell_set_text(cell, "several");
			return;
		}
	}
	if (chosen)
		cell->state = CELL_VALUE;
	else if (expected)
		cell->state = CELL_MISSING;
}

static void tracepoint_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	if (row->tracepoint >= 0)
		cell_set_text(cell, snapshot_tracepoint(t->rates->to, (uint32_t)row->tracepoint));
	else
		series_text_cell(t, row, cell);
}

/* Initializers of table/columns.def. */
#define TEXT(column_width, column_grow) .width = (column_width), .grow = (column_grow), .unit = ""
#define NUMBER(column_width, column_unit) \
	.width = (column_width), .number = true, .descending = true, .unit = (column_unit)
#define TOTAL(column_width, column_unit, quantity) \
	NUMBER(column_width, column_unit), .cell = number_cell, .value = (quantity)
#define RATE(column_width, column_unit, quantity) \
	TOTAL(column_width, column_unit, quantity), .rate = true
#define RATIO(column_width, column_unit, quantity, divisor) \
	TOTAL(column_width, column_unit, quantity), .over = (divisor)
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

int column_title(enum column_id column, enum rate_unit unit, char *buf, size_t size)
{
	const struct column *c = &columns[column];
	int stem = (int)strlen(c->title);

	if (!c->rate || unit == UNIT_PER_SECOND)
		return snprintf(buf, size, "%s", c->title);
	stem -= 2; /* "/S" */
	return snprintf(buf, size, "%.*s%s", stem, c->title, unit == UNIT_PER_INTERVAL ? "/I" : "");
}
