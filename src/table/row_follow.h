/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts a row to the choice of events that it counts or lists. */
#ifndef XDPTOP_ROW_FOLLOW_H
#define XDPTOP_ROW_FOLLOW_H

#include "model/followed.h"
#include "table/table.h"

/*
 * Set *f to the tracepoints of the row's view that are on and can have the row's identity, and to
 * that identity by numbers, so that no event of another row matches. 0; or -ENOENT, and f->text
 * says why the row cannot be followed.
 */
int row_follow(const struct table *t, const struct row *row, struct follow_filter *f);

#endif
