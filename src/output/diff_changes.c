// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/diff_changes.h"

#include <errno.h>
#include <inttypes.h>
#include "base/format.h"
#include "model/event_log.h"
#include "output/diff_rows.h"
#include "schema/record_field.h"

#define LINES_MAX 20 /* of a span, as text */

enum { CHANGE, DEVICE, NETNS, PROGRAM, MAP, KEY, PROCESS, OLD, NEW, TEXTS };

static const enum column_id column_of[TEXTS] = {
	[CHANGE] = COL_CHANGE,   [DEVICE] = COL_DEVICE, [NETNS] = COL_NETNS,
	[PROGRAM] = COL_PROGRAM, [MAP] = COL_MAP,       [KEY] = COL_KEY,
	[PROCESS] = COL_PROCESS, [OLD] = COL_OLD,       [NEW] = COL_NEW,
};

struct diff_change {
	char side[8];
	struct timespec time;
	char text[TEXTS][DIFF_TEXT_LEN]; /* "" = none */
};

#define TEXT(n, i) ROW_FIELD_TEXT(n, struct diff_change, text[i])

/* clang-format off */
static const struct record_field change_fields[] = {
	FIELD_TYPE,
	ROW_FIELD_TEXT("side", struct diff_change, side),
	ROW_FIELD_TIME("time", struct diff_change, time),
	TEXT("change", CHANGE),
	TEXT("device", DEVICE),
	TEXT("netns", NETNS),
	TEXT("program", PROGRAM),
	TEXT("map", MAP),
	TEXT("key", KEY),
	TEXT("process", PROCESS),
	TEXT("old", OLD),
	TEXT("new", NEW),
};
/* clang-format on */

static const struct record_object change_object = RECORD_OBJECT("change", change_fields);

static void change_set(struct diff_change *c, const struct table *t, size_t row)
{
	c->time = table_event(t, &t->row[row])->time;
	for (int i = 0; i < TEXTS; i++)
		diff_text(t, row, column_of[i], c->text[i]);
}

static int write_json(const struct diff_change *c, struct output *out)
{
	struct record record;

	record_init_row(&record, &change_object);
	record.row = c;
	return output_write_json(out, &record);
}

static void write_line(const struct diff_change *c, FILE *to)
{
	char time[40];

	format_time(time, sizeof(time), &c->time);
	fprintf(to, "%s %-16s", time, c->text[CHANGE]);
	if (*c->text[DEVICE])
		fprintf(to, " %s", c->text[DEVICE]);
	if (*c->text[NETNS])
		fprintf(to, " (%s)", c->text[NETNS]);
	if (*c->text[MAP])
		fprintf(to, " %s[%s]", c->text[MAP], c->text[KEY]);
	fprintf(to, " %s -> %s", *c->text[OLD] ? c->text[OLD] : "none",
		*c->text[NEW] ? c->text[NEW] : "none");
	if (*c->text[PROCESS])
		fprintf(to, ", by %s", c->text[PROCESS]);
	fputc('\n', to);
}

static int write_side(const struct diff_side *d, bool after, const struct filter *filter,
		      struct output *out)
{
	struct table_options wanted = { .view = &views[VIEW_CHANGES],
					.filter = filter,
					.sort = -1,
					.netns = d->source->netns,
					.events = &d->events };
	bool json = out->config->format == &output_json;
	struct diff_change c = { .text = { "" } };
	struct table t = { 0 };
	int err = table_build(&t, &d->rates, &wanted);
	size_t listed = json || t.n_rows < LINES_MAX ? t.n_rows : LINES_MAX;
	uint64_t unknown = d->changes - (uint64_t)event_log_changes(&d->events);

	snprintf(c.side, sizeof(c.side), "%s", after ? "after" : "before");
	if (!err && !json && (t.n_rows || unknown))
		fprintf(out->file, "\n%s: changes in this span, newest first\n",
			after ? "AFTER" : "BEFORE");
	for (size_t i = 0; i < listed && !err; i++) {
		change_set(&c, &t, i);
		if (json)
			err = write_json(&c, out);
		else
			write_line(&c, out->file);
	}
	if (listed < t.n_rows)
		fprintf(out->file, "%zu earlier: -o json lists them\n", t.n_rows - listed);
	if (!json && unknown)
		fprintf(out->file, "%" PRIu64 " more were counted, but not recorded or kept\n",
			unknown);
	table_free(&t);
	return err ? err : ferror(out->file) ? -EIO : 0;
}

int diff_changes_write(const struct diff_side sides[2], const struct output_config *output,
		       FILE *to)
{
	struct output out = { .file = to, .config = output };
	struct filter *filter;
	int err = filter_parse(output->filter, &filter, NULL);

	for (int i = 0; i < 2 && !err; i++)
		err = write_side(&sides[i], i, filter, &out);
	filter_free(filter);
	output_json.free(&out);
	return err;
}
