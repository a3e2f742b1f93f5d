// SPDX-License-Identifier: GPL-2.0-or-later
#include "table/cell.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include "base/clock.h"
#include "diagnose/findings.h"
#include "model/target.h"
#include "source/data_source.h"
#include "table/table_internal.h"

/* A quantity in the counts of a tracepoint; false = the tracepoint does not count it. */
static bool quantity_of(uint32_t tracepoint, const struct table_counts *c, enum quantity quantity,
			uint64_t *count)
{
	const struct tracepoint *tp = &tracepoints[tracepoint];

	*count = 0;
	if (quantity == QUANTITY_ERRORS)
		quantity = tp->failure ? QUANTITY_EVENTS : QUANTITY_DROPS;
	switch (quantity) {
	case QUANTITY_EVENTS:
		*count = c->sum.events;
		return true;
	case QUANTITY_PACKETS:
		return series_packets(tracepoint, &c->sum, count);
	case QUANTITY_DROPS:
		return series_drops(tracepoint, &c->sum, count);
	case QUANTITY_BYTES:
		*count = c->sum.bytes;
		return tp->has & HAS_BYTES;
	case QUANTITY_OFFERED:
		*count = c->offered;
		return tp->bulk > 0;
	case QUANTITY_SLEEPS:
		*count = c->sum.sched;
		return tp->has & HAS_KTHREAD;
	case QUANTITY_XDP_PASS:
		*count = c->sum.xdp_pass;
		return tp->has & HAS_KTHREAD;
	case QUANTITY_XDP_DROP:
		*count = c->sum.xdp_drop;
		return tp->has & HAS_KTHREAD;
	case QUANTITY_XDP_REDIRECT:
		*count = c->sum.xdp_redirect;
		return tp->has & HAS_KTHREAD;
	default:
		return false;
	}
}

static uint32_t counting(uint32_t set, enum quantity quantity)
{
	static const struct table_counts none;
	uint64_t count;

	for (uint32_t tp = 0; tp < TP_COUNT; tp++)
		if (set & BIT(tp) && !quantity_of(tp, &none, quantity, &count))
			set &= ~BIT(tp);
	return set;
}

enum cell_state value_unwatched(const struct rates *r, uint32_t tp)
{
	switch (r->to->tp[tp].state) {
	case TP_MISSING:
		return CELL_MISSING;
	case TP_ON:
		return CELL_NOT_YET; /* switched on within the interval */
	default:
		return CELL_OFF;
	}
}

/* Seconds attached. A recording may lack them even for a tracepoint that counted. */
static double seconds(const struct rates *r, uint32_t tp)
{
	return r->tp_seconds[tp] > 0 ? r->tp_seconds[tp] : r->seconds;
}

static uint32_t row_tracepoints(const struct table *t, const struct row *row)
{
	uint32_t set = 0;

	for (size_t i = 0; i < row->n_tp_counts; i++)
		set |= BIT(t->tp_counts[row->tp_counts + i].tracepoint);
	return set;
}

struct value value_sum(const struct table *t, const struct row *row, uint32_t of,
		       enum quantity quantity, enum basis basis)
{
	const struct rates *r = t->rates;
	struct value v = { .state = CELL_VALUE };
	uint32_t set = counting(of, quantity);

	if (!set)
		return (struct value){ .state = CELL_NONE };
	for (size_t i = 0; i < row->n_tp_counts; i++) {
		const struct row_tp_counts *counts = &t->tp_counts[row->tp_counts + i];
		uint64_t count;

		if (!(set & BIT(counts->tracepoint)))
			continue;
		/* if unknown for one tracepoint, the sum is unknown */
		if (!quantity_of(counts->tracepoint,
				 basis == BASIS_INTERVAL ? &counts->delta : &counts->since,
				 quantity, &count))
			return (struct value){ .state = CELL_MISSING };
		v.count += count;
		if (basis == BASIS_INTERVAL)
			v.per_s += per_second(count, seconds(r, counts->tracepoint));
	}
	if (v.count)
		return v;
	/* 0 is a number only if every tracepoint that could have counted was watched */
	for (uint32_t tp = 0; tp < TP_COUNT; tp++)
		if (set & BIT(tp) && !rates_watched(r, tp, basis))
			v.state = value_unwatched(r, tp);
	if (v.state == CELL_VALUE && basis == BASIS_INTERVAL && !r->from)
		v.state = CELL_NOT_YET;
	return v;
}

