/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row in words: what it is, what its errors mean, where packets of a device or flow went missing,
 * and the next commands with the real names. For the screen's explanation and whoever else asks.
 */
#ifndef XDPTOP_ROW_EXPLAIN_H
#define XDPTOP_ROW_EXPLAIN_H

#include "table/table.h"

enum explain_style {
	EXPLAIN_HEAD,  /* a heading */
	EXPLAIN_TITLE, /* what the lines below are about */
	EXPLAIN_TEXT,
	EXPLAIN_COMMAND, /* to be pasted */
	EXPLAIN_SOURCE,  /* where in the kernel this comes from */
};

/* Gets the lines one by one; label is "" or what stands in front of the text. */
struct explain_lines {
	void (*line)(void *ctx, enum explain_style style, const char *label, const char *text);
	void *ctx;
};

void row_explain(const struct table *t, const struct row *row, const struct explain_lines *d);
/*
 * The way of the packets of a row of devices or flows: queued, failed, exceptions, sent, dropped,
 * each from one tracepoint, those that are not known with the reason. Nothing is added up.
 */
void packet_path_explain(const struct table *t, const struct row *row,
			 const struct explain_lines *d);

#endif
