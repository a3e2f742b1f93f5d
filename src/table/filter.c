// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "table/filter.h"
#include "base/array.h"
#include "base/sanitize.h"
#include "model/target.h"
#include "table/table.h"

/* Bits: which results of a comparison match. */
enum operator{ CONTAINS = 0, LESS = 1, EQUAL = 2, GREATER = 4 };

/* Longer ones first, or ">=5" would be ">" and "=5". */
static const struct {
	const char *text;
	unsigned int op;
} operators[] = {
	{ "!=", LESS | GREATER }, { ">=", GREATER | EQUAL }, { "<=", LESS | EQUAL },
	{ "=", EQUAL },           { ">", GREATER },          { "<", LESS },
};

#define N_OPERATORS (sizeof(operators) / sizeof(operators[0]))

const char filter_help[] =
	"  WORD            a cell contains it, in upper or lower case\n"
	"  FIELD=VALUE     the cell is VALUE; * = any text; FIELD!=VALUE: it is not\n"
	"  FIELD>NUMBER    also >=, <, <=; NUMBER takes k, M, G, T, an age s, m, h, d\n"
	"  \"TWO WORDS\"     quotes keep blanks and operators\n"
	"A blank means and. FIELD is a column, by name or title: --help columns.\n";

struct term {
	unsigned int op;
	enum column_id column; /* not for CONTAINS */
	char *text;            /* for CONTAINS a word, else a pattern for fnmatch(3) */
	double number;         /* of number columns */
};

struct filter {
	char *expr;
	struct term *term;
	size_t n_terms, cap_terms;
};

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_terms; i++)
		free(f->term[i].text);
	free(f->term);
	free(f->expr);
	free(f);
}

bool filter_changes(const struct filter *f)
{
	for (size_t i = 0; f && i < f->n_terms; i++)
		if (f->term[i].op != CONTAINS && columns[f->term[i].column].number &&
		    !columns[f->term[i].column].identity)
			return true;
	return false;
}

const char *filter_text(const struct filter *f)
{
	return f ? f->expr : "";
}

/* Find the factor of a suffix. In ages m is minutes, else millions. */
static bool suffix(const char *text, bool age, double *factor)
{
	static const struct {
		const char *text;
		bool age;
		double factor;
	} suffixes[] = {
		{ "", false, 1 },       { "k", false, 1e3 },
		{ "K", false, 1e3 },    { "m", false, 1e6 },
		{ "M", false, 1e6 },    { "g", false, 1e9 },
		{ "G", false, 1e9 },    { "T", false, 1e12 },
		{ "%", false, 1 },      { "", true, 1 },
		{ "s", true, 1 },       { "m", true, 60 },
		{ "h", true, 60 * 60 }, { "d", true, 24 * 60 * 60 },
	};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (suffixes[i].age == age && !strcmp(suffixes[i].text, text)) {
			*factor = suffixes[i].factor;
			return true;
		}
	}
	return false;
}

