// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <strings.h>
#include "table/filter.h"
#include "base/array.h"
#include "base/sanitize.h"
#include "model/target.h"
#include "table/table.h"

/* Bits: the comparison results for which a row matches. PART: the text contains VALUE. */
enum operator{ WORD = 0, LESS = 1, EQUAL = 2, GREATER = 4, PART = 8 };

/* Longer operators first, so that ">=5" is not parsed as ">" and "=5". */
static const struct {
	const char *text;
	unsigned int op;
} operators[] = {
	{ "!=", LESS | GREATER },
	{ "!~", PART | LESS | GREATER },
	{ ">=", GREATER | EQUAL },
	{ "<=", LESS | EQUAL },
	{ "=", EQUAL },
	{ "~", PART | EQUAL },
	{ ">", GREATER },
	{ "<", LESS },
};

#define N_OPERATORS (sizeof(operators) / sizeof(operators[0]))

const char filter_help[] =
	"  WORD, !WORD       a cell contains WORD, in upper or lower case; none does\n  "
	"FIELD=VALUE       the cell is VALUE; * = any text; FIELD!=VALUE: it is not\n  "
	"FIELD~PART        the cell contains PART; FIELD!~PART: it does not\n  FIELD>NUMBER      "
	"also >=, <, <=, =, !=; NUMBER in k, M, G, T, s, m, h, d\n  A|B               A or B "
	"matches; FIELD=A|B: FIELD is A or B\n  \"TWO WORDS\"       quotes keep blanks and "
	"operators\nA blank means and; | binds closer. FIELD is a column, by name or "
	"title:\n--help columns. ifname=eth0, target=lan0|lan1, lost_per_s > 10, !veth\n";

struct term {
	unsigned int op;
	bool negated;          /* !WORD */
	bool alternative;      /* an alternative to the previous term: either must match */
	enum column_id column; /* not for WORD */
	char *text;            /* for WORD and PART as given, else a pattern for fnmatch(3) */
	double number;         /* for number columns */
};

struct filter {
	char *shown; /* the expression, printable */
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
	free(f->shown);
	free(f);
}

/* Escape all special characters of fnmatch(3) except *. */
static char *escape_glob(const char *text)
{
	char *pattern = memory_new(2 * strlen(text) + 1, 1), *out = pattern;

	for (; *text; *out++ = *text++)
		if (strchr("?[\\", *text))
			*out++ = '\\';
	return pattern;
}

bool filter_changes(const struct filter *f)
{
	for (size_t i = 0; f && i < f->n_terms; i++)
		if (f->term[i].op != WORD && columns[f->term[i].column].number &&
		    !columns[f->term[i].column].identity)
			return true;
	return false;
}

bool filter_term(const struct filter *f, size_t i, struct filter_term *term)
{
	const struct term *from;
	size_t len = 0;

	if (!f || i >= f->n_terms)
		return false;
	from = &f->term[i];
	*term = (struct filter_term){
		.column = from->op == WORD ? COLUMN_COUNT : from->column,
		.equals = (from->op == WORD || from->op == EQUAL) && !from->negated,
		.alternative = from->alternative,
		.number = from->number,
	};
	/* undo escape_glob() */
	for (const char *s = from->text; *s && len < sizeof(term->text) - 1; s++) {
		if (from->op != WORD && *s == '\\' && s[1])
			s++;
		term->text[len++] = *s;
	}
	return true;
}

bool filter_skips(const struct view *view, enum column_id column)
{
	for (size_t i = 0; i < view->n_columns; i++)
		if (view->column[i] == column)
			return false;
	return view->always && !columns[column].number;
}

void filter_compare_words(struct filter *f, enum column_id column)
{
	for (size_t i = 0; f && i < f->n_terms; i++) {
		struct term *term = &f->term[i];
		char *text = term->text;

		if (term->op != WORD)
			continue;
		*term = (struct term){ .op = EQUAL,
				       .negated = term->negated,
				       .alternative = term->alternative,
				       .column = column,
				       .text = escape_glob(text) };
		free(text);
	}
}

bool filter_device(const struct filter *f, struct filter_term *term)
{
	for (size_t i = 0; filter_term(f, i, term); i++)
		if (term->column == COL_DEVICE && term->equals && !strchr(term->text, '*'))
			return true;
	return false;
}

const char *filter_text(const struct filter *f)
{
	return f ? f->shown : "";
}

/* Find the factor of a suffix. m means minutes in ages, else millions. */
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

/* "12", "1.5k", "90s": a subset of strtod(). LC_NUMERIC is C, so the decimal point is a point. */
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

