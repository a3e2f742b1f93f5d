// SPDX-License-Identifier: GPL-2.0-or-later
/* What a cell of a table holds, and how it reads. */
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "model/kernel_names.h"
#include "diagnose/cause.h"
#include "table/value.h"
#include "table/row_kind.h"
#include "table/table_internal.h"
#include "model/target.h"

static enum basis basis_of(const struct table *t)
{
	return t->options.unit == UNIT_SINCE_BASELINE ? SINCE : INTERVAL;
}

void cell_set_real(struct cell *cell, enum cell_type type, double real)
{
	cell->state = CELL_VALUE;
	cell->type = type;
	cell->real = real;
}

void cell_set_count(struct cell *cell, uint64_t count)
{
	cell->state = CELL_VALUE;
	cell->type = CELL_COUNT;
	cell->count = count;
}

/* How the number columns are computed; the others have a function each. */
static const struct {
	enum { OTHER, RATE, TOTAL, RATIO } how;
	enum quantity of, over;
} numbers[COLUMN_COUNT] = {
	[COL_EVENTS_RATE] = { .how = RATE, .of = EVENTS },
	[COL_QUEUED_RATE] = { .how = RATE, .of = EVENTS },
	[COL_FAILED_RATE] = { .how = RATE, .of = EVENTS },
	[COL_PACKETS_RATE] = { .how = RATE, .of = PACKETS },
	[COL_DROPS_RATE] = { .how = RATE, .of = DROPS },
	[COL_BYTES_RATE] = { .how = RATE, .of = BYTES },
	[COL_ERRORS_RATE] = { .how = RATE, .of = ERRORS },
	[COL_EVENTS] = { .how = TOTAL, .of = EVENTS },
	[COL_PACKETS] = { .how = TOTAL, .of = PACKETS },
	[COL_DROPS] = { .how = TOTAL, .of = DROPS },
	[COL_BYTES] = { .how = TOTAL, .of = BYTES },
	[COL_ERRORS] = { .how = TOTAL, .of = ERRORS },
	[COL_DROP_PERCENT] = { .how = RATIO, .of = DROPS, .over = OFFERED },
	[COL_BULK] = { .how = RATIO, .of = OFFERED, .over = EVENTS },
	[COL_SIZE] = { .how = RATIO, .of = BYTES, .over = PACKETS },
	[COL_EXCEPTIONS_RATE] = { .how = RATE, .of = EVENTS },
	[COL_TAKEN_RATE] = { .how = RATE, .of = PACKETS },
	[COL_TAKEN_DROPS_RATE] = { .how = RATE, .of = DROPS },
	[COL_SLEEPS] = { .how = RATIO, .of = SLEEPS, .over = EVENTS },
	[COL_PASS_RATE] = { .how = RATE, .of = XDP_PASSED },
	[COL_XDP_DROP_RATE] = { .how = RATE, .of = XDP_DROPPED },
	[COL_REDIRECT_RATE] = { .how = RATE, .of = XDP_REDIRECTED },
};

static void number_cell(const struct table *t, const struct row *row, enum column_id column,
			struct cell *cell)
{
	enum basis basis = numbers[column].how == TOTAL ? SINCE : basis_of(t);
	struct value m = value_column(t, row, column, numbers[column].of, basis), over;
	double ratio;

	switch (numbers[column].how) {
	case RATE:
		if (t->options.unit == UNIT_PER_SECOND) {
			cell_set_real(cell, CELL_RATE, m.per_s);
			break;
		}
		/* fall through */
	case TOTAL:
		cell_set_count(cell, m.count);
		break;
	case RATIO:
		over = value_column(t, row, column, numbers[column].over, basis);
		ratio = over.count ? (double)m.count / (double)over.count : 0;
		if (column == COL_DROP_PERCENT || column == COL_SLEEPS)
			cell_set_real(cell, CELL_PERCENT, ratio < 1 ? ratio * 100 : 100);
		else
			cell_set_real(cell, CELL_AVERAGE, ratio);
		m.state = over.state;
		if (m.state == CELL_VALUE && !over.count)
			m.state = CELL_NONE; /* nothing to divide by */
		break;
	case OTHER:
		m.state = CELL_NONE;
		break;
	}
	cell->state = m.state;
}

