// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/diff.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include "base/array.h"
#include "base/clock.h"
#include "model/target.h"
#include "recording/recording.h"
#include "recording/span.h"
#include "schema/record_field.h"

#define DIFF_TEXT_LEN 160

enum diff_key {
	DIFF_FINDING,
	DIFF_TRACEPOINT,
	DIFF_DEVICE,
	DIFF_NETNS,
	DIFF_TARGET,
	DIFF_PROGRAM,
	DIFF_ERROR,
	DIFF_KEYS
};

struct diff_row {
	const char *kind, *change;          /* "flow"; "new", "gone", "changed" */
	char key[DIFF_KEYS][DIFF_TEXT_LEN]; /* "" = none */
	const char *field;                  /* compared field, a rate or a text; "" = neither */
	double before, after;               /* rates; NAN = none */
	char text_before[DIFF_TEXT_LEN], text_after[DIFF_TEXT_LEN];
};

struct diff_rows {
	struct diff_row *row;
	size_t n, cap;
};

#define COLUMNS 5
/* A rate has changed if it differs by this share of the larger one, and by more than chance. */
#define CHANGED_SHARE 0.2
#define CHANCE        3 /* standard deviations of the counts */

/* Columns compared in a view. 0 ends them. */
static const struct kind {
	const char *name;
	enum view_id view;
	bool texts; /* columns are compared as texts, in rows that both sides have; else as rates */
	enum column_id key[DIFF_KEYS], column[COLUMNS];
} kinds[] = {
	{ .name = "finding",
	  .view = VIEW_FINDINGS,
	  .key = { COL_FINDING, COL_TRACEPOINT, COL_DEVICE, COL_NETNS, COL_TARGET, COL_PROGRAM },
	  .column = { COL_COUNT } },
	{ .name = "flow",
	  .view = VIEW_FLOWS,
	  .key = { 0, 0, COL_DEVICE, COL_NETNS, COL_TARGET },
	  .column = { COL_LOST_RATE, COL_QUEUED_RATE, COL_PACKETS_RATE } },
	{ .name = "error",
	  .view = VIEW_ERRORS,
	  .key = { 0, COL_TRACEPOINT, COL_DEVICE, COL_NETNS, COL_TARGET, COL_PROGRAM, COL_ERROR },
	  .column = { COL_ERRORS_RATE } },
	{ .name = "device",
	  .view = VIEW_DEVICES,
	  .texts = true,
	  .key = { 0, 0, COL_DEVICE, COL_NETNS },
	  .column = { COL_LINK, COL_MODE, COL_PROGRAM, COL_MTU, COL_FEATURES } },
};

_Static_assert(COL_KEY == 0, "no compared column");

struct entry {
	char key[DIFF_KEYS][DIFF_TEXT_LEN];
	double rate[COLUMNS]; /* NAN = unknown */
	char text[COLUMNS][DIFF_TEXT_LEN];
};

struct entries {
	struct entry *entry;
	size_t n, cap;
};

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = 0;

	for (int i = 0; i < DIFF_KEYS && !order; i++)
		order = strcmp(x->key[i], y->key[i]);
	return order;
}

static bool is_there(const struct kind *k, const struct entry *e)
{
	bool there = k->texts;

	for (int i = 0; i < COLUMNS; i++)
		there |= e->rate[i] > 0;
	return there;
}

/* Prints a cell to DIFF_TEXT_LEN bytes; "" = it has no value. */
static void diff_text(const struct table *t, size_t row, enum column_id column, char *text)
{
	struct cell cell;

	table_cell(t, row, column, &cell);
	text[0] = '\0';
	/* not the short form of an unnamed namespace */
	if (cell.state == CELL_VALUE && cell.netns && *cell.text == '+')
		netns_inode_text(cell.netns, text, DIFF_TEXT_LEN);
	else if (cell.state == CELL_VALUE)
		cell_text(&cell, text, DIFF_TEXT_LEN, NUMBER_RAW, false);
}

