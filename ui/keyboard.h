/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys as codes of ui/key.h. curses decodes the sequences of $TERM, and those of other terminals,
 * which it learns from a table.
 */
#pragma once

#include <stdbool.h>
#include <wchar.h>

struct keyboard {
	void *window;        /* WINDOW of curses; void needs no curses header */
	mbstate_t character; /* of an incomplete character */
	bool mouse;          /* mouse reports are keys; else they are ignored */
	bool pasting;        /* between the brackets of a paste */
	int x, y;            /* cell of the last mouse report, from 0 */
};

/* Reads from this window from now on. Call it after keypad(), which reads terminfo. */
void keyboard_open(struct keyboard *k, void *window);

/*
 * Returns the next key, or KEYCODE_NONE if there is no input now. Characters are decoded as the
 * locale says. An invalid byte or unknown sequence is one KEYCODE_UNKNOWN and does not affect the
 * keys after it. Pasted characters have the flag KEYCODE_PASTED. Pasted newlines and tabs are
 * blanks.
 */
int keyboard_key(struct keyboard *k);