static void share_cell(const struct table *t, const struct row *row, bool skew, struct cell *cell)
{
	enum basis basis = basis_of(t);
	uint32_t of = value_share_tracepoints(t, row, basis);
	struct value m = value_sum(t, row, of, EVENTS, basis);
	uint64_t all;
	double share;

	if (row->cpu < 0) {
		cell->state = CELL_NONE;
		return;
	}
	all = value_cpu_events(t, row, true, of, basis);
	share = all ? (double)value_cpu_events(t, row, false, of, basis) / (double)all : 0;
	if (skew)
		cell_set_real(cell, CELL_AVERAGE, share * row->n_cpus);
	else
		cell_set_real(cell, CELL_PERCENT, share * 100);
	cell->state = m.state == CELL_VALUE && !all ? CELL_NONE : m.state;
}

/* What counting costs: known for whole tracepoints only. */
static void cost_cell(const struct table *t, const struct row *row, bool percent, struct cell *cell)
{
	const struct tp_count *tp = &t->rates->to->tp[row->tracepoint < 0 ? 0 : row->tracepoint];
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

void cell_set_age(const struct table *t, const struct timespec *since, struct cell *cell)
{
	int64_t age_ns = timespec_to_ns(&t->rates->to->wall) - timespec_to_ns(since);

	cell_set_real(cell, CELL_AGE, age_ns > 0 ? ns_to_seconds(age_ns) : 0);
}

static void last_seen_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct snapshot *to = t->rates->to;
	struct timespec last = { 0 };

	cell->state = CELL_NONE;
	/* a snapshot does not say when a CPU was last seen */
	if (row->cpu >= 0)
		return;
	for (size_t i = 0; i < row->n_members; i++) {
		const struct timespec *seen = &to->series[t->member[row->member + i]].last_seen;

		if (timespec_to_ns(seen) > timespec_to_ns(&last))
			last = *seen;
	}
	if (last.tv_sec) {
		cell_set_age(t, &last, cell);
	} else if (row->tracepoint >= 0 &&
		   !value_watched(t->rates, (uint32_t)row->tracepoint, SINCE)) {
		cell->state = value_unwatched(t->rates, (uint32_t)row->tracepoint);
	}
}

void cell_set_text(struct cell *cell, const char *text)
{
	cell->state = CELL_VALUE;
	cell->type = CELL_TEXT;
	snprintf(cell->text, sizeof(cell->text), "%s", text);
}

static const char *tracepoint_name(const struct table *t, uint32_t tp)
{
	return *tracepoints[tp].name ? tracepoints[tp].name : t->rates->to->tp[tp].name;
}

static void state_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct tp_count *tp = &t->rates->to->tp[row->tracepoint];

	cell->type = CELL_TEXT;
	snprintf(cell->text, sizeof(cell->text), "%s%s", tp_state_name(tp->state),
		 tp->pending ? "..." : "");
	cell->state = CELL_VALUE;
}

static void key_cell(const struct row *row, struct cell *cell)
{
	char key[2] = { tracepoints[row->tracepoint].key };

	cell_set_text(cell, key);
	if (!*key)
		cell->state = CELL_NONE;
}

/* The errno or action of a series; false where it has neither. */
static bool error_text(const struct series *s, char *buf, size_t size)
{
	uint16_t has = tracepoints[s->tracepoint].has;
	char act[24];
	const char *name;
	uint64_t drops;

	if (has & HAS_ACT) {
		snprintf(buf, size, "%s", act_name(s->key.code, act, sizeof(act)));
	} else if (has & HAS_ERR && s->key.code) {
		name = errno_name(s->key.code);
		if (name)
			snprintf(buf, size, "%s", name);
		else
			snprintf(buf, size, "errno %d",
				 s->key.code < 0 ? -s->key.code : s->key.code);
	} else if (series_drops(s->tracepoint, &s->total, &drops) && drops) {
		snprintf(buf, size, "drops");
	} else {
		return false;
	}
	return true;
}