static double get_rate(const struct table *t, size_t row, enum column_id column)
{
	struct cell cell;

	table_cell(t, row, column, &cell);
	if (cell.state != CELL_VALUE)
		return NAN;
	return cell.type == CELL_COUNT ? per_second((double)cell.count, t->rates->seconds)
				       : cell.real;
}

/*
 * Sorts, and adds up rows with the same name, because a device that was created again is the same.
 */
static void entries_sort(struct entries *to)
{
	size_t n = 0;

	array_sort(to->entry, to->n, sizeof(*to->entry), by_key);
	for (size_t i = 0; i < to->n; i++) {
		struct entry *e = &to->entry[i], *same = n ? &to->entry[n - 1] : NULL;

		if (!same || by_key(same, e))
			to->entry[n++] = *e;
		else
			for (int j = 0; j < COLUMNS; j++)
				same->rate[j] = isnan(same->rate[j])
							? e->rate[j]
							: same->rate[j] + fmax(e->rate[j], 0);
	}
	to->n = n;
}

static void collect(struct entries *to, const struct kind *k, const struct diff_side *d,
		    const struct filter *filter)
{
	struct table_options wanted = { .view = &views[k->view],
					.filter = filter,
					.sort = -1,
					.netns = d->source->netns,
					.findings = &d->findings };
	struct table t = { 0 };

	table_build(&t, &d->rates, &wanted);
	for (size_t i = 0; i < t.n_rows; i++) {
		const struct netdev *dev =
			snapshot_find_netdev(t.rates->to, t.row[i].netns, t.row[i].ifindex);
		struct entry *e;

		if (k->view == VIEW_DEVICES && dev && dev->gone)
			continue;
		e = array_append(to->entry, to->n, to->cap);
		for (int j = 0; j < DIFF_KEYS; j++)
			if (k->key[j])
				diff_text(&t, i, k->key[j], e->key[j]);
		for (int j = 0; j < COLUMNS && k->column[j]; j++) {
			e->rate[j] = k->texts ? NAN : get_rate(&t, i, k->column[j]);
			if (k->texts)
				diff_text(&t, i, k->column[j], e->text[j]);
		}
		to->n -= !is_there(k, e);
	}
	table_free(&t);
	entries_sort(to);
}

/* `before` and `after` are counts divided by seconds[0] and seconds[1]. */
static bool has_changed(double before, double after, const double seconds[2])
{
	double by = fabs(after - before), chance = sqrt(before / seconds[0] + after / seconds[1]);

	return by > CHANGED_SHARE * fmax(before, after) && by > CHANCE * chance;
}

/* Whether column i of the row has changed. The sides a and b are as in entries_compare(). */
static bool differs(const struct kind *k, const struct entry *a, const struct entry *b, int i,
		    const double seconds[2])
{
	if (!a || !b)
		return k->texts || (a ? a : b)->rate[i] > 0;
	return k->texts ? strcmp(a->text[i], b->text[i]) != 0
			: has_changed(a->rate[i], b->rate[i], seconds);
}

/* A row of both sides; NULL = it is new or gone. */
static void entries_compare(struct diff_rows *rows, const struct kind *k, const struct entry *a,
			    const struct entry *b, const double seconds[2])
{
	for (int i = 0; i < COLUMNS && k->column[i]; i++) {
		/* a finding's count has its own start */
		const char *field =
			k->column[i] == COL_COUNT ? "count_per_s" : columns[k->column[i]].name;
		struct diff_row *row;

		if (!differs(k, a, b, i, seconds))
			continue;
		row = array_append(rows->row, rows->n, rows->cap);
		row->kind = k->name;
		row->change = !a ? "new" : !b ? "gone" : "changed";
		row->before = a ? a->rate[i] : NAN;
		row->after = b ? b->rate[i] : NAN;
		memcpy(row->key, (a ? a : b)->key, sizeof(row->key));
		row->field = k->texts && !(a && b) ? "" : field;
		/* a new or gone row is listed once: with its losses, else with its packets */
		if (!a || !b)
			break;
		memcpy(row->text_before, a->text[i], sizeof(row->text_before));
		memcpy(row->text_after, b->text[i], sizeof(row->text_after));
	}
}

