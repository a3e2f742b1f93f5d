/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translates curses input to the codes of ui/key.h: decodes multibyte characters, and the sequences
 * of terminals other than the one that $TERM names. Uses only constants of curses, so tests need no
 * terminal.
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
	int again;           /* pushed back, plus 1; 0 = none */
	mbstate_t character; /* of a character that is incomplete */
	int in;              /* enum in: of a sequence that is incomplete */
	char sequence[32];   /* its bytes behind the first two */
	size_t length;
	bool mouse;   /* its reports are keys; else nothing */
	bool pasting; /* between the brackets of a paste */
	int x, y;     /* cell of the last click, from 0 */
};

/*
 * The next key; characters are decoded by the locale. KEYCODE_NONE = no input now. An invalid byte
 * or unknown sequence is one KEYCODE_UNKNOWN and does not affect the keys after it; a sequence of
 * which the rest is still to come is continued by the next call. Pasted characters have the flag
 * KEYCODE_PASTED; blanks stand for newlines.
 */
int keyboard_key(struct keyboard *k);

#endif
