// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include "diagnose/driver.h"
#include "diagnose/location_text.h"
#include "base/clock.h"
#include "model/event_log.h"
#include "model/follow_log.h"
#include "model/followed.h"
#include "model/target.h"
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
	if (rows == &rows_changes)
		return event_log_change(t->options.events, (int)row->item);
	return rows == &rows_events ? event_log_get(t->options.events, (int)row->item) : NULL;
}

/* Rows are identified by serial numbers. */
static void add_log(struct table *t)
{
	const struct row_kind *rows = t->options.view->rows;
	const struct event_log *log = t->options.events;
	const struct follow_log *followed = t->options.followed;
	uint64_t newest = 0;

	if (rows == &rows_followed && followed) {
		table_add_items(t, follow_log_count(followed));
		newest = followed->taken;
	} else if (rows == &rows_changes && log) {
		table_add_items(t, (size_t)event_log_changes(log));
		newest = log->changes.taken;
	} else if (rows == &rows_events && log) {
		table_add_items(t, (size_t)event_log_count(log));
		newest = log->all.taken;
	}
	for (size_t i = 0; i < t->n_rows; i++) {
		t->row[i].id = newest - i;
		t->has_skipped |= table_event(t, &t->row[i])->left_out > 0;
	}
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

enum cell_state cell_of_location(const struct table *t, const struct row *row, struct cell *cell)
{
	struct location location;

	row_locate(t, row, &location);
	switch (cell->column - columns) {
	case COL_DEVICE:
		return cell_set_named(cell, location.dev.name, "ifindex", location.dev.ifindex);
	case COL_NETNS:
		return cell_set_netns(t, location.dev.netns, cell);
	case COL_TARGET:
		if (!location.to.ifindex && location.to_cpu < 0 && location.socket < 0)
			return CELL_NONE;
		location_text("{to}", &location, t->options.netns, cell->text, sizeof(cell->text));
		return CELL_VALUE;
	case COL_PROGRAM:
		return cell_set_named(cell, location.prog_name, "id", location.prog_id);
	case COL_PROG_ID:
		return location.prog_id ? cell_set_text(cell, "%u", location.prog_id) : CELL_NONE;
	default:
		return CELL_NONE;
	}
}

static enum cell_state map_cell(const struct table *t, const struct event *e, struct cell *cell)
{
	const struct map_entry *map = map_find(t->rates->to, e->key.map_id);

	return cell_set_named(cell, map ? map->map_name : "", "map", e->key.map_id);
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
		return cell_set_named(cell,
				      e->change ? change_words[e->change].name
						: snapshot_tracepoint(t->rates->to, e->tracepoint),
				      "", 0);
	case COL_CHANGE:
		return e->change ? cell_set_text(cell, "%s", change_words[e->change].name)
				 : CELL_NONE;
	case COL_MAP:
		return e->change && e->key.map_id ? map_cell(t, e, cell) : CELL_NONE;
	case COL_MAP_ID:
		return e->change && e->key.map_id ? cell_set_text(cell, "%u", e->key.map_id)
						  : CELL_NONE;
	case COL_KEY:
		return e->change && e->key.map_id ? cell_set_text(cell, "%u", e->key.target)
						  : CELL_NONE;
	case COL_OLD:
		return cell_set_named(cell, e->old_value, "", 0);
	case COL_NEW:
		if (!e->settings)
			return cell_set_named(cell, e->new_value, "", 0);
		return cell_set_text(cell, "%s, and %u setting%s",
				     *e->new_value ? e->new_value : "none", e->settings,
				     e->settings == 1 ? "" : "s");
	case COL_PROCESS:
		return e->comm[0] ? cell_set_text(cell, "%s[%u]", e->comm, e->pid) : CELL_NONE;
	case COL_OWNER:
		return cell_set_named(cell, e->holder, "", 0);
	case COL_CPU:
		return e->cpu >= 0 ? cell_set_count(cell, (uint64_t)e->cpu) : CELL_NONE;
	case COL_LEFT_OUT:
		return cell_set_count(cell, e->left_out);
	case COL_TEXT:
		return cell_set_named(cell, e->text, "", 0);
	default:
		return cell_of_location(t, row, cell);
	}
}

static void event_sentence(const struct table *t, const struct row *row, char *buf, size_t size)
{
	snprintf(buf, size, "%s", table_event(t, row)->text);
}

static int no_events(const struct table *t, const struct snapshot_host *host, char *buf,
		     size_t size)
{
	char when[96];

	no_data_since(t->rates, host, when, sizeof(when));
	return snprintf(buf, size, "%s %s.\n",
			t->options.view->rows == &rows_changes ? "Nothing changed" : "No events",
			when);
}

const struct row_kind rows_events = {
	.list = true,
	.log = true,
	.missing = no_events,
	.add = add_log,
	.cell = event_cell,
	.locate = locate_event,
	.sentence = event_sentence,
};

const struct row_kind rows_changes = {
	.list = true,
	.log = true,
	.missing = no_events,
	.add = add_log,
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
		cell->count = (uint64_t)timespec_to_ns(&e->event.time); /* across midnight */
		return CELL_VALUE;
	case COL_GAP:
		return follow_log_gap(t->options.followed, row->item, &gap)
			       ? cell_set_real(cell, CELL_GAP, ns_to_seconds(gap))
			       : CELL_NONE;
	case COL_TARGET:
		s = event_series(&e->event);
		return !lost && series_target_text(t->rates->to, &s, t->options.netns, cell->text,
						   sizeof(cell->text))
			       ? CELL_VALUE
			       : CELL_NONE;
	case COL_ARGS:
		cell->tone = lost ? TONE_LOST : TONE_PLAIN;
		return followed_args_text(e, cell->text, sizeof(cell->text)) ? CELL_VALUE
									     : CELL_NONE;
	case COL_LEFT_OUT:
		cell->tone = e->event.left_out ? TONE_LOST : TONE_PLAIN;
		return cell_set_count(cell, e->event.left_out);
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
		snprintf(buf, size, "%" PRIu64 " events%s were lost: the ring was full",
			 e->event.left_out, cpu);
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
		return snprintf(buf, size, "No followed event so far.\n");
	if (t->options.switch_by == SWITCH_NOT)
		return snprintf(buf, size, "This recording has no followed event so far.\n");
	return snprintf(buf, size, "Nothing is followed: %s.\n",
			t->options.keys ? "press l on a row of flows, errors, devices, programs, "
					  "cpumap, stack or events"
					: "--follow EXPR starts it");
}

/* `alone`, because the row names the CPU. */
const struct row_kind rows_followed = {
	.list = true,
	.alone = true,
	.missing = no_followed,
	.add = add_log,
	.cell = followed_cell,
	.locate = locate_followed,
	.sentence = followed_sentence,
};
