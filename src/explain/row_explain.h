/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row in words: what it is, what its errors mean, where packets of a device or flow went missing,
 * and the next commands with the real names. For the screen's explanation and whoever else asks.
 */
#ifndef XDPTOP_DESCRIBE_H
#define XDPTOP_DESCRIBE_H

#include "table/table.h"

enum describe_style {
	DESCRIBE_HEAD,  /* a heading */
	DESCRIBE_TITLE, /* what the lines below are about */
	DESCRIBE_TEXT,
	DESCRIBE_COMMAND, /* to be pasted */
	DESCRIBE_SOURCE,  /* where in the kernel this comes from */
};

/* Gets the lines one by one; label is "" or what stands in front of the text. */
struct describe {
	void (*line)(void *ctx, enum describe_style style, const char *label, const char *text);
	void *ctx;
};

void describe_row(const struct table *t, const struct row *row, const struct describe *d);
/*
 * The way of the packets of a row of devices or flows: queued, failed, exceptions, sent, dropped,
 * each from one tracepoint, those that are not known with the reason. Nothing is added up.
 */
void describe_funnel(const struct table *t, const struct row *row, const struct describe *d);

#endif
