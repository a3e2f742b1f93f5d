/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal. Starts curses, stops it on every path (even if the program crashes), draws text of
 * a style at a place, and reads keys as codes of ui/key.h. Only terminal.c and keyboard.c call
 * curses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <termios.h>
#include "base/error.h"
#include "keyboard.h"

/* Meaning of a text. Colour never carries information that the text lacks. */
enum style {
	STYLE_PLAIN,
	STYLE_BOLD,
	STYLE_DIM, /* off, not in this kernel, no value yet */
	STYLE_COLUMN_HEADER,
	STYLE_SORT,     /* header of the sort column, headings */
	STYLE_GOOD,     /* on */
	STYLE_DROPS,    /* lost packets */
	STYLE_WARN,     /* paused, shed, missed, input errors */
	STYLE_CRITICAL, /* number of findings of that severity or worse */
	STYLE_WARNING,
	STYLE_KEY, /* a key in the footer */
	STYLE_GRAPH,
	STYLE_COUNT,

	/* flags */
	STYLE_RIGHT = 1 << 4,    /* right-aligned */
	STYLE_SELECTED = 1 << 5, /* in reverse */
};

/* Other files use only the fields up to `keyboard`. */
struct terminal {
	int input;         /* fd to poll for keys */
	int width, height; /* of this frame */
	bool utf8;         /* non-ASCII text can be shown */
	bool blocks; /* braille and blocks can be shown: fonts of the Linux console lack them */
	struct keyboard keyboard; /* for keyboard_key() */

	bool color;
	bool modes;   /* the terminal knows xterm's modes */
	void *curses; /* SCREEN; void needs no curses header */
	void *keys;   /* WINDOW, a pad: reading from a shown window draws it, even if that blocks */
	unsigned long attr[STYLE_COUNT];
	FILE *in;               /* stdin, or /dev/tty when stdin is a recording */
	bool redraw;            /* draw the whole next frame */
	char *copy;             /* sequence to send after the next frame; NULL = none */
	int cursor_y, cursor_x; /* -1 = hidden */
	int cursor_shown;       /* last argument of curs_set() */
};

/*
 * Takes over the terminal of stdout. Keys come from stdin, or from /dev/tty if stdin is not a
 * terminal. Returns 0, or -errno with *t NULL, the terminal unchanged, and cause and remedy in
 * *error.
 */
int terminal_start(struct terminal **t, bool ascii, bool no_color, bool mouse, struct error *error);
/* Restores the terminal and frees t; ignores NULL. */
void terminal_stop(struct terminal *t);
/*
 * Has the next frame ask the terminal to copy a text, given in base64 (OSC 52). False if terminfo
 * does not say that it can, unless `always`.
 */
bool terminal_copy(struct terminal *t, const char *base64, bool always);
/* For ^Z: restores the terminal, and takes it over again. */
void terminal_leave(struct terminal *t);
void terminal_return(struct terminal *t);

/* Reads the size from the kernel. Call it on SIGWINCH, which curses does not handle here. */
void terminal_resize(struct terminal *t);
/* Makes the next flush redraw the whole screen. */
void terminal_redraw(struct terminal *t);

/* Begins a frame with an empty screen and sets its size. Put text, then flush. */
void terminal_begin(struct terminal *t);
/*
 * Draws text in exactly `width` cells: padded with blanks, cut with `+`, clipped at the edges of
 * the screen. style: enum style with its flags.
 */
void terminal_put(struct terminal *t, int y, int x, int width, unsigned int style,
		  const char *text);
/* Shows the cursor there. It is hidden in frames without this call. */
void terminal_cursor(struct terminal *t, int y, int x);
/* Writes the changes. Waits for a slow terminal, as top does; a signal then ends the program. */
void terminal_flush(struct terminal *t);

/*
 * terminal_restore_...() restores the terminal where the main loop cannot: on a crash, without
 * memory, and on a signal during a write to a stuck terminal (stalled connection, ^S). No curses:
 * the sequences are collected beforehand.
 *
 * Sets the terminal and the modes to restore. Forgets the sequences.
 */
void terminal_restore_init(int fd, const struct termios *before);
/* Installs or removes the handlers. */
void terminal_restore_arm(bool on);

/*
 * Unblocks SIGINT, SIGTERM, SIGHUP, SIGQUIT and its own SIGALRM, or blocks them again: open around
 * a write that may block. Such a signal ends the program if the terminal is stuck; else
 * terminal_restore_ended() returns true.
 */
void terminal_restore_open(bool open);
bool terminal_restore_ended(void);

/*
 * Compiled terminfo entries, for machines whose database lacks them. Only the static program has
 * them (contrib/static/terminfo).
 */
struct terminfo_entry {
	const char *name, *value;
};

/* The last one has no name. NULL in the dynamic program. */
extern const struct terminfo_entry terminfo_entries[] __attribute__((weak));
