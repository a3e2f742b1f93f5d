// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include "diagnose/findings.h"
#include "table/table_internal.h"

static const struct finding *finding_of(const struct table *t, const struct row *row)
{
	return &t->options.findings->finding[row->item];
}

static void add_findings(struct table *t)
{
	const struct findings *f = t->options.findings;

	table_add_items(t, f ? f->n_listed : 0);
	for (size_t i = 0; i < t->n_rows; i++)
		t->row[i].id = f->finding[i].id;
}

static void locate_finding(const struct table *t, const struct row *row, struct location *location)
{
	*location = finding_of(t, row)->location;
}

static enum cell_state lost_cell(const struct table *t, const struct finding *f, struct cell *cell)
{
	if (!f->active || isnan(f->loss.per_s))
		return CELL_NONE;
	if (f->uncounted)
		return CELL_OFF;
	if (!t->rates->from)
		return CELL_NOT_YET;
	if (f->loss.per_s > 0)
		cell->tone = TONE_LOST;
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
	char stopped[64];

	switch (cell->column - columns) {
	case COL_SEVERITY:
		cell->tone = f->active ? tones[f->severity] : TONE_DIM;
		/* rank for sorting */
		cell->count = f->active ? 2 + (uint64_t)f->severity : 1;
		if (!f->active)
			return cell_set_text(cell, "cleared");
		if (f->uncounted) {
			cell->tone = TONE_WARN;
			return cell_set_text(cell, "unknown");
		}
		return cell_set_text(cell, "%s", finding_severity_name(f->severity));
	case COL_DEVICE:
		finding_sources_text(f, cell->text, sizeof(cell->text));
		return *cell->text ? CELL_VALUE : cell_of_location(t, row, cell);
	case COL_FINDING:
		return cell_set_text(cell, "%s", f->code->name);
	case COL_TEXT: /* without the location, which has its own columns */
		finding_stopped_text(f, t->options.keys ? t->rates->to->mono_ns : UINT64_MAX,
				     stopped, sizeof(stopped));
		return cell_set_text(cell, "%s%s%s", stopped, *stopped ? ": " : "",
				     f->text + f->cause_offset);
	case COL_TRACEPOINT:
		return cell_set_named(cell, snapshot_tracepoint(t->rates->to, f->tracepoint), "",
				      0);
	case COL_LOST_RATE:
		return lost_cell(t, f, cell);
	case COL_COUNT:
		return cell_set_count(cell, f->total);
	case COL_SINCE:
		return cell_set_age(t, &f->first, cell);
	case COL_LAST_SEEN:
		return cell_set_age(t, &f->last, cell);
	default:
		return cell_of_location(t, row, cell);
	}
}

static void finding_sentence(const struct table *t, const struct row *row, char *buf, size_t size)
{
	snprintf(buf, size, "%s", finding_of(t, row)->text);
}

static int no_findings(const struct table *t, const struct snapshot_host *host, char *buf,
		       size_t size)
{
	const struct snapshot *s = t->rates->to;
	char when[96] = "so far";
	int len = 0;

	if (host->read_from.tv_sec > host->start.tv_sec)
		no_data_since(t->rates, host, when, sizeof(when));
	for (uint32_t tp = 0; tp < TP_COUNT && !len; tp++)
		if (tracepoints[tp].on && (tracepoints[tp].failure || tracepoints[tp].drops) &&
		    rates_uncounted(t->rates, tp))
			len = snprintf(buf, size, "No findings, but not all is counted: %s%s.\n",
				       snapshot_tracepoint(s, tp), rates_uncounted(t->rates, tp));
	if (!len)
		len = snprintf(buf, size, "No findings: nothing counted %s indicates a loss.\n",
			       when);

	return len + no_data_silent(t->rates, t->options.netns, t->options.switch_by, buf + len,
				    size - (size_t)len);
}

const struct row_kind rows_findings = {
	.list = true,
	.details = true,
	.log = true,
	.missing = no_findings,
	.add = add_findings,
	.cell = finding_cell,
	.locate = locate_finding,
	.sentence = finding_sentence,
};
