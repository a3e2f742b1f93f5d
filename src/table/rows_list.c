// SPDX-License-Identifier: GPL-2.0-or-later
/* Events and findings: rows that are listed, not counted. */
#include <errno.h>
#include <stdio.h>
#include "diagnose/findings.h"
#include "diagnose/location_text.h"
#include "model/event_log.h"
#include "model/target.h"
#include "table/row_kind.h"
#include "table/table_internal.h"

static const struct event *event_of(const struct table *t, const struct row *row)
{
	return event_log_get(t->options.events, t->options.events->taken, (int)row->item);
}

static const struct finding *finding_of(const struct table *t, const struct row *row)
{
	return &t->options.findings->finding[row->item];
}

static int add_items(struct table *t, size_t n)
{
	if (array_reserve(t->row, t->cap_rows, n + 1))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		t->row[t->n_rows++] =
			(struct row){ .tracepoint = -1, .cpu = -1, .item = i, .order = i };
	return 0;
}

static int add_events(struct table *t)
{
	const struct event_log *l = t->options.events;
	int err = add_items(t, l ? (size_t)event_log_count(l, l->taken) : 0);

	for (size_t i = 0; i < t->n_rows; i++)
		t->row[i].id = l->taken - i;
	return err;
}

static int add_findings(struct table *t)
{
	const struct findings *f = t->options.findings;
	int err = add_items(t, f ? f->n : 0);

	for (size_t i = 0; i < t->n_rows; i++)
		t->row[i].id = f->finding[i].id;
	return err;
}

static void locate_event(const struct table *t, const struct row *row, struct location *p)
{
	const struct event *e = event_of(t, row);

	p->dev.netns = e->key.netns;
	p->dev.ifindex = e->key.ifindex;
	snprintf(p->dev.name, sizeof(p->dev.name), "%s", e->ifname);
	p->prog_id = e->key.prog_id;
	snprintf(p->prog_name, sizeof(p->prog_name), "%s", e->prog_name);
}

static void locate_finding(const struct table *t, const struct row *row, struct location *p)
{
	*p = finding_of(t, row)->location;
}

static struct location location_of(const struct table *t, const struct row *row)
{
	struct location p;

	location_init(&p);
	t->options.view->rows->locate(t, row, &p);
	return p;
}

/* Text, or - where there is none. */
static void set_known(struct cell *cell, const char *text)
{
	if (*text)
		cell_set_text(cell, text);
}

static void set_named(struct cell *cell, const char *name, const char *what, uint32_t id)
{
	char text[32];

	snprintf(text, sizeof(text), "%s %u", what, id);
	set_known(cell, *name ? name : id ? text : "");
}

static void set_tracepoint(const struct table *t, uint32_t tp, struct cell *cell)
{
	set_known(cell, snapshot_tracepoint(t->rates->to, tp));
}

static void device_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	struct location p = location_of(t, row);

	set_named(cell, p.dev.name, "ifindex", p.dev.ifindex);
}

static void netns_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	cell_set_text(cell, "");
	if (!netns_text_id(location_of(t, row).dev.netns, t->options.netns, cell->text,
			   sizeof(cell->text), &cell->id))
		cell->state = CELL_NONE;
}

static void target_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	struct location p = location_of(t, row);

	if (!p.to.ifindex && p.to_cpu < 0 && p.socket < 0)
		return;
	cell_set_text(cell, "");
	location_target_text(&p, t->options.netns, cell->text, sizeof(cell->text), &cell->id);
}

static void program_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	struct location p = location_of(t, row);

	set_named(cell, p.prog_name, "id", p.prog_id);
}

static void prog_id_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	char text[16];
	uint32_t id = location_of(t, row).prog_id;

	snprintf(text, sizeof(text), "%u", id);
	set_known(cell, id ? text : "");
}

static void event_time_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	char text[16];

	format_clock(text, sizeof(text), &event_of(t, row)->time);
	cell_set_text(cell, text);
}

