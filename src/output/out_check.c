// SPDX-License-Identifier: GPL-2.0-or-later
/* --check: at the end of the run one line for each finding, and the exit status of it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/format.h"
#include "output/output.h"
#include "table/filter.h"
#include "table/table.h"

struct out_check {
	struct table table; /* of the last snapshot; a finding that has cleared stays in it */
	struct filter *filter;
};

static int check_begin(struct output *o)
{
	struct out_check *c = calloc(1, sizeof(*c));

	o->state = c;
	/* the expression parses: only memory can be short */
	return c ? filter_parse(o->config->filter, &c->filter, NULL, 0) : -ENOMEM;
}

static int check_snapshot(struct output *o, const struct rates *r, bool last)
{
	const struct output_config *config = o->config;
	struct out_check *c = o->state;
	struct table_options wanted = {
		.view = &views[VIEW_FINDINGS],
		.filter = c->filter,
		.netns = o->netns,
		.findings = o->findings,
		.sort = config->sort,
		.descending = config->sort_descending >= 0
				      ? config->sort_descending
				      : config->sort >= 0 && columns[config->sort].descending,
		.unit = UNIT_PER_SECOND,
	};

	return table_build(&c->table, r, &wanted);
}

static void print_finding(FILE *to, const struct finding *f)
{
	char rate[16], total[24];

	format_rate(rate, sizeof(rate), f->lost_per_s, NUMBER_SI);
	format_count(total, sizeof(total), f->total, NUMBER_RAW);
	fprintf(to, "%s %s: %s", finding_severity_name(f->severity), f->code->name, f->text);
	if (!isnan(f->lost_per_s))
		fprintf(to, " (%s lost/s now, %s since the start)", rate, total);
	fputc('\n', to);
}

static int check_end(struct output *o, const struct snapshot *last, const char *reason)
{
	const struct out_check *c = o->state;

	for (size_t i = 0; i < c->table.n_rows; i++) {
		const struct finding *f = &o->findings->finding[c->table.row[i].item];

		if (f->severity < o->config->check_from)
			continue;
		o->found = true;
		print_finding(o->file, f);
	}
	return ferror(o->file) ? -EIO : 0;
}

static void check_free(struct output *o)
{
	struct out_check *c = o->state;

	if (!c)
		return;
	table_free(&c->table);
	filter_free(c->filter);
	free(c);
	o->state = NULL;
}

const struct output_format output_check = {
	.name = "check",
	.begin = check_begin,
	.snapshot = check_snapshot,
	.end = check_end,
	.free = check_free,
	.only_end = true,
};
