/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen: its loop. */
#ifndef XDPTOP_UI_SCREEN_RUN_H
#define XDPTOP_UI_SCREEN_RUN_H

#include <stddef.h>

struct options;
struct screen;
struct source;

/*
 * Starts the terminal; settings and the filter are applied. To be called while root is root: curses
 * looks for the terminal's description in the caller's home, which may be closed to others.
 * 0, or -errno with a message in why and exit_code set; *out is NULL then.
 */
int screen_open(struct screen **out, struct source *source, const struct options *options,
		int *exit_code, char *why, size_t size);

/* Restores the terminal, for a screen that does not run after all. NULL is ignored. */
void screen_close(struct screen *s);

/*
 * Runs until the user quits, a signal ends it or the terminal hangs up. Restores the terminal on
 * every path and frees the screen. Returns the exit code; if it is not 0, a message was printed.
 */
int screen_run(struct screen *s);

#endif
