/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explains an errno, action, tracepoint, column or finding by name (xdptop -e), and the row of a
 * table: its errors and their causes, the path of its packets, and commands with the real names.
 */
#pragma once

#include "bpf/verdict.h"
#include "table/table.h"

/* Prints what a name means, NULL = all names. Returns the exit code. */
int explain(const char *name);

enum explain_style {
	EXPLAIN_HEAD,  /* a heading */
	EXPLAIN_TITLE, /* the subject of the lines below */
	EXPLAIN_TEXT,
	EXPLAIN_COMMAND, /* a shell command */
	EXPLAIN_SOURCE,  /* the kernel function */
};

/* Called once per line. Label may be "". */
struct explain_lines {
	void (*line)(void *ctx, enum explain_style style, const char *label, const char *text);
	void *ctx;
	bool ascii; /* for the text of cells (src/table/table.h) */
};

/* The lines about verdicts, in this order. */
extern const struct verdict_line {
	uint32_t act;
	bool always; /* even without packets */
	const char *label, *says;
} verdict_lines[VERDICT_ACTS];

void row_explain(const struct table *t, const struct row *row, const struct explain_lines *lines);
/* The worst active finding about a row; NULL = none. */
const struct finding *row_finding(const struct table *t, const struct row *row);
/* The packet path of a row: each line has the count of one tracepoint, or why it has none. */
void packet_path_explain(const struct table *t, const struct row *row,
			 const struct explain_lines *lines);
/* Explains a map, an entry of a map, or an AF_XDP socket, without findings and commands. */
void redirect_explain(const struct table *t, const struct row *row,
		      const struct explain_lines *lines);
