/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what curses reads to the codes of ui/key.h: characters out of bytes, and the sequences that
 * curses does not know, whole. Beside constants it knows nothing of curses, so that a test is its
 * terminal.
 */
#ifndef XDPTOP_UI_KEYBOARD_H
#define XDPTOP_UI_KEYBOARD_H

#include <wchar.h>

struct keyboard {
	/* A byte, a KEY_ code of curses, or ERR when there is no more for now. */
	int (*next)(void *arg);
	void *arg;
	int again;           /* + 1: read once more before `next`; 0 = none */
	mbstate_t character; /* of one whose bytes have come in part */
};

/*
 * The next key, in the locale's characters; KEYCODE_NONE when there is no more for now. What is no
 * character and no key known is one KEYCODE_UNKNOWN, and takes no key behind it with it.
 */
int keyboard_key(struct keyboard *k);

#endif
