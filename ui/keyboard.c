// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <ncurses.h>
#include "key.h"
#include "keyboard.h"

/* ms to wait for the rest of a sequence. In a paste, ESC is not a key, so there is time. */
#define ESC_MS   25
#define PASTE_MS 1000

/* Sequences that are not keys, beyond the codes of curses. */
#define KEY_PASTE_BEGIN (KEY_MAX + 1)
#define KEY_PASTE_END   (KEY_MAX + 2)
#define KEY_OLD_MOUSE   (KEY_MAX + 3)

/*
 * The codes of curses, including those with Shift, and what other terminals send after ESC. Put
 * each of xterm's modifiers, 2 to 8, for #. With a modifier, rxvt sends lower case or $ ^ @. The
 * Linux console sends [[. Function keys with a modifier are other keys: Shift-F1 is F13.
 */
static const struct {
	short curses[3];
	int code;
	const char *sequences[12];
} keys[] = {
	{ { KEY_UP, KEY_SR }, KEYCODE_UP, { "[A", "OA", "[a", "Oa", "[1;#A", "O#A" } },
	{ { KEY_DOWN, KEY_SF }, KEYCODE_DOWN, { "[B", "OB", "[b", "Ob", "[1;#B", "O#B" } },
	{ { KEY_RIGHT, KEY_SRIGHT }, KEYCODE_RIGHT, { "[C", "OC", "[c", "Oc", "[1;#C", "O#C" } },
	{ { KEY_LEFT, KEY_SLEFT }, KEYCODE_LEFT, { "[D", "OD", "[d", "Od", "[1;#D", "O#D" } },
	{ { KEY_HOME, KEY_SHOME, KEY_FIND },
	  KEYCODE_HOME,
	  { "[H", "OH", "[1;#H", "O#H", "[1~", "[1;#~", "[7~", "[7;#~", "[7$", "[7^", "[7@" } },
	{ { KEY_END, KEY_SEND, KEY_SELECT },
	  KEYCODE_END,
	  { "[F", "OF", "[1;#F", "O#F", "[4~", "[4;#~", "[8~", "[8;#~", "[8$", "[8^", "[8@" } },
	{ { KEY_DC, KEY_SDC }, KEYCODE_DELETE, { "[3~", "[3;#~", "[3$", "[3^", "[3@" } },
	{ { KEY_PPAGE, KEY_SPREVIOUS }, KEYCODE_PAGE_UP, { "[5~", "[5;#~", "[5$", "[5^", "[5@" } },
	{ { KEY_NPAGE, KEY_SNEXT }, KEYCODE_PAGE_DOWN, { "[6~", "[6;#~", "[6$", "[6^", "[6@" } },
	{ { KEY_BTAB }, KEYCODE_BACK_TAB, { "[Z" } },
	{ { KEY_ENTER }, KEYCODE_ENTER, { "OM" } },
	{ { KEY_BACKSPACE }, KEYCODE_BACKSPACE, { NULL } },
	{ { KEY_F(1) }, KEYCODE_F(1), { "OP", "[P", "[[A", "[11~" } },
	{ { KEY_F(2) }, KEYCODE_F(2), { "OQ", "[Q", "[[B", "[12~" } },
	{ { KEY_F(3) }, KEYCODE_F(3), { "OR", "[R", "[[C", "[13~" } },
	{ { KEY_F(4) }, KEYCODE_F(4), { "OS", "[S", "[[D", "[14~" } },
	{ { KEY_F(5) }, KEYCODE_F(5), { "[[E", "[15~" } },
	{ { KEY_F(6) }, KEYCODE_F(6), { "[17~" } },
	{ { KEY_F(7) }, KEYCODE_F(7), { "[18~" } },
	{ { KEY_F(8) }, KEYCODE_F(8), { "[19~" } },
	{ { KEY_F(9) }, KEYCODE_F(9), { "[20~" } },
	{ { KEY_F(10) }, KEYCODE_F(10), { "[21~" } },
	{ { KEY_PASTE_BEGIN }, KEYCODE_NONE, { "[200~" } },
	{ { KEY_PASTE_END }, KEYCODE_NONE, { "[201~" } },
	{ { KEY_MOUSE }, KEYCODE_NONE, { "[<" } },
	{ { KEY_OLD_MOUSE }, KEYCODE_NONE, { "[M" } },
};

#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

/* Sequences that terminfo has for this terminal are kept. */
static void sequence_define(const char *text, int code)
{
	char sequence[16], *modifier;

	snprintf(sequence, sizeof(sequence), "\033%s", text);
	modifier = strchr(sequence, '#');
	for (char m = '2'; m <= (modifier ? '8' : '2'); m++) {
		if (modifier)
			*modifier = m;
		if (!key_defined(sequence))
			define_key(sequence, code);
	}
}

void keyboard_open(struct keyboard *k, void *window)
{
	k->window = window;
	nodelay(window, TRUE);
	set_escdelay(ESC_MS);
	/* mouse reports, which curses takes only in part; extended capabilities */
	define_key(NULL, KEY_MOUSE);
	for (int code = KEY_MAX + 1; code < KEY_MAX + 256; code++)
		define_key(NULL, code);
	for (size_t i = 0; i < N_KEYS; i++)
		for (const char *const *s = keys[i].sequences; *s; s++)
			sequence_define(*s, keys[i].curses[0]);
}