static void event_seen_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	cell_set_age(t, &event_of(t, row)->time, cell);
}

static void event_tracepoint_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	set_tracepoint(t, event_of(t, row)->tracepoint, cell);
}

static void event_process_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct event *e = event_of(t, row);
	char text[SNAPSHOT_NAME_LEN + 16];

	snprintf(text, sizeof(text), "%s[%u]", e->comm, e->pid);
	set_known(cell, e->comm[0] ? text : "");
}

static void event_cpu_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	int cpu = event_of(t, row)->cpu;

	if (cpu >= 0)
		cell_set_count(cell, (uint64_t)cpu);
}

static void event_suppressed_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	cell_set_count(cell, event_of(t, row)->suppressed);
}

static const char *event_sentence(const struct table *t, const struct row *row)
{
	return event_of(t, row)->text;
}

static void event_text_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	set_known(cell, event_sentence(t, row));
}

static cell_fn *const event_cells[COLUMN_COUNT] = {
	[COL_TIME] = event_time_cell,
	[COL_LAST_SEEN] = event_seen_cell,
	[COL_TRACEPOINT] = event_tracepoint_cell,
	[COL_DEVICE] = device_cell,
	[COL_NETNS] = netns_cell,
	[COL_PROGRAM] = program_cell,
	[COL_PROG_ID] = prog_id_cell,
	[COL_PROCESS] = event_process_cell,
	[COL_ON_CPU] = event_cpu_cell,
	[COL_SUPPRESSED] = event_suppressed_cell,
	[COL_TEXT] = event_text_cell,
};

const struct row_kind rows_events = {
	.list = true,
	.none = "No event so far.",
	.add = add_events,
	.cell = event_cells,
	.locate = locate_event,
	.sentence = event_sentence,
};

static void severity_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	static const enum cell_tone tones[] = {
		[FINDING_CRITICAL] = TONE_LOST,
		[FINDING_WARNING] = TONE_WARN,
		[FINDING_INFO] = TONE_PLAIN,
	};
	const struct finding *f = finding_of(t, row);

	cell_set_text(cell, f->active ? finding_severity_name(f->code->severity) : "cleared");
	if (f->active)
		cell->tone = tones[f->code->severity];
}

static void code_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	cell_set_text(cell, finding_of(t, row)->code->name);
}

/* Without the location, which has columns of its own. */
static void finding_text_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct finding *f = finding_of(t, row);

	cell_set_text(cell, f->text + f->cause_offset);
}

static void finding_tracepoint_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	set_tracepoint(t, finding_of(t, row)->tracepoint, cell);
}

static void finding_count_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	cell_set_count(cell, finding_of(t, row)->total);
}

static void finding_since_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	cell_set_age(t, &finding_of(t, row)->first, cell);
}

static void finding_seen_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	cell_set_age(t, &finding_of(t, row)->last, cell);
}

static const char *finding_sentence(const struct table *t, const struct row *row)
{
	return finding_of(t, row)->text;
}

static cell_fn *const finding_cells[COLUMN_COUNT] = {
	[COL_SEVERITY] = severity_cell,
	[COL_FINDING] = code_cell,
	[COL_TEXT] = finding_text_cell,
	[COL_DEVICE] = device_cell,
	[COL_NETNS] = netns_cell,
	[COL_TARGET] = target_cell,
	[COL_PROGRAM] = program_cell,
	[COL_PROG_ID] = prog_id_cell,
	[COL_TRACEPOINT] = finding_tracepoint_cell,
	[COL_COUNT] = finding_count_cell,
	[COL_SINCE] = finding_since_cell,
	[COL_LAST_SEEN] = finding_seen_cell,
};

const struct row_kind rows_findings = {
	.list = true,
	.details = true,
	.none = "No finding: nothing counted so far points to a cause.",
	.add = add_findings,
	.cell = finding_cells,
	.locate = locate_finding,
	.sentence = finding_sentence,
};
