/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of the current view: rows, order, selection. */
#pragma once

#include "screen.h"

/* Rebuilds the table from new numbers. Rows keep their order for a while, columns their widths. */
void screen_refresh(struct screen *s);
/* Rebuilds it after the user changed the view: sorts it and measures the columns again. */
void screen_rebuild(struct screen *s);
/* Shows a view. There is no way back to this one. */
void view_show(struct screen *s, enum view_id view);
/* Shows a view from which Esc and q return to what is shown now. */
void view_visit(struct screen *s, enum view_id view);
/* Shows again what was shown before view_visit(); false = nothing was. */
bool place_return(struct screen *s);
void places_forget(struct screen *s);
/* After view_visit(): until the view is left, without the filter, which was meant for other rows.
 */
void filter_set_aside(struct screen *s);
/* The rate of a row that its trend and peak show. */
struct history_key screen_history_key(enum view_id view, const struct view_state *state,
				      uint64_t row);

/* State of the shown rows: the view's, or the CPUs of one row. */
struct view_state *table_state(struct screen *s);
/* Index of the selected row, -1 = none. */
long table_selected(const struct screen *s);
/* Selects a row, as the cursor keys do. */
void table_select(struct screen *s, long row);
/* Makes the selection follow the row that the cursor keys moved to. */
void table_moved(struct screen *s);
/* Makes the selection follow the row under the cursor; false = there is none, and says so. */
bool table_pick(struct screen *s);
/* Print the name of the selected or drilled row, or of a row of any table. */
void table_row_name(const struct screen *s, char *buf, size_t size);
void row_name(const struct table *t, size_t row, char *buf, size_t size);
