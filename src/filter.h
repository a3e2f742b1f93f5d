/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter language: words that must match any cell (case-insensitive substring);
 * FIELD=VALUE (text: substring match is NOT enough, whole cell; `*` globs), FIELD!=VALUE,
 * FIELD>NUMBER, FIELD<NUMBER (k, M, G suffixes); blank = and; "quoted words" keep blanks.
 * FIELD is a column name (src/view.c). An unknown cell matches no comparison.
 */
#ifndef XDPTOP_FILTER_H
#define XDPTOP_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct filter;
struct table;

/*
 * Parse; an empty or blank expression gives *f = NULL (matches all) and 0. On -EINVAL `why` holds
 * a message for the user that names the offending part ("no column 'foo'; nearest: from").
 */
int filter_parse(const char *expr, struct filter **f, char *why, size_t why_size);
void filter_free(struct filter *f);
/* Whether a row of t matches; words look at the columns of the view. */
bool filter_match(const struct filter *f, const struct table *t, size_t row);
/* The expression it was parsed from. */
const char *filter_text(const struct filter *f);

#endif
