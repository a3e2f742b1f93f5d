// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/diff_rows.h"

#include <errno.h>
#include <math.h>
#include "base/array.h"
#include "model/target.h"
#include "schema/record_field.h"

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

void diff_text(const struct table *t, size_t row, enum column_id column, char *text)
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

void diff_rows_make(struct diff_rows *rows, struct diff_side sides[2],
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

void diff_rows_free(struct diff_rows *rows)
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

static int write_json(const struct diff_rows *rows, const struct diff_side sides[2], FILE *to)
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

int diff_rows_write(const struct diff_rows *rows, const struct diff_side sides[2],
		    const struct output_config *output, FILE *to)
{
	return output->format == &output_json ? write_json(rows, sides, to)
					      : write_text(rows, sides, to);
}