/* resizeterm() queues a KEY_RESIZE before the user's input: skip it. */
static int next_key(const struct keyboard *k)
{
	int c;

	do
		c = wgetch(k->window);
	while (c == KEY_RESIZE);
	return c;
}

/* The same within a sequence, whose rest may still be on its way. */
static int next_rest(const struct keyboard *k)
{
	int c;

	wtimeout(k->window, ESC_MS);
	c = next_key(k);
	nodelay(k->window, TRUE);
	return c;
}

static void put_back(int c)
{
	if (c != ERR)
		ungetch(c);
}

static bool between(int c, int first, int last)
{
	return c >= first && c <= last;
}

/*
 * After an ESC that begins no sequence known to curses: the end of the sequence (ECMA-48, 5.4 and
 * 5.6). A byte that interrupts the sequence is the next key.
 */
static int escape_code(const struct keyboard *k)
{
	int c = next_key(k);
	bool string = between(c, 'P', '_') && strchr("]PX^_", c);

	if (c != '[' && c != 'O' && !string) {
		put_back(c);
		return KEYCODE_ESC;
	}
	do
		c = next_rest(k);
	while (between(c, ' ', string ? UCHAR_MAX : '?'));
	if (string && c == KEYCODE_ESC) /* ESC \ ends a string */
		c = next_rest(k);
	if (string ? c != '\a' && c != '\\' : !between(c, '@', '~'))
		put_back(c);
	return KEYCODE_UNKNOWN;
}

/* Bits of the button in a mouse report. */
#define MOUSE_MODIFIERS (4 | 8 | 16)
#define MOUSE_WHEEL     64

/* button;column;line from 1, and M for a press. Releases and other buttons are ignored. */
static int mouse_code(struct keyboard *k)
{
	int number[3] = { 0 }, i = 0, c;

	while (between(c = next_rest(k), ' ', '?'))
		if (c == ';')
			i++;
		else if (i < 3 && isdigit(c) && number[i] < 100000)
			number[i] = number[i] * 10 + c - '0';
	if (i != 2 || !between(c, '@', '~'))
		return KEYCODE_UNKNOWN;
	if (c != 'M' || !k->mouse || !number[1] || !number[2])
		return KEYCODE_NONE;
	k->x = number[1] - 1;
	k->y = number[2] - 1;
	number[0] &= ~MOUSE_MODIFIERS;
	return number[0] == MOUSE_WHEEL       ? KEYCODE_WHEEL_UP
	       : number[0] == MOUSE_WHEEL + 1 ? KEYCODE_WHEEL_DOWN
	       : number[0]                    ? KEYCODE_NONE
					      : KEYCODE_CLICK;
}

static int special(struct keyboard *k, int c)
{
	k->character = (mbstate_t){ 0 };
	if (c == KEY_MOUSE)
		return mouse_code(k);
	if (c == KEY_OLD_MOUSE)
		for (int i = 0; i < 3; i++)
			next_rest(k);
	if (c == KEY_PASTE_BEGIN || c == KEY_PASTE_END) {
		k->pasting = c == KEY_PASTE_BEGIN;
		set_escdelay(k->pasting ? PASTE_MS : ESC_MS);
	}
	for (size_t i = 0; i < N_KEYS; i++)
		for (int n = 0; n < 3; n++)
			if (keys[i].curses[n] == c)
				return keys[i].code;
	return KEYCODE_UNKNOWN;
}

/*
 * Not get_wch(): it takes an invalid byte for the start of a character and swallows up to 144 keys
 * after it.
 */
static int byte_code(struct keyboard *k, int c)
{
	bool begun = !mbsinit(&k->character);
	wchar_t character;
	size_t len;
	char byte = (char)c;

	len = mbrtowc(&character, &byte, 1, &k->character);
	if (len == (size_t)-2)
		return KEYCODE_NONE;
	if (len == (size_t)-1) {
		k->character = (mbstate_t){ 0 };
		/* The byte that interrupts a character begins the next key. */
		if (begun)
			put_back(c);
		return KEYCODE_UNKNOWN;
	}
	if (character == KEYCODE_ESC)
		return escape_code(k);
	return !character          ? KEYCODE_UNKNOWN
	       : character == '\n' ? KEYCODE_ENTER
	       : character == '\b' ? KEYCODE_BACKSPACE
				   : (int)character;
}

/* Newlines become blanks, because a pasted newline must not accept the prompt. */
static int pasted_code(int code)
{
	if (code == KEYCODE_ENTER || code == KEYCODE_TAB)
		code = ' ';
	if (code < ' ' || code == KEYCODE_BACKSPACE || code >= KEYCODE_SPECIAL)
		return KEYCODE_NONE;
	return code | KEYCODE_PASTED;
}

int keyboard_key(struct keyboard *k)
{
	int c, code;

	while ((c = next_key(k)) != ERR) {
		code = c > UCHAR_MAX ? special(k, c) : byte_code(k, c);
		if (k->pasting)
			code = pasted_code(code);
		if (code != KEYCODE_NONE)
			return code;
	}
	return KEYCODE_NONE;
}
