/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of the view that is shown: its rows, their order, which is selected. */
#ifndef XDPTOP_UI_SCREEN_TABLE_H
#define XDPTOP_UI_SCREEN_TABLE_H

#include "screen.h"

/* Rebuilds the table from new numbers; order and widths stay as they are for a while. */
void screen_refresh(struct screen *s);
/* Rebuilds it after the user changed the view: sorted, with widths of its own. */
void screen_rebuild(struct screen *s);
void view_show(struct screen *s, enum view_id view);
/* The rate of a row that trend and peak are of. */
struct history_key screen_history_key(const struct screen *s, uint64_t row);

/* Of the rows that are shown: those of the view, or the CPUs of one. */
struct view_state *table_state(struct screen *s);
/* Index of the selected row, -1 = none. */
long table_selected(const struct screen *s);
/* Selects a row, as the cursor keys do. */
void table_select(struct screen *s, long row);
/* Makes the selection follow the row that the cursor keys moved to. */
void table_moved(struct screen *s);
/* Makes the selection follow the current row, also if the cursor never moved; false = no row. */
bool table_pick(struct screen *s);
/* Prints the names of the selected or drilled row; of a row of any table. */
void table_row_name(const struct screen *s, char *buf, size_t size);
void row_name(const struct table *t, size_t row, char *buf, size_t size);

#endif
