/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interactive monitor, for main(): open it before the drop of privileges, run it after that. */
#pragma once

#include "base/error.h"

struct options;
struct screen;
struct source;

/*
 * Applies the settings and the filter, and starts the terminal. Call it before privilege_drop(),
 * because curses looks for the terminal's description in the caller's home, which may be closed to
 * others. Returns 0, or -errno with *out NULL and *error set.
 */
int screen_open(struct screen **out, struct source *source, const struct options *options,
		struct error *error);

/* Restores the terminal and frees a screen that never ran. Ignores NULL. */
void screen_close(struct screen *s);

/*
 * Runs until the user quits, a signal ends it or the terminal hangs up. Restores the terminal on
 * every path and frees the screen. Returns the exit code. If it is not 0, a message was printed.
 */
int screen_run(struct screen *s);
