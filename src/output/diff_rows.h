/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The differences between two spans: rows of the views, matched by their names. */
#pragma once

#include "output/diff.h"

#define DIFF_TEXT_LEN 160

enum diff_key {
	DIFF_FINDING,
	DIFF_TRACEPOINT,
	DIFF_DEVICE,
	DIFF_NETNS,
	DIFF_TARGET,
	DIFF_PROGRAM,
	DIFF_ERROR,
	DIFF_KEYS
};

struct diff_row {
	const char *kind, *change;          /* "flow"; "new", "gone", "changed" */
	char key[DIFF_KEYS][DIFF_TEXT_LEN]; /* "" = none */
	const char *field;                  /* compared field, a rate or a text; "" = neither */
	double before, after;               /* rates; NAN = none */
	char text_before[DIFF_TEXT_LEN], text_after[DIFF_TEXT_LEN];
};

struct diff_rows {
	struct diff_row *row;
	size_t n, cap;
};

/* The differences by kind, largest first. */
void diff_rows_make(struct diff_rows *rows, struct diff_side sides[2],
		    const struct output_config *output);
/* Prints a cell to DIFF_TEXT_LEN bytes; "" = it has no value. */
void diff_text(const struct table *t, size_t row, enum column_id column, char *text);
/* Writes text or JSON Lines. 0 or -errno. */
int diff_rows_write(const struct diff_rows *rows, const struct diff_side sides[2],
		    const struct output_config *output, FILE *to);
void diff_rows_free(struct diff_rows *rows);