static const struct series *first_series(const struct table *t, const struct row *row)
{
	return row->n_series ? row_series(t, row, 0) : NULL;
}

/* The tracepoints that count packets sent to the row's target, or dropped there; 0 = none. */
static uint32_t xmit_tracepoints(const struct table *t, const struct row *row)
{
	const struct series *s = first_series(t, row);
	uint32_t sent = t->at_stage[STAGE_SENT];

	if (!s || !(t->options.view->group & GROUP_TARGET))
		return 0;
	switch (target_of(s).kind) {
	case TARGET_DEVICE:
		return sent & tracepoints_with(HAS_TO_DEVICE);
	case TARGET_BACK:
		return sent & tracepoints_with(HAS_TX_BACK);
	case TARGET_CPU:
		/* the enqueue does not know the source device, so it has its own row */
		return s->key.ifindex ? 0 : sent & tracepoints_with(HAS_TO_CPU);
	default:
		return 0;
	}
}

/* Whether xdp_redirect* can have counted events in this row. */
static bool redirects(const struct table *t, const struct row *row)
{
	const struct series *s = first_series(t, row);

	if (!(t->options.view->group & GROUP_TARGET))
		return true;
	return s && s->key.ifindex && target_of(s).kind != TARGET_BACK;
}

static uint32_t value_tracepoints(const struct table *t, const struct row *row,
				  const struct column *column)
{
	const struct view *view = t->options.view;
	uint32_t one = row->tracepoint >= 0 ? BIT(row->tracepoint) : 0;
	uint32_t set = t->at_stage[column->stage];

	switch (column->stage) {
	case STAGE_NONE:
		return one;
	case STAGE_SENT:
		/* a row of a device or CPU includes everything sent there */
		if (view->group & GROUP_LOCATION || !view->group)
			return row_tracepoints(t, row) & set;
		return one ? one : xmit_tracepoints(t, row);
	case STAGE_TAKEN:
		/* the thread does not know which CPU a packet came from */
		return (view->from_cpus && !row->from) || !view->group ? set : 0;
	default:
		return one ? one & set : redirects(t, row) ? set : 0;
	}
}

bool row_is_generic(const struct table *t, const struct row *row)
{
	const struct series *s = first_series(t, row);
	const struct netdev *d = NULL;

	if (t->options.view->group & GROUP_LOCATION)
		d = snapshot_find_netdev(t->rates->to, row->netns, row->ifindex);
	else if (s)
		d = snapshot_find_netdev(t->rates->to, s->key.netns, s->key.ifindex);
	return d && d->mode == NETDEV_GENERIC;
}

/* Whether all tracepoints of a set fire in native mode only. False for an empty set. */
static bool are_native_only(uint32_t set)
{
	for (uint32_t tp = 0; tp < TP_COUNT; tp++)
		if (set & BIT(tp) && !tracepoints[tp].native_only)
			return false;
	return set;
}

/*
 * As value_sum(), except for a flow to a device that never reached xdp_devmap_xmit: in generic mode
 * that does not fire. So 0 is unknown there, unless nothing was queued.
 */
struct value value_column(const struct table *t, const struct row *row, const struct column *column,
			  enum quantity quantity, enum basis basis)
{
	uint32_t from = value_tracepoints(t, row, column);
	struct value v = value_sum(t, row, from, quantity, basis), queued;

	/* nothing was handed to the device, or generic mode does not report it */
	if (t->options.view->group & GROUP_LOCATION && !from && column->stage == STAGE_SENT &&
	    !column->over)
		v.state = row_is_generic(t, row) ? CELL_MISSING : CELL_NONE;
	if (row->tracepoint >= 0 || !are_native_only(from) || v.state != CELL_VALUE ||
	    row_tracepoints(t, row) & from)
		return v;
	queued = value_sum(t, row, t->at_stage[STAGE_QUEUED], QUANTITY_EVENTS, basis);
	if (basis == BASIS_BASELINE || row_is_generic(t, row) || queued.state != CELL_VALUE ||
	    queued.count)
		v.state = CELL_MISSING;
	return v;
}