/* Both sides are sorted. */
static void compare_kind(struct diff_rows *rows, const struct kind *k, const struct entries side[2],
			 const double seconds[2])
{
	size_t i = 0, j = 0;

	while (i < side[0].n || j < side[1].n) {
		const struct entry *a = i < side[0].n ? &side[0].entry[i] : NULL;
		const struct entry *b = j < side[1].n ? &side[1].entry[j] : NULL;
		int order = !a ? 1 : !b ? -1 : by_key(a, b);

		a = order > 0 ? NULL : a;
		b = order < 0 ? NULL : b;
		i += !!a;
		j += !!b;
		entries_compare(rows, k, a, b, seconds);
	}
}

static double weight(const struct diff_row *r)
{
	return fabs((isnan(r->after) ? 0 : r->after) - (isnan(r->before) ? 0 : r->before));
}

static int by_weight(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	int order = (weight(x) < weight(y)) - (weight(x) > weight(y));

	for (int i = 0; i < DIFF_KEYS && !order; i++)
		order = strcmp(x->key[i], y->key[i]);
	return order ? order : strcmp(x->field, y->field);
}

/* The differences by kind, largest first. */
static void diff_rows_make(struct diff_rows *rows, struct diff_side sides[2],
			   const struct output_config *output)
{
	const double seconds[2] = { sides[0].rates.seconds, sides[1].rates.seconds };
	struct filter *filter = NULL;

	/* the expression was checked before */
	filter_parse(output->filter, &filter, NULL);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct entries side[2] = { 0 };
		size_t first = rows->n;

		for (int i = 0; i < 2; i++)
			collect(&side[i], &kinds[k], &sides[i], filter);
		compare_kind(rows, &kinds[k], side, seconds);
		free(side[0].entry);
		free(side[1].entry);
		if (rows->n > first)
			array_sort(rows->row + first, rows->n - first, sizeof(*rows->row),
				   by_weight);
	}
	filter_free(filter);
}

static void diff_rows_free(struct diff_rows *rows)
{
	free(rows->row);
	memset(rows, 0, sizeof(*rows));
}

GET_TEXT(get_word, *(const char *const *)field_member(f, r))

#define ROW_WORD(m)   FIELD(#m, TEXT, 0, get_word, NULL, ROW_MEMBER(struct diff_row, m))
#define ROW_RATE(m)   FIELD(#m, REAL, 0, field_get_real, NULL, ROW_MEMBER(struct diff_row, m))
#define ROW_KEY(n, i) ROW_FIELD_TEXT(n, struct diff_row, key[i])

/* clang-format off */
static const struct record_field diff_fields[] = {
	FIELD_TYPE,
	ROW_WORD(kind),
	ROW_WORD(change),
	ROW_KEY("finding", DIFF_FINDING),
	ROW_KEY("tracepoint", DIFF_TRACEPOINT),
	ROW_KEY("device", DIFF_DEVICE),
	ROW_KEY("netns", DIFF_NETNS),
	ROW_KEY("target", DIFF_TARGET),
	ROW_KEY("program", DIFF_PROGRAM),
	ROW_KEY("error", DIFF_ERROR),
	ROW_WORD(field),
	ROW_RATE(before),
	ROW_RATE(after),
	ROW_FIELD_TEXT("text_before", struct diff_row, text_before),
	ROW_FIELD_TEXT("text_after", struct diff_row, text_after),
};

