// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <ncurses.h>
#include "key.h"
#include "keyboard.h"

static int special(int c)
{
	static const struct {
		int curses, code;
	} keys[] = {
		{ KEY_UP, KEYCODE_UP },           { KEY_DOWN, KEYCODE_DOWN },
		{ KEY_LEFT, KEYCODE_LEFT },       { KEY_RIGHT, KEYCODE_RIGHT },
		{ KEY_PPAGE, KEYCODE_PAGE_UP },   { KEY_NPAGE, KEYCODE_PAGE_DOWN },
		{ KEY_HOME, KEYCODE_HOME },       { KEY_END, KEYCODE_END },
		{ KEY_FIND, KEYCODE_HOME }, /* rxvt, linux */
		{ KEY_SELECT, KEYCODE_END },      { KEY_DC, KEYCODE_DELETE },
		{ KEY_BTAB, KEYCODE_BACK_TAB },   { KEY_BACKSPACE, KEYCODE_BACKSPACE },
		{ KEY_ENTER, KEYCODE_ENTER },     { KEY_SR, KEYCODE_UP }, /* with Shift */
		{ KEY_SF, KEYCODE_DOWN },         { KEY_SLEFT, KEYCODE_LEFT },
		{ KEY_SRIGHT, KEYCODE_RIGHT },    { KEY_SHOME, KEYCODE_HOME },
		{ KEY_SEND, KEYCODE_END },        { KEY_SPREVIOUS, KEYCODE_PAGE_UP },
		{ KEY_SNEXT, KEYCODE_PAGE_DOWN },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].curses == c)
			return keys[i].code;
	if (c >= KEY_F(1) && c <= KEY_F(10))
		return KEYCODE_F(c - KEY_F(0));
	return KEYCODE_UNKNOWN;
}

static int byte_take(struct keyboard *k)
{
	int c = k->again - 1;

	if (!k->again)
		return k->next(k->arg);
	k->again = 0;
	return c;
}

static void put_back(struct keyboard *k, int c)
{
	k->again = c + 1;
}

static bool between(int c, int first, int last)
{
	return c >= first && c <= last;
}

/* The decoder's state within a sequence of ECMA-48. */
enum in {
	IN_NONE,
	IN_ESC,
	IN_CSI,
	IN_SS3,
	IN_MOUSE,  /* CSI M: button, column and line follow as bytes */
	IN_STRING, /* OSC, DCS and others: until BEL or ST */
	IN_ST,     /* ESC in a string, the first byte of ST */
};

struct final {
	char byte;
	int code;
};

/* Final bytes of CSI and SS3. Lower case: rxvt with modifiers. */
static const struct final cursor_keys[] = {
	{ 'A', KEYCODE_UP },    { 'B', KEYCODE_DOWN },     { 'C', KEYCODE_RIGHT },
	{ 'D', KEYCODE_LEFT },  { 'a', KEYCODE_UP },       { 'b', KEYCODE_DOWN },
	{ 'c', KEYCODE_RIGHT }, { 'd', KEYCODE_LEFT },     { 'H', KEYCODE_HOME },
	{ 'F', KEYCODE_END },   { 'Z', KEYCODE_BACK_TAB }, { 0, 0 },
};
/* With a modifier these are other keys: Shift-F1 is F13. */
static const struct final function_keys[] = {
	{ 'P', KEYCODE_F(1) }, { 'Q', KEYCODE_F(2) },  { 'R', KEYCODE_F(3) },
	{ 'S', KEYCODE_F(4) }, { 'M', KEYCODE_ENTER }, { 0, 0 },
};
/* CSI [: the Linux console. */
static const struct final console_keys[] = {
	{ 'A', KEYCODE_F(1) }, { 'B', KEYCODE_F(2) }, { 'C', KEYCODE_F(3) },
	{ 'D', KEYCODE_F(4) }, { 'E', KEYCODE_F(5) }, { 0, 0 },
};

static int final_code(const struct final *keys, char byte)
{
	for (; keys->byte; keys++)
		if (keys->byte == byte)
			return keys->code;
	return KEYCODE_UNKNOWN;
}

