// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows as CSV: RFC 4180, one header row. Views of series, and a run without -v, have the sample
 * rows of JSON Lines. Other views have their own rows, with the names of their columns.
 */
#include <errno.h>
#include <inttypes.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "output/output.h"

struct out_csv {
	struct output_rows rows;
	uint64_t *listed; /* findings of the last snapshot, with their severity: id_of() */
	size_t n_listed, cap_listed;
};

/*
 * A spreadsheet runs a cell that begins with any of these characters as a formula, and any user
 * with a network namespace can name an interface. Spreadsheets may strip leading blanks and quotes.
 */
static bool is_formula(const char *text)
{
	text += strspn(text, " \"");
	return *text && strchr("=+-@", *text);
}

static void put_text(FILE *to, const char *text)
{
	const char *quote = strpbrk(text, "\",\r\n") ? "\"" : "";

	fputs(quote, to);
	for (const char *c = text; *c; c++) {
		/* in many locales `;` ends a cell */
		if ((c == text || c[-1] == ';') && is_formula(c))
			fputc('\'', to);
		if (*c == '"')
			fputc('"', to);
		fputc(*c, to);
	}
	fputs(quote, to);
}

/* The view whose own rows are written; NULL = sample rows, as without -v. */
static const struct view *own_rows(const struct output *o)
{
	const struct view *view = &views[o->config->view];

	return view->rows == &rows_series || !o->config->view_given ? NULL : view;
}

/* Columns of CPUs come before the view's own. */
static int cpu_columns_of(const struct output *o, const struct view *view)
{
	return o->config->per_cpu && !view->rows->list ? CPU_COLUMNS : 0;
}

static enum column_id column_at(const struct view *view, int i)
{
	return i < 0 ? cpu_columns[CPU_COLUMNS + i] : view->column[i];
}

static int put_columns(struct output *o, const struct view *view)
{
	output_rows_open(o, sizeof(struct out_csv));
	fputs("seq,time", o->file);
	for (int i = -cpu_columns_of(o, view); i < view->n_columns; i++)
		if (column_at(view, i) != COL_TIME)
			fprintf(o->file, ",%s", columns[column_at(view, i)].name);
	fputs("\r\n", o->file);
	return ferror(o->file) ? -EIO : 0;
}

static int put_titles(struct output *o)
{
	const struct record_object *object = &record_objects[RECORD_SAMPLE];
	const struct view *view = own_rows(o);

	if (view)
		return put_columns(o, view);
	for (size_t i = 0; i < object->n_fields; i++)
		fprintf(o->file, "%s%s", i ? "," : "", object->fields[i].name);
	fputs("\r\n", o->file);
	return ferror(o->file) ? -EIO : 0;
}

static int put_row(struct output *o, const struct record *record)
{
	char buf[RECORD_NUMBER_LEN];
	struct record_value v;

	for (size_t i = 0; i < record->object->n_fields; i++) {
		record_get(&record->object->fields[i], record, &v);
		if (i)
			fputc(',', o->file);
		if (v.type == VALUE_TEXT)
			put_text(o->file, v.text);
		else
			fputs(record_text(&v, buf, sizeof(buf)), o->file);
	}
	fputs("\r\n", o->file);
	return ferror(o->file) ? -EIO : 0;
}

static void put_time(FILE *to, struct timespec time)
{
	char text[40];

	format_time(text, sizeof(text), &time);
	fputs(text, to);
}

static void put_cell(struct output *o, size_t row, enum column_id id)
{
	const struct output_rows *c = o->state;
	struct cell cell;

	/* the time is already in the second column */
	if (id == COL_TIME)
		return;
	fputc(',', o->file);
	table_cell(&c->table, row, id, &cell);
	if (cell.state != CELL_VALUE)
		return;
	/* not the short form of an unnamed namespace */
	if (cell.netns && *cell.text == '+')
		fprintf(o->file, "ns:%u", cell.netns);
	else if (id == COL_BEGIN || id == COL_END)
		put_time(o->file, ns_to_timespec((int64_t)cell.count));
	else if (cell.type == CELL_TEXT)
		put_text(o->file, cell.text);
	else if (cell.type == CELL_COUNT)
		fprintf(o->file, "%" PRIu64, cell.count);
	else
		fprintf(o->file, "%.10g", cell.real);
}

static uint64_t id_of(const struct table *t, const struct row *row)
{
	struct cell severity;

	table_cell(t, (size_t)(row - t->row), COL_SEVERITY, &severity);
	return hash_add_text(row->id, severity.text);
}

/* Whether a row of a log has been written. Events come only once; there are 256 findings at most.
 */
static bool is_listed(const struct out_csv *c, uint64_t id)
{
	size_t i = 0;

	while (i < c->n_listed && c->listed[i] != id)
		i++;
	return i < c->n_listed;
}

static void list_rows(struct out_csv *c)
{
	const struct table *t = &c->rows.table;

	c->n_listed = 0;
	for (size_t i = 0; i < t->n_rows && !table_event(t, &t->row[i]); i++)
		*array_append(c->listed, c->n_listed, c->cap_listed) = id_of(t, &t->row[i]);
}

static int put_rows(struct output *o, const struct rates *r, const struct view *view)
{
	const struct output_config *config = o->config;
	int sort = config->sort >= 0 ? config->sort : view->sort;
	struct table_options wanted = output_rows_options(o, view, sort);
	struct out_csv *c = o->state;
	struct table *t = &c->rows.table;
	char time[40];
	int err;

	wanted.all = config->all;
	wanted.per_cpu = config->per_cpu;
	err = table_build(t, r, &wanted);
	for (size_t i = 0; i < t->n_rows && !err; i++) {
		const size_t at = output_row(t, i);
		const struct event *event = table_event(t, &t->row[at]);

		if (rates_cancelled(r))
			return -ECANCELED;
		/* the rows of blocks are those of other views */
		if (t->row[at].block || t->row[at].more)
			continue;
		if (view->rows->log && !config->all && is_listed(c, id_of(t, &t->row[at])))
			continue;
		format_time(time, sizeof(time), event ? &event->time : &r->to->wall);
		fprintf(o->file, "%" PRIu64 ",%s", r->to->seq, time);
		for (int k = -cpu_columns_of(o, view); k < view->n_columns; k++)
			put_cell(o, at, column_at(view, k));
		fputs("\r\n", o->file);
		err = ferror(o->file) ? -EIO : 0;
	}
	if (view->rows->log && !err)
		list_rows(c);
	return err;
}

static int csv_snapshot(struct output *o, const struct rates *r, bool last)
{
	const struct view *view = own_rows(o);

	return view ? put_rows(o, r, view) : output_each_sample(o, r, last, put_row);
}

static void csv_free(struct output *o)
{
	if (o->state)
		free(((struct out_csv *)o->state)->listed);
	output_rows_free(o);
}

const struct output_format output_csv = {
	.name = "csv",
	.help = "RFC 4180: rows of the view given with -v, or else the same samples as json",
	.begin = put_titles,
	.snapshot = csv_snapshot,
	.of_view = true,
	.free = csv_free,
};
