/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The explanation of a row in a handmade table. */
#pragma once

#include "explain/explain.h"
#include "made_table.h"

static char lines[16384];

static inline void take(void *ctx, enum explain_style style, const char *label, const char *text)
{
	size_t len = strlen(lines);

	/* ASCII, as on any terminal, except for the mark of a cell without a value yet */
	for (const char *c = text; *c; c++)
		if (strncmp(c, "·", 2))
			assert_in_range(*c, ' ', '~');
		else
			c++;
	snprintf(lines + len, sizeof(lines) - len, "%s|%s%s\n", label,
		 style == EXPLAIN_COMMAND ? "$ " : "", text);
}

/* row_explain(), or a part of it. */
typedef void describe_fn(const struct table *, const struct row *, const struct explain_lines *);

static inline void describe_by(describe_fn *by, struct made *m, size_t row)
{
	const struct explain_lines d = { .line = take };

	assert_true(row < m->table.n_rows);
	lines[0] = '\0';
	by(&m->table, &m->table.row[row], &d);
}

static inline void describe(struct made *m, size_t row)
{
	describe_by(row_explain, m, row);
}

#define SAYS(part)                                                      \
	do {                                                            \
		if (!strstr(lines, part))                               \
			fail_msg("\"%s\" is not in:\n%s", part, lines); \
	} while (0)
#define SAYS_NOT(part)                                              \
	do {                                                        \
		if (strstr(lines, part))                            \
			fail_msg("\"%s\" is in:\n%s", part, lines); \
	} while (0)
