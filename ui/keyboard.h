/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translates curses input to the codes of ui/key.h. Decodes multibyte characters, and sequences of
 * terminals other than $TERM. Uses only constants of curses, so tests need no terminal.
 */
#ifndef XDPTOP_UI_KEYBOARD_H
#define XDPTOP_UI_KEYBOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

struct keyboard {
	/* Returns a byte, a KEY_ code of curses, or ERR = no input now. */
	int (*next)(void *arg);
	void *arg;
	int again;           /* byte that was pushed back, plus 1; 0 = none */
	mbstate_t character; /* of an incomplete character */
	int in;              /* enum in: kind of the incomplete sequence; IN_NONE = none */
	char sequence[32];   /* its bytes after the first two */
	size_t length;
	bool mouse;   /* mouse reports are keys; else they are ignored */
	bool pasting; /* between the brackets of a paste */
	int x, y;     /* cell of the last mouse report, from 0 */
};

/*
 * Returns the next key, or KEYCODE_NONE if there is no input now. Characters are decoded as the
 * locale says. An invalid byte or unknown sequence is one KEYCODE_UNKNOWN and does not affect the
 * keys after it. The next call continues an incomplete sequence. Pasted characters have the flag
 * KEYCODE_PASTED. Pasted newlines and tabs are blanks.
 */
int keyboard_key(struct keyboard *k);

#endif