/* CSI number ~: VT220, plus Home, End, and F1 to F5 of PuTTY and rxvt. */
static int number_code(long number, bool modified)
{
	static const int edit[] = { KEYCODE_UNKNOWN,   KEYCODE_HOME, KEYCODE_UNKNOWN,
				    KEYCODE_DELETE,    KEYCODE_END,  KEYCODE_PAGE_UP,
				    KEYCODE_PAGE_DOWN, KEYCODE_HOME, KEYCODE_END };

	if (number >= 0 && number < (long)(sizeof(edit) / sizeof(edit[0])))
		return edit[number];
	if (modified)
		return KEYCODE_UNKNOWN;
	if (number >= 11 && number <= 15)
		return KEYCODE_F(number - 10);
	return number >= 17 && number <= 21 ? KEYCODE_F(number - 11) : KEYCODE_UNKNOWN;
}

/* Bits of the button in a mouse report. */
#define MOUSE_MODIFIERS (4 | 8 | 16)
#define MOUSE_MOTION    32
#define MOUSE_WHEEL     64

/* x and y count from 1. Releases and other buttons are ignored. */
static int mouse_code(struct keyboard *k, long button, long x, long y)
{
	if (!k->mouse || x < 1 || y < 1)
		return KEYCODE_NONE;
	k->x = (int)(x - 1);
	k->y = (int)(y - 1);
	switch (button & ~MOUSE_MODIFIERS) {
	case 0:
		return KEYCODE_CLICK;
	case MOUSE_WHEEL:
		return KEYCODE_WHEEL_UP;
	case MOUSE_WHEEL + 1:
		return KEYCODE_WHEEL_DOWN;
	default:
		return KEYCODE_NONE;
	}
}

/* A mouse report: button;column;line. */
static int report_code(struct keyboard *k, const char *text, bool press)
{
	long n[3];

	for (int i = 0; i < 3; i++) {
		size_t digits = strspn(text, "0123456789");

		if (!digits || digits > 6 || text[digits] != (i < 2 ? ';' : '\0'))
			return KEYCODE_UNKNOWN;
		n[i] = atol(text);
		text += digits + 1;
	}
	return press ? mouse_code(k, n[0], n[1], n[2]) : KEYCODE_NONE;
}

static int csi_code(struct keyboard *k, char final)
{
	const char *text = k->sequence;
	bool modified = strchr(text, ';');
	char *end;
	long number;

	if (*text == '[')
		return text[1] ? KEYCODE_UNKNOWN : final_code(console_keys, final);
	/* these parameters are private: of mouse reports and of answers to queries */
	if (between(*text, '<', '?'))
		return *text == '<' && strchr("Mm", final) ? report_code(k, text + 1, final == 'M')
							   : KEYCODE_UNKNOWN;
	number = strtol(text, &end, 10);
	if (*end && *end != ';')
		return KEYCODE_UNKNOWN;
	if (final == '~' && (number == 200 || number == 201)) {
		k->pasting = number == 200;
		return KEYCODE_NONE;
	}
	/* rxvt: $, ^ and @ are ~ with modifiers */
	if (strchr("~$^@", final))
		return end > text ? number_code(number, modified || final != '~') : KEYCODE_UNKNOWN;
	if (final == 'M') /* rxvt's mouse report, which is never requested */
		return report_code(k, text, false);
	if (between(final, 'P', 'S'))
		return modified ? KEYCODE_UNKNOWN : final_code(function_keys, final);
	return number > 1 && !modified ? KEYCODE_UNKNOWN : final_code(cursor_keys, final);
}

static int ss3_code(const struct keyboard *k, char final)
{
	int code = final_code(cursor_keys, final);

	if (code == KEYCODE_UNKNOWN && !k->length)
		code = final_code(function_keys, final);
	return code;
}

static void sequence_add(struct keyboard *k, int c)
{
	/* too long: '?' makes it a private sequence, which is not a key */
	if (k->length + 1 < sizeof(k->sequence))
		k->sequence[k->length++] = (char)c;
	else
		k->sequence[0] = '?';
	k->sequence[k->length] = '\0';
}

