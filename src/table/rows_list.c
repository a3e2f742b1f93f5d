// SPDX-License-Identifier: GPL-2.0-or-later
/* Events, those that were followed, and findings: rows that are entries of a list. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "diagnose/driver.h"
#include "diagnose/findings.h"
#include "diagnose/location_text.h"
#include "base/clock.h"
#include "model/event_log.h"
#include "model/follow_log.h"
#include "model/followed.h"
#include "model/target.h"
#include "table/row_kind.h"
#include "table/table_internal.h"

static const struct followed *followed_of(const struct table *t, const struct row *row)
{
	return follow_log_get(t->options.followed, row->item);
}

const struct event *table_event(const struct table *t, const struct row *row)
{
	const struct row_kind *rows = t->options.view->rows;

	if (rows == &rows_followed)
		return &followed_of(t, row)->event;
	return rows == &rows_events
		       ? event_log_get(t->options.events, t->options.events->taken, (int)row->item)
		       : NULL;
}

static const struct finding *finding_of(const struct table *t, const struct row *row)
{
	return &t->options.findings->finding[row->item];
}

static int add_events(struct table *t)
{
	const struct event_log *log = t->options.events;
	int err = table_add_items(t, log ? (size_t)event_log_count(log, log->taken) : 0);

	for (size_t i = 0; i < t->n_rows; i++)
		t->row[i].id = log->taken - i;
	return err;
}

static int add_followed(struct table *t)
{
	const struct follow_log *log = t->options.followed;
	int err = table_add_items(t, log ? follow_log_count(log) : 0);

	for (size_t i = 0; i < t->n_rows; i++)
		t->row[i].id = log->taken - i;
	return err;
}

static int add_findings(struct table *t)
{
	const struct findings *f = t->options.findings;
	int err = table_add_items(t, f ? f->n_listed : 0);

	for (size_t i = 0; i < t->n_rows; i++)
		t->row[i].id = f->finding[i].id;
	return err;
}

static void locate_event(const struct table *t, const struct row *row, struct location *location)
{
	const struct event *e = table_event(t, row);

	location->dev.netns = e->key.netns;
	location->dev.ifindex = e->key.ifindex;
	snprintf(location->dev.name, sizeof(location->dev.name), "%s", e->ifname);
	location->prog_id = e->key.prog_id;
	snprintf(location->prog_name, sizeof(location->prog_name), "%s", e->prog_name);
}

static void locate_finding(const struct table *t, const struct row *row, struct location *location)
{
	*location = finding_of(t, row)->location;
}

/* The location's columns; CELL_NONE in all others. */
static enum cell_state location_cell(const struct table *t, const struct row *row,
				     struct cell *cell)
{
	struct location location;

	location_init(&location);
	t->options.view->rows->locate(t, row, &location);
	switch (cell->column - columns) {
	case COL_DEVICE:
		return cell_set_named(cell, location.dev.name, "ifindex", location.dev.ifindex);
	case COL_NETNS:
		return cell_set_netns(t, location.dev.netns, cell);
	case COL_TARGET:
		if (!location.to.ifindex && location.to_cpu < 0 && location.socket < 0)
			return CELL_NONE;
		location_target_text(&location, t->options.netns, cell->text, sizeof(cell->text),
				     &cell->id);
		return CELL_VALUE;
	case COL_PROGRAM:
		return cell_set_named(cell, location.prog_name, "id", location.prog_id);
	case COL_PROG_ID:
		return location.prog_id ? cell_set_text(cell, "%u", location.prog_id) : CELL_NONE;
	default:
		return CELL_NONE;
	}
}

static enum cell_state tracepoint_cell(const struct table *t, uint32_t tp, struct cell *cell)
{
	return cell_set_named(cell, snapshot_tracepoint(t->rates->to, tp), "", 0);
}

static enum cell_state event_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct event *e = table_event(t, row);

	switch (cell->column - columns) {
	case COL_TIME:
		format_clock(cell->text, sizeof(cell->text), &e->time);
		return CELL_VALUE;
	case COL_LAST_SEEN:
		return cell_set_age(t, &e->time, cell);
	case COL_TRACEPOINT:
		return tracepoint_cell(t, e->tracepoint, cell);
	case COL_PROCESS:
		return e->comm[0] ? cell_set_text(cell, "%s[%u]", e->comm, e->pid) : CELL_NONE;
	case COL_CPU:
		return e->cpu >= 0 ? cell_set_count(cell, (uint64_t)e->cpu) : CELL_NONE;
	case COL_SUPPRESSED:
		return cell_set_count(cell, e->suppressed);
	case COL_TEXT:
		return cell_set_named(cell, e->text, "", 0);
	default:
		return location_cell(t, row, cell);
	}
}

static void event_sentence(const struct table *t, const struct row *row, char *buf, size_t size)
{
	snprintf(buf, size, "%s", table_event(t, row)->text);
}

static int no_events(const struct table *t, const struct snapshot_host *host, char *buf,
		     size_t size)
{
	char when[48];

	no_data_since(t->rates, host, when, sizeof(when));
	return snprintf(buf, size, "No events %s.\n", when);
}

const struct row_kind rows_events = {
	.list = true,
	.missing = no_events,
	.add = add_events,
	.cell = event_cell,
	.locate = locate_event,
	.sentence = event_sentence,
};

static void locate_followed(const struct table *t, const struct row *row, struct location *location)
{
	const struct series s = event_series(table_event(t, row));

	location_set(location, &s, t->rates->to);
}

static enum cell_state followed_cell(const struct table *t, const struct row *row,
				     struct cell *cell)
{
	const struct followed *e = followed_of(t, row);
	const bool lost = e->kind == FOLLOWED_LOST;
	struct series s;
	int64_t gap;

