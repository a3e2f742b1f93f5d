/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What curses is to show, and what its terminal understands, for ui/ansi_screen.c. */
#ifndef XDPTOP_UI_TERMINAL_CELLS_H
#define XDPTOP_UI_TERMINAL_CELLS_H

#include <stdbool.h>
#include "ansi_screen.h"

/* false = this terminal is left to curses: it is not of that kind, or its sequences need padding.
 */
bool terminal_cells_abilities(struct ansi_abilities *can);
/* Fills s->now from stdscr. false = curses has to write it, as a character is wider than a cell. */
bool terminal_cells_take(struct ansi_screen *s);

#endif
