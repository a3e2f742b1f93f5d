/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter language. A WORD matches rows where a cell contains it, ignoring case, !WORD all
 * others. FIELD=VALUE compares the whole cell, or what stands before its namespace in parentheses,
 * ignoring case, `*` is any text; in a number column VALUE is a number. Further FIELD!=VALUE,
 * FIELD~PART, FIELD!~PART, FIELD>NUMBER, >=, <, <=; numbers take the suffixes k, M, G, T, ages s,
 * m, h, d. Blanks may stand around an operator. All terms must match; of terms with `|` between
 * them one must, and a value alone behind FIELD=VALUE| is of the same field. "Quotes" keep blanks
 * and operators. FIELD is a column's name or title (src/table/columns.def). A cell without a value
 * matches no comparison, not even !=.
 */
#ifndef XDPTOP_FILTER_H
#define XDPTOP_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include "table/column.h"

struct filter;
struct table;

/* The language for people, a few lines. */
extern const char filter_help[];

/* An expression with its terminating NUL is no longer than this where it has a fixed place. */
#define FILTER_SIZE 1024

/*
 * Parse an expression into *f, which filter_free() frees; NULL (matches all) when it is blank.
 * Returns 0, -EINVAL or -ENOMEM; then *f is NULL and `why` has a message for the user ("no column
 * 'drops'; nearest: drops_per_s"); NULL and 0 for an expression that is known to parse.
 */
int filter_parse(const char *expr, struct filter **f, char *why, size_t why_size);
void filter_free(struct filter *f);
/* Can a row match in one snapshot and not in the next? True when it compares a number. */
bool filter_changes(const struct filter *f);
/* Whether an expression ends with what may become a FIELD: its beginning, or all of it. */
bool filter_is_field(const char *expr);
/* Does a row match? Words are looked for in the columns of the view. NULL matches all. */
bool filter_match(const struct filter *f, const struct table *t, size_t row);
/* A term as others read it: FIELD=VALUE, or a WORD. */
struct filter_term {
	enum column_id column;  /* COLUMN_COUNT = a WORD */
	bool equals;            /* FIELD=VALUE, or a WORD; else another comparison, or !WORD */
	bool alternative;       /* to the term before it */
	double number;          /* VALUE of a number column */
	char text[FILTER_SIZE]; /* VALUE as it was given, `*` is any text; or the WORD */
};

/* The ith term; false = there are no more. */
bool filter_term(const struct filter *f, size_t i, struct filter_term *term);
/* The expression that was parsed, printable; "" for NULL. */
const char *filter_text(const struct filter *f);

#endif
