/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translates curses input to the codes of ui/key.h: decodes multibyte characters and consumes
 * unknown escape sequences as a whole. Uses only constants of curses, so tests need no terminal.
 */
#ifndef XDPTOP_UI_KEYBOARD_H
#define XDPTOP_UI_KEYBOARD_H

#include <wchar.h>

struct keyboard {
	/* Returns a byte, a KEY_ code of curses, or ERR = no input now. */
	int (*next)(void *arg);
	void *arg;
	int again;           /* pushed back, plus 1; 0 = none */
	mbstate_t character; /* of a character that is incomplete */
};

/*
 * The next key; characters are decoded by the locale. KEYCODE_NONE = no input now. An invalid byte
 * or unknown sequence is one KEYCODE_UNKNOWN and does not affect the keys after it.
 */
int keyboard_key(struct keyboard *k);

#endif