/* "12", "1.5k", "90s": less than strtod() takes. LC_NUMERIC is C, so the point is a point. */
static bool parse_number(const char *text, bool age, double *number)
{
	char *end;
	double n = strtod(text, &end), factor;

	if (end == text || end != text + strspn(text, "0123456789.") || !suffix(end, age, &factor))
		return false;
	*number = n * factor;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/*
 * Copy the next term of *expr into `term` without its quotes. *op is the first operator outside of
 * quotes, or NULL. Returns false when a quote is not closed.
 */
static bool next_term(const char **expr, char *term, const char **op)
{
	const char *s = *expr;
	bool quoted = false;

	*op = NULL;
	for (; *s && (quoted || !is_blank(*s)); s++) {
		if (*s == '"') {
			quoted = !quoted;
			continue;
		}
		if (!quoted && !*op && strchr("=<>", *s))
			*op = term;
		else if (!quoted && !*op && *s == '!' && s[1] == '=')
			*op = term;
		*term++ = *s;
	}
	*term = '\0';
	*expr = s;
	return !quoted;
}

/* Write `before` 'part' `after`; `remedy` to `why`. Returns -EINVAL. */
static int refuse(char *why, size_t why_size, const char *before, const char *part,
		  const char *after, const char *remedy)
{
	char shown[64];

	/* it may come from a script or a paste */
	sanitize(shown, sizeof(shown), part, strlen(part));
	snprintf(why, why_size, "%s'%s'%s; %s", before, shown, after, remedy);
	return -EINVAL;
}

/* Escape all special characters of fnmatch(3) except *. Returns NULL without memory. */
static char *escape_glob(const char *text)
{
	char *pattern = malloc(2 * strlen(text) + 1), *out = pattern;

	for (; pattern && *text; *out++ = *text++)
		if (strchr("?[\\", *text))
			*out++ = '\\';
	if (pattern)
		*out = '\0';
	return pattern;
}

static bool is_age(int column)
{
	return !strcmp(columns[column].unit, "s");
}

/* Parse FIELD, operator and value; text[at] is the operator. Returns 0, -EINVAL or -ENOMEM. */
static int parse_comparison(struct term *term, char *text, size_t at, char *why, size_t why_size)
{
	const char *value = text + at;
	char near[128], remedy[160];
	int column;

	for (size_t i = 0; i < N_OPERATORS; i++) {
		size_t len = strlen(operators[i].text);

		if (strncmp(text + at, operators[i].text, len))
			continue;
		term->op = operators[i].op;
		value += len;
		break;
	}
	text[at] = '\0';
	column = column_find(text);
	if (column < 0) {
		column_suggest(text, near, sizeof(near));
		snprintf(remedy, sizeof(remedy), "nearest: %s", near);
		return refuse(why, why_size, "no column ", text, "",
			      *near ? remedy : "a word with =, < or > in it needs \"quotes\"");
	}
	term->column = (enum column_id)column;
	if (!columns[column].number) {
		if (term->op != EQUAL && term->op != (LESS | GREATER))
			return refuse(why, why_size, "column ", text, " is text",
				      "compare it with = or !=");
	} else if (!parse_number(value, is_age(column), &term->number)) {
		snprintf(remedy, sizeof(remedy), "%s takes one like %s", columns[column].name,
			 is_age(column) ? "30, 90s, 5m, 2h, 1d" : "1500, 0.5, 10k, 2M");
		return refuse(why, why_size, "", value, " is no number", remedy);
	}
	term->text = escape_glob(value);
	return term->text ? 0 : -ENOMEM;
}

int filter_parse(const char *expr, struct filter **filter, char *why, size_t why_size)
{
	struct filter *f = NULL;
	char *text = NULL;
	int err = -ENOMEM;

	*filter = NULL;
	if (why_size)
		*why = '\0';
	while (is_blank(*expr))
		expr++;
	if (!*expr)
		return 0;
	f = calloc(1, sizeof(*f));
	text = malloc(strlen(expr) + 1);
	if (!f || !text)
		goto out;
	f->expr = strdup(expr);
	if (!f->expr)
		goto out;
	while (*expr) {
		struct term *term;
		const char *op;

		if (array_reserve(f->term, f->cap_terms, f->n_terms + 1))
			goto out;
		term = &f->term[f->n_terms];
		*term = (struct term){ .op = CONTAINS };
		if (!next_term(&expr, text, &op)) {
			err = refuse(why, why_size, "a quote is open in ", text, "",
				     "add one at the end");
			goto out;
		}
		while (is_blank(*expr))
			expr++;
		if (op) {
			err = parse_comparison(term, text, (size_t)(op - text), why, why_size);
			if (err)
				goto out;
			err = -ENOMEM;
		} else {
			if (!*text)
				continue; /* "" matches every cell */
			term->text = strdup(text);
			if (!term->text)
				goto out;
		}
		f->n_terms++;
	}
	err = 0;
	if (f->n_terms) {
		*filter = f;
		f = NULL;
	}
out:
	if (err == -ENOMEM)
		snprintf(why, why_size, "out of memory; a shorter filter needs less");
	free(text);
	filter_free(f);
	return err;
}

/* "ns:4026531840" in place of the short form. */
static const char *whole_text(const struct cell *cell, char buf[16])
{
	if (!cell->netns)
		return cell->text;
	netns_inode_text(cell->netns, buf, 16);
	return buf;
}

static bool compare(const struct term *term, const struct cell *cell)
{
	char inode[16];
	/* counts beyond 2^53 lose their last digits here; no threshold has that many */
	double n = cell->type == CELL_COUNT ? (double)cell->count : cell->real;

	if (cell->state != CELL_VALUE)
		return false;
	if (cell->type == CELL_TEXT)
		return (!fnmatch(term->text, cell->text, FNM_CASEFOLD) ||
			!fnmatch(term->text, whole_text(cell, inode), FNM_CASEFOLD)) ==
		       (term->op == EQUAL);
	return term->op & (n < term->number ? LESS : n > term->number ? GREATER : EQUAL);
}

static bool cell_contains(const struct table *t, size_t row, enum column_id column,
			  const char *word)
{
	char buf[SNAPSHOT_TEXT_LEN];
	struct cell cell;

	table_cell(t, row, column, &cell);
	if (cell.state == CELL_VALUE && cell.type == CELL_TEXT)
		return strcasestr(cell.text, word) || strcasestr(whole_text(&cell, buf), word);
	cell_text(&cell, buf, sizeof(buf), NUMBER_SI, false);
	return strcasestr(buf, word);
}

static bool row_contains(const struct table *t, size_t row, const char *word)
{
	const struct view *view = t->options.view;

	for (size_t i = 0; i < view->n_columns; i++)
		if (cell_contains(t, row, view->column[i], word))
			return true;
	return t->row[row].cpu >= 0 && cell_contains(t, row, COL_CPU, word);
}

bool filter_match(const struct filter *f, const struct table *t, size_t row)
{
	struct cell cell;

	for (size_t i = 0; f && i < f->n_terms; i++) {
		const struct term *term = &f->term[i];

		if (term->op == CONTAINS) {
			if (!row_contains(t, row, term->text))
				return false;
			continue;
		}
		table_cell(t, row, term->column, &cell);
		if (!compare(term, &cell))
			return false;
	}
	return true;
}
