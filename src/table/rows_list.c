// SPDX-License-Identifier: GPL-2.0-or-later
/* Cells of events and findings: rows that are listed, not counted. */
#include <stdio.h>
#include "table/cell.h"
#include "model/event_log.h"
#include "diagnose/finding.h"
#include "model/target.h"
#include "model/tracepoint.h"

/* Text, or - where there is none. */
static void set_known(struct cell *cell, const char *text)
{
	if (*text)
		cell_set_text(cell, text);
}

static void set_netns(const struct table *t, uint32_t netns, struct cell *cell)
{
	char text[SNAPSHOT_NAME_LEN * 2];

	netns_text(netns, t->options.netns, text, sizeof(text));
	set_known(cell, text);
}

static void set_named(struct cell *cell, const char *name, const char *what, uint32_t id)
{
	char text[32];

	snprintf(text, sizeof(text), "%s %u", what, id);
	set_known(cell, *name ? name : id ? text : "");
}

static void set_id(struct cell *cell, uint32_t id)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", id);
	set_known(cell, id ? text : "");
}

static void set_tracepoint(const struct table *t, uint32_t tp, struct cell *cell)
{
	set_known(cell, *tracepoints[tp].name ? tracepoints[tp].name : t->rates->to->tp[tp].name);
}

void cell_of_event(const struct table *t, const struct row *row, enum column_id column,
		   struct cell *cell)
{
	const struct event *e =
		event_log_get(t->options.events, t->options.events->taken, (int)row->item);
	char text[SNAPSHOT_NAME_LEN + 16];

	switch (column) {
	case COL_TIME:
		format_clock(text, sizeof(text), &e->time);
		cell_set_text(cell, text);
		break;
	case COL_LAST_SEEN:
		cell_set_age(t, &e->time, cell);
		break;
	case COL_TRACEPOINT:
		set_tracepoint(t, e->tracepoint, cell);
		break;
	case COL_DEVICE:
		set_named(cell, e->ifname, "ifindex", e->key.ifindex);
		break;
	case COL_NETNS:
		set_netns(t, e->key.netns, cell);
		break;
	case COL_PROGRAM:
		set_named(cell, e->prog_name, "id", e->key.prog_id);
		break;
	case COL_PROG_ID:
		set_id(cell, e->key.prog_id);
		break;
	case COL_PROCESS:
		snprintf(text, sizeof(text), "%s[%u]", e->comm, e->pid);
		set_known(cell, e->comm[0] ? text : "");
		break;
	case COL_ON_CPU:
		if (e->cpu >= 0)
			cell_set_count(cell, (uint64_t)e->cpu);
		break;
	case COL_LEFT_OUT:
		cell_set_count(cell, e->left_out);
		break;
	case COL_TEXT:
		set_known(cell, e->text);
		break;
	default:
		break;
	}
}

void cell_of_finding(const struct table *t, const struct row *row, enum column_id column,
		     struct cell *cell)
{
	const struct finding *f = &t->options.findings->finding[row->item];
	const struct location *p = &f->place;

	switch (column) {
	case COL_SEVERITY:
		cell_set_text(cell,
			      f->active ? finding_severity_name(f->code->severity) : "cleared");
		break;
	case COL_FINDING:
		cell_set_text(cell, f->code->name);
		break;
	case COL_TEXT:
		cell_set_text(cell, f->text + f->cause);
		break;
	case COL_DEVICE:
		set_named(cell, p->dev.name, "ifindex", p->dev.ifindex);
		break;
	case COL_NETNS:
		set_netns(t, p->dev.netns, cell);
		break;
	case COL_TARGET:
		if (!p->to.ifindex && p->to_cpu < 0 && p->socket < 0)
			break;
		cell_set_text(cell, "");
		location_text("{to}", p, t->options.netns, cell->text, sizeof(cell->text));
		break;
	case COL_PROGRAM:
		set_named(cell, p->prog_name, "id", p->prog_id);
		break;
	case COL_PROG_ID:
		set_id(cell, p->prog_id);
		break;
	case COL_TRACEPOINT:
		set_tracepoint(t, f->tracepoint, cell);
		break;
	case COL_COUNT:
		cell_set_count(cell, f->total);
		break;
	case COL_SINCE:
		cell_set_age(t, &f->first, cell);
		break;
	case COL_LAST_SEEN:
		cell_set_age(t, &f->last, cell);
		break;
	default:
		break;
	}
}