/* Text of one series for a column; false where it has none. */
static bool series_text(const struct table *t, const struct series *s, enum column_id column,
			char *buf, size_t size)
{
	const struct series_key *k = &s->key;
	uint16_t has = tracepoints[s->tracepoint].has;
	const struct cause *meaning;
	const char *map_type;

	switch (column) {
	case COL_NETNS:
		return has & (HAS_DEVICE | HAS_NETNS) &&
		       netns_text(k->netns, t->options.netns, buf, size) > 0;
	case COL_DEVICE:
		if (!(has & HAS_DEVICE) || (!*s->ifname && !k->ifindex))
			return false;
		if (*s->ifname)
			snprintf(buf, size, "%s", s->ifname);
		else
			snprintf(buf, size, "ifindex %u", k->ifindex);
		return true;
	case COL_TARGET:
		return target_text(s, t->options.netns, buf, size) > 0;
	case COL_PROGRAM:
		if (!(has & HAS_PROG) || (!*s->prog_name && !k->prog_id))
			return false;
		if (*s->prog_name)
			snprintf(buf, size, "%s", s->prog_name);
		else
			snprintf(buf, size, "id %u", k->prog_id);
		return true;
	case COL_PROG_ID:
		snprintf(buf, size, "%u", k->prog_id);
		return has & HAS_PROG && k->prog_id;
	case COL_MAP:
		map_type = map_type_name(k->map_type);
		if (!(has & HAS_MAP) || !k->map_type)
			return false;
		if (*s->map_name)
			snprintf(buf, size, "%s", s->map_name);
		else
			snprintf(buf, size, "%s %u", map_type ? map_type : "map", k->map_id);
		return true;
	case COL_ERROR:
		return error_text(s, buf, size);
	case COL_MEANING:
		if (!error_text(s, buf, size) && s->tracepoint != TP_LINK_ATTACH_FAILED)
			return false;
		meaning = cause_find(s->tracepoint, k);
		snprintf(buf, size, "%s", meaning ? meaning->meaning : "");
		return meaning;
	case COL_TRACEPOINT:
		snprintf(buf, size, "%s", tracepoint_name(t, s->tracepoint));
		return *buf;
	default:
		return false;
	}
}

/* Whether two series of a row say the same in a column. */
static bool same(const struct series *a, const struct series *b, enum column_id column)
{
	switch (column) {
	case COL_NETNS:
		return a->key.netns == b->key.netns;
	case COL_DEVICE:
		return a->key.netns == b->key.netns && a->key.ifindex == b->key.ifindex;
	case COL_TARGET: {
		struct target x = target_of(a), y = target_of(b);

		return x.kind == y.kind && x.netns == y.netns && x.index == y.index &&
		       x.map_id == y.map_id;
	}
	case COL_PROGRAM:
	case COL_PROG_ID:
		return a->key.prog_id == b->key.prog_id;
	case COL_MAP:
		return a->key.map_type == b->key.map_type && a->key.map_id == b->key.map_id;
	case COL_TRACEPOINT:
		return a->tracepoint == b->tracepoint;
	default:
		return a->tracepoint == b->tracepoint && a->key.code == b->key.code;
	}
}

/* What the youngest member that has it says; "several" when others say something else. */
static void member_cell(const struct table *t, const struct row *row, enum column_id column,
			struct cell *cell)
{
	const struct series *chosen = NULL;
	char other[SNAPSHOT_TEXT_LEN];
	bool has_device = false;

	cell->type = CELL_TEXT;
	cell->state = CELL_NONE;
	for (size_t i = row->n_members; i-- > 0;) {
		const struct series *s = &t->rates->to->series[t->member[row->member + i]];

		has_device |= (tracepoints[s->tracepoint].has & HAS_DEVICE) != 0;
		if (s->overflow && column != COL_TRACEPOINT) {
			cell_set_text(cell, column == COL_DEVICE ? "(table full)" : "");
			cell->state = column == COL_DEVICE ? CELL_VALUE : CELL_MISSING;
			return;
		}
		if (!chosen) {
			if (series_text(t, s, column, cell->text, sizeof(cell->text)))
				chosen = s;
			continue;
		}
		if (same(chosen, s, column)) {
			if (s->id > chosen->id &&
			    series_text(t, s, column, cell->text, sizeof(cell->text)))
				chosen = s;
			continue;
		}
		if (series_text(t, s, column, other, sizeof(other))) {
			cell_set_text(cell, "several");
			return;
		}
	}
	if (chosen)
		cell->state = CELL_VALUE;
	else if (has_device && (column == COL_DEVICE || column == COL_NETNS))
		cell->state = CELL_MISSING; /* there is one, but it could not be found out */
}

