/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that keys call, and what calls them (ui/screen_keys.c). */
#pragma once

#include "screen.h"

#define KEY(function, ...) void function(struct screen *s);
#include "key_table.h"
#undef KEY

/* Handles a key or a click, by its code. */
void screen_key(struct screen *s, int code);
/* Sorts by the column whose title was clicked. A second click reverses the order. */
void sort_click(struct screen *s, int column);

/* Applies the command line and the settings to the screen (ui/settings.c). */
void settings_apply(struct screen *s);
/* Switches tracepoints as the settings say. Call it after the first sample. */
void settings_apply_tracepoints(struct screen *s);