static const struct record_field span_fields[] = {
	FIELD_TYPE,
	FIELD_TEXT("side", 0, reason),
	ROW_FIELD_TEXT("file", struct diff_side, shown),
	FIELD_TEXT("hostname", 0, host.hostname),
	ROW_FIELD_TIME("from", struct diff_side, first.wall),
	ROW_FIELD_TIME("to", struct diff_side, last.wall),
	FIELD("seconds", REAL, 0, field_get_real, NULL, ROW_MEMBER(struct diff_side, rates.seconds)),
	ROW_FIELD_COUNT("intervals", struct diff_side, intervals),
	ROW_FIELD_COUNT("changes", struct diff_side, changes),
};
/* clang-format on */

static const struct record_object diff_object = RECORD_OBJECT("diff", diff_fields);
static const struct record_object span_object = RECORD_OBJECT("span", span_fields);

static int write_rows(const struct diff_rows *rows, const struct diff_side sides[2], FILE *to)
{
	struct output out = { .file = to };
	struct record record;
	int err = 0;

	record_init_row(&record, &span_object);
	for (int i = 0; i < 2 && !err; i++) {
		record.row = &sides[i];
		record.host = sides[i].source->host;
		snprintf(record.reason, sizeof(record.reason), "%s", i ? "after" : "before");
		err = output_write_json(&out, &record);
	}
	record_init_row(&record, &diff_object);
	for (size_t i = 0; i < rows->n && !err; i++) {
		record.row = &rows->row[i];
		err = output_write_json(&out, &record);
	}
	output_json.free(&out);
	return err;
}

static void rate_text(char *buf, size_t size, double rate, const char *text)
{
	if (isnan(rate))
		snprintf(buf, size, "%s", *text ? text : "-");
	else
		format_rate(buf, size, rate, NUMBER_SI);
}

static const char *const shown[DIFF_KEYS] = {
	[DIFF_FINDING] = " %s", [DIFF_TRACEPOINT] = " %s", [DIFF_DEVICE] = " %s",
	[DIFF_NETNS] = " (%s)", [DIFF_TARGET] = " -> %s",  [DIFF_PROGRAM] = " %s",
	[DIFF_ERROR] = " %s",
};

static int write_text(const struct diff_rows *rows, const struct diff_side sides[2], FILE *to)
{
	for (int i = 0; i < 2; i++) {
		char from[32], until[32];

		format_time(from, sizeof(from), &sides[i].first.wall);
		format_time(until, sizeof(until), &sides[i].last.wall);
		fprintf(to, "%s %s: %s to %s, %.3g s\n", i ? "AFTER " : "BEFORE", sides[i].shown,
			from, until, sides[i].rates.seconds);
	}
	fprintf(to, rows->n ? "\n%-8s%-8s%-14s%10s%10s  %s\n" : "\nno differences\n", "CHANGE",
		"KIND", "FIELD", "BEFORE", "AFTER", "WHAT");
	for (size_t i = 0; i < rows->n; i++) {
		const struct diff_row *r = &rows->row[i];
		char before[DIFF_TEXT_LEN], after[DIFF_TEXT_LEN];

		rate_text(before, sizeof(before), r->before, r->text_before);
		rate_text(after, sizeof(after), r->after, r->text_after);
		fprintf(to, "%-8s%-8s%-14s%10s%10s ", r->change, r->kind,
			*r->field ? r->field : "-", before, after);
		for (int j = 0; j < DIFF_KEYS; j++)
			if (r->key[j][0])
				fprintf(to, shown[j], r->key[j]);
		fputc('\n', to);
	}
	return ferror(to) ? -EIO : 0;
}

/* Writes text or JSON Lines. 0 or -errno. */
static int diff_rows_write(const struct diff_rows *rows, const struct diff_side sides[2],
			   const struct output_config *output, FILE *to)
{
	return output->format == &output_json ? write_rows(rows, sides, to)
					      : write_text(rows, sides, to);
}

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

static int write_change(const struct diff_change *c, struct output *out)
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
			err = write_change(&c, out);
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
