// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <ncurses.h>
#include "key.h"
#include "keyboard.h"

static int special(int c)
{
	static const struct {
		int curses, code;
	} keys[] = {
		{ KEY_UP, KEYCODE_UP },         { KEY_DOWN, KEYCODE_DOWN },
		{ KEY_LEFT, KEYCODE_LEFT },     { KEY_RIGHT, KEYCODE_RIGHT },
		{ KEY_PPAGE, KEYCODE_PAGE_UP }, { KEY_NPAGE, KEYCODE_PAGE_DOWN },
		{ KEY_HOME, KEYCODE_HOME },     { KEY_END, KEYCODE_END },
		{ KEY_FIND, KEYCODE_HOME }, /* rxvt, linux */
		{ KEY_SELECT, KEYCODE_END },    { KEY_DC, KEYCODE_DELETE },
		{ KEY_BTAB, KEYCODE_BACK_TAB }, { KEY_BACKSPACE, KEYCODE_BACKSPACE },
		{ KEY_ENTER, KEYCODE_ENTER },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].curses == c)
			return keys[i].code;
	if (c >= KEY_F(1) && c <= KEY_F(10))
		return KEYCODE_F(c - KEY_F(0));
	return KEYCODE_UNKNOWN;
}

static int take(struct keyboard *k)
{
	int c = k->again - 1;

	if (!k->again)
		return k->next(k->arg);
	k->again = 0;
	return c;
}

static void put_back(struct keyboard *k, int c)
{
	if (c != ERR)
		k->again = c + 1;
}

static bool between(int c, int first, int last)
{
	return c >= first && c <= last;
}

/*
 * Called after an ESC that curses does not take as a key. Consumes sequences of ECMA-48 (CSI,
 * section 5.4; SS3 with xterm's modifiers) as a whole: a digit in one would toggle a tracepoint.
 */
static int escape(struct keyboard *k)
{
	int c = take(k);
	bool csi;

	if (c != '[' && c != 'O') {
		put_back(k, c);
		return KEYCODE_ESC;
	}
	csi = c == '[';
	do
		c = take(k);
	while (csi ? between(c, 0x20, 0x3f) : between(c, '0', '9'));
	if (csi && c == '[') /* F1 to F5 of the Linux console */
		c = take(k);
	/* Interrupted: this byte begins the next key. */
	if (!between(c, 0x40, 0x7e))
		put_back(k, c);
	return KEYCODE_UNKNOWN;
}

static int character_code(wchar_t c)
{
	if (!c)
		return KEYCODE_UNKNOWN;
	return c == '\n' ? KEYCODE_ENTER : c == '\b' ? KEYCODE_BACKSPACE : (int)c;
}

/*
 * Not get_wch(): it takes an invalid byte for the start of a character and swallows up to 144 keys
 * after it.
 */
int keyboard_key(struct keyboard *k)
{
	for (;;) {
		bool begun = !mbsinit(&k->character);
		int c = take(k);
		wchar_t character;
		size_t len;
		char byte;

		if (c == ERR)
			return KEYCODE_NONE;
		if (c > UCHAR_MAX) {
			k->character = (mbstate_t){ 0 };
			return special(c);
		}
		byte = (char)c;
		len = mbrtowc(&character, &byte, 1, &k->character);
		if (len == (size_t)-2)
			continue;
		if (len == (size_t)-1) {
			k->character = (mbstate_t){ 0 };
			/* The byte that interrupts a character begins the next key. */
			if (begun)
				put_back(k, c);
			return KEYCODE_UNKNOWN;
		}
		return character == KEYCODE_ESC ? escape(k) : character_code(character);
	}
}
