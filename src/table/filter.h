/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter language. WORD matches rows in which a cell contains it, !WORD all others, both
 * ignoring case. FIELD=VALUE compares the whole cell, or its part before a namespace in
 * parentheses, ignoring case; `*` matches any text. In a number column VALUE is a number. Also
 * FIELD!=VALUE, FIELD~PART, FIELD!~PART, FIELD>NUMBER, >=, <, <=. Numbers take the suffixes k, M,
 * G, T, ages s, m, h, d. Blanks may surround an operator. All terms must match. If terms are joined
 * by `|`, one of them must match. A value alone after FIELD=VALUE| belongs to the same field.
 * "Quotes" protect blanks and operators. FIELD is a column's name or title (src/table/columns.def).
 * A cell without a value matches no comparison, not even !=.
 */
#pragma once

#include "base/error.h"
#include "table/view.h"

struct filter;
struct table;

/* A short description for users. */
extern const char filter_help[];

/* Size of buffers for an expression, including its NUL. */
#define FILTER_SIZE 1024

/*
 * Parse an expression into *f, to be freed by filter_free(); NULL, which matches everything, if it
 * is blank. 0, or -EINVAL with *f NULL and *error ("no column 'drops'; nearest:
 * drops_per_s"), which may be NULL.
 */
int filter_parse(const char *expr, struct filter **f, struct error *error);
void filter_free(struct filter *f);
/* Whether it compares a number, so that a row may match in one snapshot but not in the next. */
bool filter_changes(const struct filter *f);
/* Whether an expression ends with a FIELD or the beginning of one. */
bool filter_is_field(const char *expr);
/*
 * Whether a row matches. Words are searched in the columns of the view. f NULL matches everything.
 */
bool filter_match(const struct filter *f, const struct table *t, size_t row);
/* A term for other parsers: FIELD=VALUE, or a WORD. */
struct filter_term {
	enum column_id column;  /* COLUMN_COUNT = a WORD */
	bool equals;            /* FIELD=VALUE or WORD; false = another comparison, or !WORD */
	bool alternative;       /* to the previous term */
	double number;          /* VALUE for a number column */
	char text[FILTER_SIZE]; /* VALUE as given, where `*` is any text; or the WORD */
};

void filter_compare_words(struct filter *f, enum column_id column);
/* Get the ith term; false = no more. */
bool filter_term(const struct filter *f, size_t i, struct filter_term *term);
/*
 * Whether a comparison with this column does not apply to rows of the view, which count the whole
 * machine. Then it matches all.
 */
bool filter_skips(const struct view *view, enum column_id column);
/* Get the first term that selects devices by a whole name, as -i does; false = none. */
bool filter_device(const struct filter *f, struct filter_term *term);
/* The parsed expression, printable; "" for NULL. */
const char *filter_text(const struct filter *f);
