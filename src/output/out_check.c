// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --check: prints one line per finding at the end of the run, and sets the exit status.
 * --check=nagios: prints one line about all of them, with performance data, and returns the status
 * of a monitoring plugin.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/exit_code.h"
#include "base/format.h"
#include "base/message.h"
#include "diagnose/finding_code.h"
#include "output/output.h"
#include "source/programs.h"
#include "table/filter.h"
#include "table/table.h"

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
	return output_rows_open(o, sizeof(struct out_check));
}

static int check_snapshot(struct output *o, const struct rates *r, bool last)
{
	struct table_options wanted =
		output_rows_options(o, &views[VIEW_FINDINGS], o->config->sort);
	struct out_check *c = o->state;

	if (!has_verdicts(r->to))
		c->verdicts_ns = 0;
	else if (!c->verdicts_ns)
		c->verdicts_ns = (r->from && has_verdicts(r->from) ? r->from : r->to)->mono_ns;
	return table_build(&c->rows.table, r, &wanted);
}

static void print_finding(FILE *to, const struct finding *f)
{
	char rate[16], total[24];

	format_rate(rate, sizeof(rate), f->loss.per_s, NUMBER_SI);
	format_count(total, sizeof(total), f->loss.total, NUMBER_RAW);
	fprintf(to, "%s %s: %s", finding_severity_name(f->severity), f->code->name, f->text);
	if (!isnan(f->loss.per_s))
		fprintf(to, " (%s lost/s now, %s since the start)", rate, total);
	fputc('\n', to);
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
		message("--check could not judge %s: that takes %u s of verdicts, and there were "
			"only %.1f s; count for longer (-n)",
			names, most, seconds);
}

static const struct finding *finding_of(const struct output *o, size_t row)
{
	const struct out_check *c = o->state;

	return &o->findings->finding[c->rows.table.row[row].item];
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
		print_finding(o->file, finding_of(o, i));
	}
	return ferror(o->file) ? -EIO : 0;
}

/* `|` begins the performance data, and the name of a device can contain one. */
static void print_without_bars(FILE *to, const char *text)
{
	for (size_t len; *text; text += len + !!text[len]) {
		len = strcspn(text, "|");
		fwrite(text, 1, len, to);
		if (text[len])
			fputs("\\x7c", to);
	}
}

static int nagios_end(struct output *o, const struct snapshot *last, const char *reason)
{
	static const char *const states[] = { "OK", "WARNING", "CRITICAL" };
	const struct out_check *c = o->state;
	const struct finding *worst = NULL;
	size_t n[FINDING_SEVERITIES] = { 0 };
	enum nagios_state state = NAGIOS_OK;
	double lost = 0;

	if (!o->quiet && c->verdicts_ns)
		say_not_judged(o, ns_to_seconds(last->mono_ns - c->verdicts_ns));
	for (size_t i = 0; i < c->rows.table.n_rows; i++) {
		const struct finding *f = finding_of(o, i);

		n[f->severity]++;
		lost += isnan(f->loss.per_s) ? 0 : f->loss.per_s;
		if (!worst || f->severity > worst->severity)
			worst = f;
	}
	if (worst && worst->severity > FINDING_INFO)
		state = worst->severity == FINDING_CRITICAL ? NAGIOS_CRITICAL : NAGIOS_WARNING;
	fprintf(o->file, "XDPTOP %s: ", states[state]);
	if (state == NAGIOS_OK) {
		fputs("no finding is a warning or worse", o->file);
	} else {
		fprintf(o->file, "%s: ", worst->code->name);
		print_without_bars(o->file, worst->text);
		if (c->rows.table.n_rows > 1)
			fprintf(o->file, "; %zu more", c->rows.table.n_rows - 1);
	}
	fprintf(o->file, " | critical=%zu warning=%zu info=%zu lost_per_s=%.1f\n",
		n[FINDING_CRITICAL], n[FINDING_WARNING], n[FINDING_INFO], lost);
	o->status = EXIT_NAGIOS + (int)state;
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

const struct output_format output_nagios = {
	.name = "nagios",
	.begin = check_begin,
	.snapshot = check_snapshot,
	.end = nagios_end,
	.free = output_rows_free,
	.only_end = true,
};
