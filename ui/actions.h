/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keys do. */
#ifndef XDPTOP_UI_ACTIONS_H
#define XDPTOP_UI_ACTIONS_H

#include "screen.h"

/* Functions of the keys. */
#define KEY(function, ...) void function(struct screen *s);
#include "key_table.h"
#undef KEY

/* Sorts by the column of a head that was clicked. */
void sort_click(struct screen *s, int column);

/* Applies command line and settings to the screen (ui/settings_apply.c). */
void settings_apply(struct screen *s);
/* Toggles tracepoints as the settings say; call it after the first sample. */
void settings_apply_tracepoints(struct screen *s);

#endif