static const char *skip_blanks(const char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

/* Index of the operator at the start of text; N_OPERATORS = none. */
static size_t find_operator(const char *text)
{
	size_t i = 0;

	while (i < N_OPERATORS && strncmp(text, operators[i].text, strlen(operators[i].text)) != 0)
		i++;
	return i;
}

/* A part of a term, without quotes. */
struct part {
	const char *from; /* the rest of the expression */
	char *to;         /* end of the copy */
	bool quoted;      /* it had quotes */
};

/*
 * Copy up to a blank, `|` or the end, or with `op` up to an operator, all outside quotes. False = a
 * quote is not closed.
 */
static bool copy_part(struct part *p, bool op)
{
	bool quote = false;

	for (; *p->from; p->from++) {
		if (!quote && (is_blank(*p->from) || *p->from == '|' ||
			       (op && find_operator(p->from) < N_OPERATORS)))
			break;
		if (*p->from == '"') {
			quote = !quote;
			p->quoted = true;
			continue;
		}
		*p->to++ = *p->from;
	}
	*p->to = '\0';
	return !quote;
}

/*
 * Copy the next term: its WORD or FIELD to text, its VALUE to *value (NULL for a word), the index
 * of its operator to *op. Blanks may surround the operator. False = a quote is not closed.
 */
static bool next_term(const char **expr, char *text, const char **value, size_t *op, bool *quoted)
{
	struct part p = { .from = *expr, .to = text };
	bool closed = copy_part(&p, true);

	*value = NULL;
	*op = find_operator(skip_blanks(p.from));
	if (closed && *op < N_OPERATORS) {
		p.from = skip_blanks(skip_blanks(p.from) + strlen(operators[*op].text));
		p.quoted = false;
		*value = ++p.to;
		closed = copy_part(&p, false);
	}
	*expr = p.from;
	*quoted = p.quoted;
	return closed;
}

/* The message is `before` 'part' `after`; `remedy`. Returns -EINVAL. */
static int term_refuse(struct error *error, const char *before, const char *part, const char *after,
		       const char *remedy)
{
	char shown[64];

	/* the part may come from a script or a paste */
	sanitize(shown, sizeof(shown), part, strlen(part));
	return error_set(error, -EINVAL, "%s'%s'%s; %s", before, shown, after, remedy);
}

static bool is_age(int column)
{
	return !strcmp(columns[column].unit, "s");
}

/* Set column and value of a term whose operator is set. 0 or -EINVAL. */
static int parse_comparison(struct term *term, const char *field, int column, const char *value,
			    bool quoted, struct error *error)
{
	char near[128], remedy[160];

	if (column < 0) {
		column_suggest(field, near, sizeof(near));
		snprintf(remedy, sizeof(remedy), "nearest: %s", near);
		return term_refuse(error, "no column ", field, "",
				   *near ? remedy
					 : "a word with =, <, > or ~ in it needs \"quotes\"");
	}
	term->column = (enum column_id)column;
	if (!columns[column].number) {
		if (!(term->op & LESS) != !(term->op & GREATER))
			return term_refuse(error, "column ", field, " is text",
					   "compare it with =, != or ~");
		if (!*value && !quoted)
			return term_refuse(error, "no value for ", field, "",
					   "give one, or * for any");
	} else if (term->op & PART) {
		return term_refuse(error, "column ", field, " is a number",
				   "compare it with =, !=, < or >");
	} else if (!parse_number(value, is_age(column), &term->number)) {
		snprintf(remedy, sizeof(remedy), "%s takes one like %s", columns[column].name,
			 is_age(column) ? "30, 90s, 5m, 2h, 1d" : "1500, 0.5, 10k, 2M");
		return term_refuse(error, "", value, " is not a number", remedy);
	}
	term->text = term->op & PART ? memory_text(value) : escape_glob(value);
	return 0;
}

/* Whether a value directly after `|` belongs to the previous field: FIELD=A|B. */
static bool takes_field(const struct term *before, const struct term *term, bool adjacent)
{
	return adjacent && before && before->op != WORD && before->op & EQUAL &&
	       !(before->op & (LESS | GREATER)) && !term->negated;
}

/*
 * Parse the term at *expr. `before` is the term it is an alternative to, NULL = none; `adjacent` =
 * no blank separates them.
 */
static int parse_term(const char **expr, const struct term *before, bool adjacent,
		      struct term *term, char *text, struct error *error)
{
	const char *value, *from = *expr;
	bool quoted;
	size_t op;

	*term = (struct term){ .op = WORD, .alternative = before };
	for (; *from == '!' && find_operator(from) == N_OPERATORS; from++)
		term->negated = !term->negated;
	*expr = from;
	if (!next_term(expr, text, &value, &op, &quoted))
		return term_refuse(error, "a quote is open in ", value ? value : text, "",
				   "add one at the end");
	if (value) {
		term->op = operators[op].op;
		return parse_comparison(term, text, column_find(text), value, quoted, error);
	}
	if (!*text && !quoted)
		return term_refuse(error, "a term is missing before ", *from ? from : "the end", "",
				   "add the term; to search for | or !, put it in \"quotes\"");
	if (adjacent && before && before->op == (LESS | GREATER))
		return term_refuse(error, "!= with alternatives always matches: |", text, "",
				   "give each value its own FIELD!=, separated by blanks");
	if (takes_field(before, term, adjacent)) {
		term->op = before->op;
		return parse_comparison(term, columns[before->column].name, (int)before->column,
					text, quoted, error);
	}
	term->text = memory_text(text);
	return 0;
}

int filter_parse(const char *expr, struct filter **filter, struct error *error)
{
	struct filter *f;
	char *text;
	bool adjacent = false, or = false;
	size_t len;
	int err;

	*filter = NULL;
	if (error)
		error->text[0] = '\0';
	expr = skip_blanks(expr);
	if (!*expr)
		return 0;
	len = strlen(expr);
	f = memory_new(1, sizeof(*f));
	/* a field and its value each end with a NUL */
	text = memory_new(len + 2, 1);
	f->shown = memory_new(4 * len + 1, 1);
	sanitize_text(f->shown, 4 * len + 1, expr, len);
	do {
		const struct term *before;

		array_reserve(f->term, f->cap_terms, f->n_terms + 1);
		before = or &&f->n_terms ? &f->term[f->n_terms - 1] : NULL;
		err = parse_term(&expr, before, adjacent, &f->term[f->n_terms], text, error);
		/* on an error count the term too, so that its text is freed */
		f->n_terms += !err || f->term[f->n_terms].text;
		if (err)
			goto out;
		adjacent = *expr == '|';
		expr = skip_blanks(expr);
		or = *expr == '|';
		if (or) {
			adjacent = adjacent && !is_blank(expr[1]);
			expr = skip_blanks(expr + 1);
		}
	} while (*expr || or);
	*filter = f;
	f = NULL;
out:
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

/*
 * Whether the text, or its part before the namespace or the slash, matches: "lan0 (blue)" also as
 * lan0, queue "2/4" also as 2.
 */
static bool is_text(const char *pattern, const char *text)
{
	const char *end = strstr(text, " (");
	size_t digits = strspn(text, "0123456789");
	char name[SNAPSHOT_TEXT_LEN];

	if (!fnmatch(pattern, text, FNM_CASEFOLD))
		return true;
	if (digits && text[digits] == '/')
		end = text + digits;
	else if (!end || text[strlen(text) - 1] != ')')
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(end - text), text);
	return !fnmatch(pattern, name, FNM_CASEFOLD);
}

/* Whether a word of a list such as "eth0, eth1" matches. */
static bool has_word(const char *pattern, const char *text)
{
	char word[SNAPSHOT_NAME_LEN];
	size_t len;

	for (; (len = strcspn(text, " ")) > 1 && text[len] && text[len - 1] == ',';
	     text += len + 1) {
		snprintf(word, sizeof(word), "%.*s", (int)len - 1, text);
		if (!fnmatch(pattern, word, FNM_CASEFOLD))
			return true;
	}
	return !fnmatch(pattern, text, FNM_CASEFOLD);
}

/* The cell also matches if its full text `whole` does. */
static bool matches_text(const struct term *term, const char *text, const char *whole)
{
	if (term->op & PART)
		return strcasestr(text, term->text) || strcasestr(whole, term->text);
	return is_text(term->text, text) || is_text(term->text, whole) ||
	       has_word(term->text, text);
}

static bool term_compare(const struct term *term, const struct cell *cell)
{
	char inode[16];
	/* counts above 2^53 lose digits, but no threshold is that precise */
	double n = cell->type == CELL_COUNT ? (double)cell->count : cell->real;

	if (cell->state != CELL_VALUE)
		return false;
	if (cell->type == CELL_TEXT)
		return matches_text(term, cell->text, whole_text(cell, inode)) ==
		       !!(term->op & EQUAL);
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

static bool term_matches(const struct term *term, const struct table *t, size_t row)
{
	struct cell cell;

	if (term->op == WORD)
		return row_contains(t, row, term->text) != term->negated;
	if (filter_skips(t->options.view, term->column))
		return true;
	table_cell(t, row, term->column, &cell);
	return term_compare(term, &cell) != term->negated;
}

bool filter_match(const struct filter *f, const struct table *t, size_t row)
{
	bool matches = true;

	/* alternatives are adjacent */
	for (size_t i = 0; f && i < f->n_terms; i++) {
		if (f->term[i].alternative)
			matches = matches || term_matches(&f->term[i], t, row);
		else if (matches)
			matches = term_matches(&f->term[i], t, row);
		else
			return false;
	}
	return matches;
}

bool filter_is_field(const char *expr)
{
	const char *end = expr + strlen(expr), *word;
	size_t len;

	/* blanks may precede an operator */
	while (end > expr && is_blank(end[-1]))
		end--;
	for (word = end; word > expr && !strchr(" \t|!\"", word[-1]);)
		word--;
	len = (size_t)(end - word);
	for (size_t i = 0; len && i < COLUMN_COUNT; i++)
		if (!strncasecmp(columns[i].name, word, len) ||
		    !strncasecmp(columns[i].title, word, len))
			return true;
	return false;
}
