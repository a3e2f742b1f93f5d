/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that a row counts or lists, as what can be followed. */
#ifndef XDPTOP_ROW_FOLLOW_H
#define XDPTOP_ROW_FOLLOW_H

#include "model/followed.h"
#include "table/table.h"

/*
 * Sets *f: the tracepoints of the row's view that are on and have the identity of its rows, and
 * that identity, by numbers; no event of another row matches. 0; or -ENOENT, and f->text says why
 * the row cannot be followed.
 */
int row_follow(const struct table *t, const struct row *row, struct follow_filter *f);

#endif
