// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/diff.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <inttypes.h>
#include "base/clock.h"
#include "base/error.h"
#include "output/diff_rows.h"
#include "recording/recording.h"
#include "recording/span.h"
#include "schema/record_field.h"

int diff_open(struct diff_side *d, const struct output_config *output, struct error *error)
{
	struct recording_config config = { .path = d->arg, .output = output->to, .batch = true };
	struct span span;
	int err = span_split(d->arg, &span, error);

	if (err)
		return err;
	memcpy(d->shown, span.shown, sizeof(d->shown));
	return recording_open(&d->source, &config, error);
}

void diff_close(struct diff_side *d)
{
	if (d->source)
		d->source->ops->close(d->source);
	snapshot_free(&d->first);
	snapshot_free(&d->last);
	rates_free(&d->rates);
	findings_free(&d->findings);
	event_log_free(&d->events);
}

/* The next snapshot, however long it takes. Returns what sample() returns. */
static int wait_sample(struct source *s, struct snapshot *to)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLIN };
	int err;

	while ((err = s->ops->sample(s, to)) == -EAGAIN) {
		fd.fd = s->fd;
		poll(&fd, 1, s->ops->due(s));
	}
	return err;
}

static void swap(struct snapshot *a, struct snapshot *b)
{
	struct snapshot other = *a;

	*a = *b;
	*b = other;
}

static int add_interval(struct diff_side *d, const struct snapshot *from, struct rates *rates,
			const struct snapshot *to)
{
	rates_set(rates, from, to, NULL);
	d->intervals++;
	event_log_take(&d->events, to);
	for (size_t i = 0; i < to->n_event; i++)
		if (to->event[i].change)
			d->changes += 1 + to->event[i].left_out;
	return findings_update(&d->findings, rates, d->source->netns);
}

/*
 * Reads from the last snapshot at or before FROM to the last at or before TO, where the source
 * ends, in the file's last run.
 */
static int read_span(struct diff_side *d)
{
	const int64_t from_ns = d->source->start_ns;
	struct snapshot now = { 0 };
	struct rates rates = { 0 };
	bool started = false;
	int err;

	while (!(err = wait_sample(d->source, &now))) {
		if (!started || now.gap || timespec_to_ns(&now.wall) <= from_ns) {
			swap(&d->first, &now);
			findings_free(&d->findings);
			event_log_clear(&d->events);
			d->intervals = d->changes = 0;
			started = true;
		} else {
			err = add_interval(d, d->intervals ? &d->last : &d->first, &rates, &now);
			swap(&d->last, &now);
		}
		if (err)
			break;
		snapshot_clear(&now);
	}
	if (err >= 0 && d->intervals)
		rates_set(&d->rates, &d->first, &d->last, NULL);
	rates_free(&rates);
	snapshot_free(&now);
	return err < 0 && err != -ENODATA ? err : 0;
}

/* Returns the exit code. */
static int read_side(struct diff_side *d)
{
	struct error error = { 0 };
	int err;

	if (recording_begin(d->source, &error))
		return error_print(&error);
	err = read_span(d);
	if (err) {
		message("%s: %s; the recording could not be read to its end", d->arg,
			strerror(-err));
		return EXIT_FILE;
	}
	if (d->intervals)
		return EXIT_DONE;
	message("%s: no interval between two snapshots; give another recording, or a longer span",
		d->arg);
	return EXIT_FILE;
}

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
		c.time = table_event(&t, &t.row[i])->time;
		for (int k = 0; k < TEXTS; k++)
			diff_text(&t, i, column_of[k], c.text[k]);
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

/* What changed within each of the two spans, newest first: at most 20 a span as text. 0 or -errno.
 */
static int write_changes(const struct diff_side sides[2], const struct output_config *output,
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

int diff_run(struct diff_side sides[2], struct sink *sink, const struct output_config *output)
{
	struct diff_rows rows = { 0 };
	int code = EXIT_DONE, err;

	for (int i = 0; i < 2 && !code; i++)
		code = read_side(&sides[i]);
	if (code)
		return code;
	diff_rows_make(&rows, sides, output);
	err = sink_begin(sink);
	if (!err)
		err = diff_rows_write(&rows, sides, output, sink->file);
	if (!err)
		err = write_changes(sides, output, sink->file);
	if (!err)
		err = sink_end(sink);
	if (sink->err)
		err = sink->err;
	if (!code && err && err != -EPIPE) {
		message("%s: %s; the output is missing or incomplete", sink->name,
			sink_why(sink, err));
		code = EXIT_FILE;
	}
	if (!code && rows.n)
		code = EXIT_FINDINGS;
	diff_rows_free(&rows);
	return code;
}