	switch (cell->column - columns) {
	case COL_TIME:
		format_clock_ns(cell->text, sizeof(cell->text), &e->event.time);
		cell->count = (uint64_t)timespec_to_ns(&e->event.time); /* over midnight, too */
		return CELL_VALUE;
	case COL_GAP:
		return follow_log_gap(t->options.followed, row->item, &gap)
			       ? cell_set_real(cell, CELL_GAP, ns_to_seconds(gap))
			       : CELL_NONE;
	case COL_TARGET:
		s = event_series(&e->event);
		return !lost && series_target_text(t->rates->to, &s, t->options.netns, cell->text,
						   sizeof(cell->text), &cell->id)
			       ? CELL_VALUE
			       : CELL_NONE;
	case COL_ARGS:
		cell->tone = lost ? TONE_LOST : TONE_PLAIN;
		return followed_args_text(e, cell->text, sizeof(cell->text)) ? CELL_VALUE
									     : CELL_NONE;
	case COL_SUPPRESSED:
		cell->tone = e->event.suppressed ? TONE_LOST : TONE_PLAIN;
		return cell_set_count(cell, e->event.suppressed);
	default:
		return event_cell(t, row, cell);
	}
}

static void followed_sentence(const struct table *t, const struct row *row, char *buf, size_t size)
{
	const struct followed *e = followed_of(t, row);
	char cpu[24] = "";

	if (e->event.cpu >= 0)
		snprintf(cpu, sizeof(cpu), " of CPU %d", e->event.cpu);
	if (e->kind == FOLLOWED_LOST)
		snprintf(buf, size, "%" PRIu64 " events%s were lost: they found the ring full",
			 e->event.suppressed, cpu);
	else
		followed_args_text(e, buf, size);
}

static int no_followed(const struct table *t, const struct snapshot_host *host, char *buf,
		       size_t size)
{
	const struct tp_count *tp = &t->rates->to->tp[TP_FOLLOW];

	if (*tp->name && *tp->reason && tp->state != TP_ON)
		return snprintf(buf, size, "Nothing is listed: %s.\n", tp->reason);
	if (*tp->name && tp->state != TP_OFF)
		return snprintf(buf, size, "No event of what is followed so far.\n");
	if (t->options.switch_by == SWITCH_NOT)
		return snprintf(buf, size, "Nothing was followed so far in this recording.\n");
	return snprintf(buf, size, "Nothing is followed: %s.\n",
			t->options.keys ? "press l on a row of flows, errors, devices, programs, "
					  "cpumap, queues or events"
					: "--follow EXPR asks for it");
}

/* Each was on one CPU, which its row names. */
const struct row_kind rows_followed = {
	.list = true,
	.alone = true,
	.missing = no_followed,
	.add = add_followed,
	.cell = followed_cell,
	.locate = locate_followed,
	.sentence = followed_sentence,
};

static enum cell_state lost_cell(const struct table *t, const struct finding *f, struct cell *cell)
{
	if (!f->active || isnan(f->loss.per_s))
		return CELL_NONE;
	if (!t->rates->from)
		return CELL_NOT_YET;
	if (f->loss.per_s > 0)
		cell->tone = TONE_LOST;
	if (t->options.unit == UNIT_SINCE_BASELINE)
		return cell_set_count(cell, f->loss.total);
	if (t->options.unit == UNIT_PER_INTERVAL)
		return cell_set_count(cell, f->loss.count);
	return cell_set_real(cell, CELL_RATE, f->loss.per_s);
}

static enum cell_state finding_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	static const enum cell_tone tones[] = {
		[FINDING_CRITICAL] = TONE_LOST,
		[FINDING_WARNING] = TONE_WARN,
		[FINDING_INFO] = TONE_PLAIN,
	};
	const struct finding *f = finding_of(t, row);

	switch (cell->column - columns) {
	case COL_SEVERITY:
		cell->tone = f->active ? tones[f->severity] : TONE_DIM;
		/* its rank, by which it is sorted */
		cell->count = f->active ? 2 + (uint64_t)f->severity : 1;
		if (!f->active)
			return cell_set_text(cell, "cleared");
		return cell_set_text(cell, "%s", finding_severity_name(f->severity));
	case COL_DEVICE:
		finding_sources_text(f, cell->text, sizeof(cell->text));
		return *cell->text ? CELL_VALUE : location_cell(t, row, cell);
	case COL_FINDING:
		return cell_set_text(cell, "%s", f->code->name);
	case COL_TEXT: /* without the location, which has columns of its own */
		return cell_set_text(cell, "%s", f->text + f->cause_offset);
	case COL_TRACEPOINT:
		return tracepoint_cell(t, f->tracepoint, cell);
	case COL_LOST_RATE:
		return lost_cell(t, f, cell);
	case COL_COUNT:
		return cell_set_count(cell, f->total);
	case COL_SINCE:
		return cell_set_age(t, &f->first, cell);
	case COL_LAST_SEEN:
		return cell_set_age(t, &f->last, cell);
	default:
		return location_cell(t, row, cell);
	}
}

static void finding_sentence(const struct table *t, const struct row *row, char *buf, size_t size)
{
	snprintf(buf, size, "%s", finding_of(t, row)->text);
}

static int no_findings(const struct table *t, const struct snapshot_host *host, char *buf,
		       size_t size)
{
	int len = snprintf(buf, size, "No findings: nothing counted so far points to a cause.\n");

	return len + no_data_silent(t->rates, t->options.netns, t->options.switch_by, buf + len,
				    size - (size_t)len);
}

const struct row_kind rows_findings = {
	.list = true,
	.details = true,
	.missing = no_findings,
	.add = add_findings,
	.cell = finding_cell,
	.locate = locate_finding,
	.sentence = finding_sentence,
};
