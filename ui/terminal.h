/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal. Starts curses, stops it on every path (also when the program crashes), draws text
 * of a style at a place, and reads keys as codes of ui/key.h. Only terminal.c calls curses;
 * keyboard.c uses its key codes.
 */
#ifndef XDPTOP_UI_TERMINAL_H
#define XDPTOP_UI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* What a piece of text is; colour only repeats what the text says. */
enum style {
	STYLE_PLAIN,
	STYLE_BOLD,
	STYLE_DIM,           /* off, not in this kernel, nothing yet */
	STYLE_COLUMN_HEADER, /* heads of columns */
	STYLE_SORT,          /* the one sorted by */
	STYLE_GOOD,          /* on */
	STYLE_DROPS,         /* lost packets */
	STYLE_WARN,          /* paused, shed, missed, an error of the user's */
	STYLE_KEY,           /* a key in the footer */
	STYLE_GRAPH,
	STYLE_COUNT,
};

struct terminal;

/*
 * Take over the terminal that stdout is (keys come from it when stdin is something else). On
 * failure *t is NULL, the terminal is as it was, and `why` says what to do. 0 or -errno.
 */
int terminal_start(struct terminal **t, bool ascii, bool no_color, char *why, size_t size);
/* Restore it and release everything; takes NULL. */
void terminal_stop(struct terminal *t);
/* For ^Z: give the terminal back, and take it again. */
void terminal_leave(struct terminal *t);
void terminal_return(struct terminal *t);

/* The fd to wait on for keys. */
int terminal_input(const struct terminal *t);
/* The next key that has arrived, as a code of ui/key.h; KEYCODE_NONE when there is no more. */
int terminal_key(struct terminal *t);
/* Ask the kernel for the size now and adapt (SIGWINCH is taken by the loop, not by curses). */
void terminal_resize(struct terminal *t);
/* Nothing on the screen is believed any more: the next flush writes all of it. */
void terminal_redraw(struct terminal *t);

int terminal_width(const struct terminal *t);
int terminal_height(const struct terminal *t);
/* Whether text may hold more than ASCII. */
bool terminal_utf8(const struct terminal *t);
/* Whether braille and block characters can be expected: the Linux console's fonts lack them. */
bool terminal_blocks(const struct terminal *t);

/* Draw: begin with an empty screen, put text, flush what changed in one write. */
void terminal_begin(struct terminal *t);
/*
 * Put text into exactly `width` cells from x on: padded with blanks, cut with `+`, clipped at the
 * edges of the screen. A selected row is drawn in reverse.
 */
void terminal_put(struct terminal *t, int y, int x, int width, enum style style, bool selected,
		  const char *text);
/* The same, right-aligned when `right`. */
void terminal_field(struct terminal *t, int y, int x, int width, bool right, enum style style,
		    bool selected, const char *text);
/* Show the cursor there (a prompt); hidden otherwise. */
void terminal_cursor(struct terminal *t, int y, int x);
/* Write what changed; false = the terminal takes no output now, a later flush writes it. */
bool terminal_flush(struct terminal *t);
/* A signal that ends the program came while the terminal was being written. */
bool terminal_ended(const struct terminal *t);

#endif
