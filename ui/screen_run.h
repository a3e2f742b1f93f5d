/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen: its loop. */
#ifndef XDPTOP_UI_SCREEN_RUN_H
#define XDPTOP_UI_SCREEN_RUN_H

struct options;
struct source;

/*
 * Runs until the user quits, a signal ends it or the terminal hangs up. Restores the terminal on
 * every path. Returns the exit code; if it is not 0, a message was printed.
 */
int screen_run(struct source *source, const struct options *options);

#endif