uint64_t value_cpu_events(const struct table *t, const struct row *row, bool all_cpus, uint32_t of)
{
	uint64_t events = 0;

	for (size_t i = 0; i < row->n_tp_counts; i++) {
		const struct row_tp_counts *counts =
			&t->tp_counts[(all_cpus ? row->all_cpus : row->tp_counts) + i];

		if (of & BIT(counts->tracepoint))
			events += counts->delta.sum.events;
	}
	return events;
}

uint32_t share_tracepoints(const struct table *t, const struct row *row)
{
	static const enum tp_stage stages[] = { STAGE_SENT, STAGE_QUEUED, STAGE_FAILED };
	uint32_t of = 0;

	if (row->tracepoint >= 0)
		return BIT(row->tracepoint);
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		of = t->at_stage[stages[i]] & row_tracepoints(t, row);
		if (of && value_cpu_events(t, row, row->cpu >= 0, of))
			return of;
	}
	return row_tracepoints(t, row);
}

enum cell_state cell_set_real(struct cell *cell, enum cell_type type, double real)
{
	cell->type = type;
	cell->real = real;
	return CELL_VALUE;
}

enum cell_state cell_set_count(struct cell *cell, uint64_t count)
{
	cell->type = CELL_COUNT;
	cell->count = count;
	return CELL_VALUE;
}

enum cell_state cell_set_age(const struct table *t, const struct timespec *since, struct cell *cell)
{
	int64_t age_ns = timespec_to_ns(&t->rates->to->wall) - timespec_to_ns(since);

	return cell_set_real(cell, CELL_AGE, age_ns > 0 ? ns_to_seconds(age_ns) : 0);
}

enum cell_state cell_set_text(struct cell *cell, const char *format, ...)
{
	va_list ap;

	cell->type = CELL_TEXT;
	va_start(ap, format);
	vsnprintf(cell->text, sizeof(cell->text), format, ap);
	va_end(ap);
	return CELL_VALUE;
}

enum cell_state cell_set_named(struct cell *cell, const char *name, const char *kind, uint32_t id)
{
	if (*name)
		return cell_set_text(cell, "%s", name);
	return id ? cell_set_text(cell, "%s %u", kind, id) : CELL_NONE;
}

enum cell_state cell_set_netns(const struct table *t, uint32_t netns, struct cell *cell)
{
	cell->netns = netns;
	return netns_text(netns, t->options.netns, cell->text, sizeof(cell->text)) > 0 ? CELL_VALUE
										       : CELL_NONE;
}

enum cell_state cell_set_part(struct cell *cell, uint32_t part, uint32_t whole)
{
	if (!whole)
		return CELL_NONE;
	return cell_set_real(cell, CELL_PERCENT,
			     part < whole ? (double)part * 100 / (double)whole : 100);
}

enum cell_state cell_add_findings(const struct table *t, struct cell *cell,
				  bool (*is_at)(const struct finding *f, const void *of),
				  const void *of)
{
	const struct findings *findings = t->options.findings;
	size_t len = strlen(cell->text);

	for (size_t i = 0; findings && i < findings->n_active; i++) {
		const struct finding *f = findings->finding;
		size_t same = 0;

		if (!is_at(&f[i], of))
			continue;
		while (same < i && !(f[same].code == f[i].code && is_at(&f[same], of)))
			same++;
		if (same == i && len + strlen(f[i].code->name) + 3 <= sizeof(cell->text))
			len += (size_t)snprintf(cell->text + len, sizeof(cell->text) - len, "%s%s",
						len ? ", " : "", f[i].code->name);
	}
	return len ? CELL_VALUE : CELL_NONE;
}

enum cell_state cell_set_counter(const struct table *t, enum data_source_id id, const void *row,
				 const struct counter_column *of, size_t n, struct cell *cell)
{
	const struct column *column = cell->column;
	bool interval = column->rate;
	const struct snapshot *since = interval ? t->rates->from : t->rates->base;
	const char *now = row, *before = data_source_row(since, id, row);
	uint64_t count = 0;

	for (; n && &columns[of->column] != column; n--)
		of++;
	if (!n)
		return CELL_NONE;
	if (interval && !before)
		return CELL_NOT_YET;
	for (size_t i = 0; i < 3 && of->offset[i]; i++) {
		uint64_t is = *(const uint64_t *)(now + of->offset[i]);
		uint64_t was = before ? *(const uint64_t *)(before + of->offset[i]) : 0;

		count += is > was ? is - was : 0;
	}
	if (column->lost && count)
		cell->tone = TONE_LOST;
	if (interval)
		return cell_set_real(cell, CELL_RATE, per_second((double)count, t->rates->seconds));
	return cell_set_count(cell, count);
}

