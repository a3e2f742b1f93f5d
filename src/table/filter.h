/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter language: words that must match any cell (substring in any case); FIELD=VALUE (the
 * whole cell in any case, `*` is any text; a number in a number column), FIELD!=VALUE,
 * FIELD>NUMBER, >=, <, <= (suffixes k, M, G, T; s, m, h, d for ages); blank = and; "quotes"
 * keep blanks and operators. FIELD is a column's name or title (src/table/column.c). A cell without
 * a value matches no comparison, != included.
 */
#ifndef XDPTOP_FILTER_H
#define XDPTOP_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct filter;
struct table;

/*
 * Parse; an empty or blank expression gives *f = NULL (matches all) and 0. On -EINVAL (and -ENOMEM)
 * *f is NULL and `why` holds a message for the user that names the offending part ("no column
 * 'drops'; nearest: drops_per_s").
 */
int filter_parse(const char *expr, struct filter **f, char *why, size_t why_size);
void filter_free(struct filter *f);
/* Whether it compares a number, and a row may match in one snapshot and not in the next. */
bool filter_changes(const struct filter *f);
/* Whether a row of t matches; words look at the columns of the view. NULL matches all. */
bool filter_match(const struct filter *f, const struct table *t, size_t row);
/* The expression it was parsed from. */
const char *filter_text(const struct filter *f);

#endif
