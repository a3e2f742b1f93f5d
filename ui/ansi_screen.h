/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes to a terminal of the ANSI kind what changed on its screen. curses writes line by line, and
 * an address of 8 bytes in front of most changes. Here the next cells are those to which the cursor
 * has the shortest way: down a column of numbers, a way is the newline and a backspace per digit.
 */
#ifndef XDPTOP_UI_ANSI_SCREEN_H
#define XDPTOP_UI_ANSI_SCREEN_H

#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>

/* A cell is a character, its attributes and its colour. */
#define CELL_CHARACTER   0x1fffff
#define CELL_BOLD        (1 << 21)
#define CELL_DIM         (1 << 22)
#define CELL_UNDERLINE   (1 << 23)
#define CELL_REVERSE     (1 << 24)
#define CELL_COLOR(n)    (((n) + 1) << 25)      /* 0 to 7 */
#define CELL_COLOR_OF(c) ((int)((c) >> 25) - 1) /* -1 = the terminal's own */

/* wchar_t has no sign on arm64. */
#define LOOK_UNKNOWN ((wchar_t)-1)

/* What the terminal understands beside the addresses, erasing a line, backspace, return and VT. */
struct ansi_abilities {
	bool addresses; /* CHA and VPA: to a column, to a line */
	bool erases;    /* ECH: blanks, and stay */
	bool scrolls;   /* DECSTBM, with IL and DL within these margins */
	bool undoes;    /* SGR 22, 24, 27 and 39: one attribute ends */
};

struct ansi_screen {
	struct ansi_abilities can;
	int height, width;
	wchar_t *now, *shown; /* height x width: what the terminal is to show, and does */
	int y, x;             /* of the cursor; y -1 = unknown, x may be behind the last column */
	wchar_t look;         /* attributes and colour in use; LOOK_UNKNOWN */
};

/* Sets the size and makes the screen blank. 0, or -ENOMEM. */
int ansi_screen_resize(struct ansi_screen *s, int height, int width);
/* The terminal was cleared by someone else; where its cursor is and how it writes is unknown. */
void ansi_screen_cleared(struct ansi_screen *s);
void ansi_screen_free(struct ansi_screen *s);

/* Writes what makes the terminal show `now`. 0, or -ENOMEM. */
int ansi_screen_write(struct ansi_screen *s, FILE *out);
/* Moves the cursor, as what reads a prompt needs it. */
void ansi_screen_move(struct ansi_screen *s, int y, int x, FILE *out);

#endif
