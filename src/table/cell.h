/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts that fill cells (src/cell*.c) share with each other and with nobody else. */
#ifndef XDPTOP_CELL_H
#define XDPTOP_CELL_H

#include "table/table.h"

void cell_set_real(struct cell *cell, enum cell_type type, double real);
void cell_set_count(struct cell *cell, uint64_t count);
/* An empty text is a value, too. */
void cell_set_text(struct cell *cell, const char *text);
/* How long before the snapshot something was. */
void cell_set_age(const struct table *t, const struct timespec *since, struct cell *cell);

/* Rows of devices and programs: false where the series of the row tell (the cell is untouched). */
bool cell_of_netdev(const struct table *t, const struct row *row, enum column_id column,
		    struct cell *cell);
/* Rows of events and findings: every column. */
void cell_of_event(const struct table *t, const struct row *row, enum column_id column,
		   struct cell *cell);
void cell_of_finding(const struct table *t, const struct row *row, enum column_id column,
		     struct cell *cell);

#endif