/* The name from an attached program, a device or a series; "" = unknown. */
static const char *program_name(const struct rates *r, uint32_t prog_id)
{
	const struct program *p = program_find(r->to, prog_id);
	const struct netdev *d = row_walk_first(r, r->to, &netdevs_by_program, prog_id);
	const struct series *s = row_walk_first(r, r->to, &series_by_program, prog_id);

	if (p)
		return p->prog_name;
	return d && d->prog_id == prog_id ? d->prog_name : s ? s->prog_name : "";
}

enum cell_state cell_set_users(const struct table *t, const uint32_t user[MAP_USERS],
			       uint32_t total, struct cell *cell)
{
	bool ids = cell->column == &columns[COL_PROG_ID];
	size_t len = 0;

	for (int i = 0; i < MAP_USERS && user[i] && len < sizeof(cell->text); i++) {
		const char *name = ids ? "" : program_name(t->rates, user[i]);

		len += (size_t)snprintf(cell->text + len, sizeof(cell->text) - len,
					*name ? "%s%s"
					: ids ? "%s%s%u"
					      : "%s%sid %u",
					len ? ", " : "", name, user[i]);
	}
	if (len && len < sizeof(cell->text) && total > MAP_USERS)
		snprintf(cell->text + len, sizeof(cell->text) - len, " and %u more",
			 total - MAP_USERS);
	return len ? CELL_VALUE : CELL_NONE;
}

enum cell_state cell_set_map(uint32_t map_id, uint32_t map_type, const char *name,
			     struct cell *cell)
{
	const char *type = map_type_name(map_type);

	if (*name)
		return cell_set_text(cell, "%s", name);
	return cell_set_text(cell, "%s %u", type ? type : "map", map_id);
}

enum cell_state map_name_cell(const struct map_entry *map, struct cell *cell)
{
	return cell_set_map(map->map_id, map->map_type, map->map_name, cell);
}

enum cell_state cell_of_series(const struct table *t, const struct row *row, struct cell *cell)
{
	return cell->column->cell ? cell->column->cell(t, row, cell) : CELL_NONE;
}

void table_cell(const struct table *t, size_t index, enum column_id column, struct cell *cell)
{
	const struct row *row = &t->row[index];
	cell_fn *fill;

	t = table_of(t, &row);
	fill = t->options.view->rows->cell;
	/* the series of a full table has neither device nor program */
	if (!fill || columns[column].of_pods || (row->n_series && row_series(t, row, 0)->overflow))
		fill = cell_of_series;
	cell->column = &columns[column];
	cell->tone = TONE_PLAIN;
	cell->type = columns[column].number ? CELL_COUNT : CELL_TEXT;
	cell->count = 0;
	cell->age = 0;
	cell->text[0] = '\0';
	cell->netns = 0;
	cell->state = row->more ? CELL_NONE : fill(t, row, cell);
}

static int value_text(const struct cell *cell, char *buf, size_t size, enum number_style style)
{
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
	case CELL_GAP:
		return format_gap(buf, size, cell->real);
	case CELL_TEXT:
		break;
	}
	if (cell->column->letter)
		return snprintf(buf, size, "%c",
				cell->tone == TONE_DIM ? '-' : toupper(cell->text[0]));
	return snprintf(buf, size, "%s", cell->text);
}

int cell_text(const struct cell *cell, char *buf, size_t size, enum number_style style, bool ascii)
{
	static const char *const states[] = {
		[CELL_NOT_YET] = "·", [CELL_OFF] = "off", [CELL_MISSING] = "n/a", [CELL_NONE] = "-"
	};

	int len;

	if (cell->state != CELL_VALUE)
		return snprintf(buf, size, "%s",
				ascii && cell->state == CELL_NOT_YET ? "." : states[cell->state]);
	len = value_text(cell, buf, size, style);
	if (cell->age > 0 && len > 0 && (size_t)len < size - 1)
		len += snprintf(buf + len, size - (size_t)len, OLD_NUMBER);
	return len;
}
