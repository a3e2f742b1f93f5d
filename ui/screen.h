/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interactive monitor. Only ui/ knows curses; it never knows libbpf. */
#ifndef XDPTOP_UI_SCREEN_H
#define XDPTOP_UI_SCREEN_H

#include "cli/options.h"
#include "model/source.h"

/*
 * Runs the screen until the user quits, a signal ends it or the terminal goes away; the terminal
 * is restored on every path. Returns the exit code; a message was printed where it is not 0.
 */
int screen_run(struct source *source, const struct options *options);

#endif
