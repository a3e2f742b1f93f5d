/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explains an errno, action, tracepoint, column or finding by name (xdptop -e), and the row of a
 * table: its errors and their causes, the path of its packets, and commands with the real names.
 */
#ifndef XDPTOP_EXPLAIN_H
#define XDPTOP_EXPLAIN_H

#include "bpf/verdict.h"
#include "table/table.h"

/* Prints what a name means, NULL = all names. Returns the exit code. */
int explain(const char *name);

enum explain_style {
	EXPLAIN_HEAD,  /* a heading */
	EXPLAIN_TITLE, /* what the lines below are about */
	EXPLAIN_TEXT,
	EXPLAIN_COMMAND, /* for a shell */
	EXPLAIN_SOURCE,  /* kernel function */
};

/* Called once per line; label may be "". */
struct explain_lines {
	void (*line)(void *ctx, enum explain_style style, const char *label, const char *text);
	void *ctx;
	bool ascii; /* of a cell's text (src/table/table.h) */
};

/* What can be said of an action, in this order. */
extern const struct verdict_line {
	uint32_t act;
	bool always; /* without a packet, too */
	const char *label, *says;
} verdict_lines[VERDICT_ACTS];

void row_explain(const struct table *t, const struct row *row, const struct explain_lines *lines);
/* The way of a row's packets: a line has the count of one tracepoint, or why it has none. */
void packet_path_explain(const struct table *t, const struct row *row,
			 const struct explain_lines *lines);
/* A map, an entry of it, or an AF_XDP socket: without findings and commands. */
void redirect_explain(const struct table *t, const struct row *row,
		      const struct explain_lines *lines);

#endif