/* Which CPU put packets into a cpumap's queue; of the queue itself, how many CPUs did. */
static void from_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct snapshot *s = t->rates->to;
	size_t n = 0;
	uint32_t cpu = 0;

	for (size_t i = 0; i < row->n_members && !row->from; i++) {
		const struct series *m = &s->series[t->member[row->member + i]];

		if (m->tracepoint != TP_XDP_CPUMAP_ENQUEUE || !m->n_cpu)
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

void cell_of_series(const struct table *t, const struct row *row, struct cell *cell)
{
	enum column_id column = (enum column_id)(cell->column - columns);

	switch (column) {
	case COL_FROM:
		from_cell(t, row, cell);
		break;
	case COL_KEY:
		if (row->tracepoint >= 0)
			key_cell(row, cell);
		break;
	case COL_TRACEPOINT:
		if (row->tracepoint >= 0)
			cell_set_text(cell, tracepoint_name(t, (uint32_t)row->tracepoint));
		else
			member_cell(t, row, column, cell);
		break;
	case COL_STATE:
		if (row->tracepoint >= 0)
			state_cell(t, row, cell);
		break;
	case COL_REASON:
		cell_set_text(cell,
			      row->tracepoint >= 0 ? t->rates->to->tp[row->tracepoint].reason : "");
		break;
	case COL_NS:
	case COL_CPU_PERCENT:
		cost_cell(t, row, column == COL_CPU_PERCENT, cell);
		break;
	case COL_LAST_SEEN:
		last_seen_cell(t, row, cell);
		break;
	case COL_NETNS:
	case COL_DEVICE:
	case COL_TARGET:
	case COL_PROGRAM:
	case COL_PROG_ID:
	case COL_ERROR:
	case COL_MEANING:
	case COL_MAP:
		member_cell(t, row, column, cell);
		break;
	case COL_CPU:
		if (row->cpu >= 0)
			cell_set_count(cell, (uint64_t)row->cpu);
		break;
	case COL_SHARE:
	case COL_SKEW:
		share_cell(t, row, column == COL_SKEW, cell);
		break;
	default:
		number_cell(t, row, column, cell);
	}
}

void table_cell(const struct table *t, size_t index, enum column_id column, struct cell *cell)
{
	const struct row *row = &t->row[index];
	const struct row_kind *rows = t->options.view->rows;
	/* of a full table's series neither device nor program is known */
	bool own = !row->n_members || !t->rates->to->series[t->member[row->member]].overflow;

	cell->column = &columns[column];
	cell->state = CELL_NONE;
	cell->type = columns[column].number ? CELL_COUNT : CELL_TEXT;
	cell->count = 0;
	cell->text[0] = '\0';
	if (own && rows->cell && rows->cell[column])
		rows->cell[column](t, row, cell);
	else if (!rows->list)
		cell_of_series(t, row, cell);
}

int cell_text(const struct cell *cell, char *buf, size_t size, enum number_style style, bool ascii)
{
	switch (cell->state) {
	case CELL_NOT_YET:
		return snprintf(buf, size, "%s", ascii ? "." : "·");
	case CELL_OFF:
		return snprintf(buf, size, "off");
	case CELL_MISSING:
		return snprintf(buf, size, "n/a");
	case CELL_NONE:
		return snprintf(buf, size, "-");
	case CELL_VALUE:
		break;
	}
	switch (cell->type) {
	case CELL_COUNT:
		return format_count(buf, size, cell->count, style);
	case CELL_RATE:
		return format_rate(buf, size, cell->real, style);
	case CELL_PERCENT:
		return format_percent(buf, size, cell->real);
	case CELL_AVERAGE:
		return format_average(buf, size, cell->real, style);
	case CELL_AGE:
		return format_age(buf, size, cell->real);
	case CELL_TEXT:
		break;
	}
	return snprintf(buf, size, "%s", cell->text);
}
