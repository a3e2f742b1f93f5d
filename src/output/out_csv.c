// SPDX-License-Identifier: GPL-2.0-or-later
/* The sample rows of JSON Lines as CSV: RFC 4180, one header row. */
#include <errno.h>
#include <string.h>
#include "output/output.h"

/*
 * A spreadsheet runs a cell that begins with one of these characters as a formula, and any user
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

static int put_titles(struct output *o)
{
	const struct record_object *object = &record_objects[RECORD_SAMPLE];

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

static int csv_snapshot(struct output *o, const struct rates *r, bool last)
{
	return output_each_sample(o, r, last, put_row);
}

const struct output_format output_csv = {
	.name = "csv",
	.help = "the json samples as rows (RFC 4180)",
	.begin = put_titles,
	.snapshot = csv_snapshot,
	.of_view = true,
};
