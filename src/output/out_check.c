// SPDX-License-Identifier: GPL-2.0-or-later
/* --check: prints one line per finding at the end of the run, and sets the exit status. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/error.h"
#include "diagnose/finding_code.h"
#include "output/output.h"

struct out_check {
	struct output_rows rows; /* of the last snapshot; includes findings that have cleared */
	uint64_t verdicts_ns;    /* when counting of verdicts began, CLOCK_MONOTONIC; 0 = never */
};

static bool has_verdicts(const struct snapshot *s)
{
	size_t n, i = 0;
	const struct program *p = programs(s, &n);

	while (i < n && p[i].verdicts != PROGRAM_VERDICTS_ON)
		i++;
	return i < n;
}

static int check_begin(struct output *o)
{
	output_rows_open(o, sizeof(struct out_check));
	return 0;
}

static int check_snapshot(struct output *o, const struct rates *r, bool last)
{
	struct table_options wanted = output_rows_options(
		o, &views[o->timeline ? VIEW_TIMELINE : VIEW_FINDINGS], o->config->sort);
	struct out_check *c = o->state;

	if (!has_verdicts(r->to))
		c->verdicts_ns = 0;
	else if (!c->verdicts_ns)
		c->verdicts_ns = (r->from && has_verdicts(r->from) ? r->from : r->to)->mono_ns;
	return table_build(&c->rows.table, r, &wanted);
}

/* In a recording "now" is its end, so print times. An incident's loss is that of its time. */
static void print_finding(const struct output *o, const struct finding *f)
{
	const bool lost = !isnan(f->loss.per_s);
	char rate[16], total[24], from[24], to[24];

	format_rate(rate, sizeof(rate), f->loss.per_s, NUMBER_SI);
	format_count(total, sizeof(total), o->timeline ? f->total - f->before : f->loss.total,
		     NUMBER_RAW);
	format_date(from, sizeof(from), &f->first);
	format_date(to, sizeof(to), &f->last);
	fprintf(o->file, "%s %s: %s", finding_severity_name(f->severity), f->code->name, f->text);
	if (o->live && lost)
		fprintf(o->file, " (%s lost/s now, %s since the start)", rate, total);
	else if (!o->live)
		fprintf(o->file, " (from %s to %s%s%s%s%s)", from, to,
			f->active ? ", and continues" : "", lost ? ", lost " : "",
			lost ? total : "", lost && !o->timeline ? " since the start" : "");
	for (const char *c = f->changes; !o->live && *c; c += strcspn(c, "\n"), c += *c == '\n')
		fprintf(o->file, "; %.*s", (int)strcspn(c, "\n"), c);
	fputc('\n', o->file);
}

/* Names the codes for which the run was too short, so their absence means nothing. */
static void say_not_judged(const struct output *o, double seconds)
{
	const struct finding_code *code;
	char names[256];
	struct format_text t = { .buf = names, .size = sizeof(names) };
	unsigned int most = 0;

	for (size_t i = 0; (code = finding_code_at(i)); i++) {
		unsigned int window = finding_code_window(code);

		if (window <= seconds || code->severity < o->config->check_from)
			continue;
		format_add(&t, "%s%s", most ? ", " : "", code->name);
		most = window > most ? window : most;
	}
	if (most)
		message("--check could not judge %s, which needs %u s of verdicts, because there "
			"were only %.1f s; count for longer (-n)",
			names, most, seconds);
}

static const struct finding *finding_of(const struct output *o, size_t row)
{
	const struct out_check *c = o->state;

	return o->timeline ? table_incident(&c->rows.table, &c->rows.table.row[row])
			   : &o->findings->finding[c->rows.table.row[row].item];
}

static int check_end(struct output *o, const struct snapshot *last, const char *reason)
{
	const struct out_check *c = o->state;

	if (!o->quiet && c->verdicts_ns)
		say_not_judged(o, ns_to_seconds(last->mono_ns - c->verdicts_ns));
	for (size_t i = 0; i < c->rows.table.n_rows; i++) {
		if (finding_of(o, i)->severity < o->config->check_from)
			continue;
		o->status = EXIT_FINDINGS;
		print_finding(o, finding_of(o, i));
	}
	return ferror(o->file) ? -EIO : 0;
}

const struct output_format output_check = {
	.name = "check",
	.begin = check_begin,
	.snapshot = check_snapshot,
	.end = check_end,
	.free = output_rows_free,
	.only_end = true,
};