/* rxvt with Shift sends CSI digit $, although $ is not a final byte. */
static bool is_rxvt(const struct keyboard *k)
{
	return k->length == 1 && between(k->sequence[0], '2', '8');
}

/* A number in a mouse report in X10's format. */
static int coordinate(const struct keyboard *k, int at)
{
	return (unsigned char)k->sequence[at] - ' ';
}

/* Takes a byte of a sequence: the key when the sequence ends, else KEYCODE_NONE. */
static int sequence_code(struct keyboard *k, int c)
{
	enum in in = (enum in)k->in;

	k->in = IN_NONE;
	switch (in) {
	case IN_ESC:
		k->length = 0;
		k->sequence[0] = '\0';
		k->in = c == '['                              ? IN_CSI
			: c == 'O'                            ? IN_SS3
			: c && c < 0x80 && strchr("]PX^_", c) ? IN_STRING
							      : IN_NONE;
		if (k->in)
			return KEYCODE_NONE;
		put_back(k, c);
		return KEYCODE_ESC;
	case IN_CSI:
	case IN_SS3:
		if (between(c, 0x20, 0x3f) && (c != '$' || !is_rxvt(k))) {
			sequence_add(k, c);
			k->in = in;
			return KEYCODE_NONE;
		}
		if (in == IN_CSI && !k->length && (c == '[' || c == 'M')) {
			sequence_add(k, c);
			k->in = c == '[' ? IN_CSI : IN_MOUSE;
			return KEYCODE_NONE;
		}
		if (c == '$' || between(c, 0x40, 0x7e))
			return in == IN_CSI ? csi_code(k, (char)c) : ss3_code(k, (char)c);
		break;
	case IN_MOUSE:
		if (between(c, 0x20, UCHAR_MAX)) {
			sequence_add(k, c);
			if (k->length == 4)
				return mouse_code(k, coordinate(k, 1), coordinate(k, 2),
						  coordinate(k, 3));
			k->in = IN_MOUSE;
			return KEYCODE_NONE;
		}
		break;
	case IN_STRING:
		if (c == '\a')
			return KEYCODE_UNKNOWN;
		if (c > UCHAR_MAX)
			break;
		k->length = 1;
		k->in = c == KEYCODE_ESC ? IN_ST : IN_STRING;
		return KEYCODE_NONE;
	case IN_ST:
		if (c == '\\')
			return KEYCODE_UNKNOWN;
		k->in = IN_ESC;
		put_back(k, c);
		return KEYCODE_NONE;
	case IN_NONE:
		break;
	}
	/* Interrupted: this byte begins the next key. */
	put_back(k, c);
	return KEYCODE_UNKNOWN;
}

/*
 * Input has paused. A lone ESC is then the key, and the start of a string was Alt with a letter.
 * The rest of any other sequence comes later.
 */
static int pause_code(struct keyboard *k)
{
	bool alone = k->in == IN_ESC || k->in == IN_ST;

	if (k->pasting || (!alone && !(k->in == IN_STRING && !k->length)))
		return KEYCODE_NONE;
	k->in = IN_NONE;
	return alone ? KEYCODE_ESC : KEYCODE_UNKNOWN;
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
static int byte_code(struct keyboard *k, int c)
{
	bool begun = !mbsinit(&k->character);
	wchar_t character;
	size_t len;
	char byte = (char)c;

	if (c > UCHAR_MAX) {
		k->character = (mbstate_t){ 0 };
		return special(c);
	}
	len = mbrtowc(&character, &byte, 1, &k->character);
	if (len == (size_t)-2)
		return KEYCODE_NONE;
	if (len == (size_t)-1) {
		k->character = (mbstate_t){ 0 };
		/* The byte that interrupts a character begins the next key. */
		if (begun)
			put_back(k, c);
		return KEYCODE_UNKNOWN;
	}
	if (character != KEYCODE_ESC)
		return character_code(character);
	k->in = IN_ESC;
	return KEYCODE_NONE;
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

	while ((c = byte_take(k)) != ERR) {
		code = k->in ? sequence_code(k, c) : byte_code(k, c);
		if (k->pasting)
			code = pasted_code(code);
		if (code != KEYCODE_NONE)
			return code;
	}
	return pause_code(k);
}
