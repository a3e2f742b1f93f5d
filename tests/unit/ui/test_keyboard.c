// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys from terminal input: garbage neither swallows nor invents a key. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ncurses.h>
#include "ui/key.h"
#include "ui/keyboard.h"
#include "unit/test.h"

#define END -2 /* ends an array of codes */

struct typed {
	const int *code;
};

static int next_code(void *arg)
{
	struct typed *t = arg;

	return *t->code == END ? ERR : *t->code++;
}

/* Input codes of curses, and the expected keys. */
static void keys_are(const int *in, const int *out)
{
	struct typed typed = { in };
	struct keyboard k = { .next = next_code, .arg = &typed };

	for (; *out != END; out++)
		assert_int_equal(keyboard_key(&k), *out);
	assert_int_equal(keyboard_key(&k), KEYCODE_NONE);
	assert_int_equal(*typed.code, END);
}

#define NO_KEYS   ((const int[]){ END })
#define KEYS(...) ((const int[]){ __VA_ARGS__, END })

TEST(test_keys)
{
	keys_are(KEYS('q', '\r', '\n', '\b', 127, 0, 3),
		 KEYS('q', KEYCODE_ENTER, KEYCODE_ENTER, KEYCODE_BACKSPACE, KEYCODE_BACKSPACE,
		      KEYCODE_UNKNOWN, KEYCODE_CTRL('C')));
	keys_are(KEYS(KEY_UP, KEY_F(1), KEY_F(10), KEY_F(11), KEY_SELECT, KEY_MOUSE),
		 KEYS(KEYCODE_UP, KEYCODE_F(1), KEYCODE_F(10), KEYCODE_UNKNOWN, KEYCODE_END,
		      KEYCODE_UNKNOWN));
	keys_are(KEYS(27), KEYS(KEYCODE_ESC));
	keys_are(KEYS(27, 27, 'q'), KEYS(KEYCODE_ESC, KEYCODE_ESC, 'q'));
	keys_are(KEYS(27, KEY_UP), KEYS(KEYCODE_ESC, KEYCODE_UP));
}

TEST(test_characters)
{
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	keys_are(KEYS(0xc3, 0xa9, 'q'), KEYS(0xe9, 'q'));
	keys_are(KEYS(0xf0, 0x9f, 0x98, 0x80), KEYS(0x1f600));
	/* An invalid byte consumes only itself. */
	keys_are(KEYS(0xff, 'q'), KEYS(KEYCODE_UNKNOWN, 'q'));
	keys_are(KEYS(0xff, 27, 27, 'q'), KEYS(KEYCODE_UNKNOWN, KEYCODE_ESC, KEYCODE_ESC, 'q'));
	keys_are(KEYS(0xe7, 0xb6, 'q'), KEYS(KEYCODE_UNKNOWN, 'q'));
	keys_are(KEYS(0xe7, 0xc3, 0xa9), KEYS(KEYCODE_UNKNOWN, 0xe9));
	keys_are(KEYS(0xe7, 27, '[', '5', 'C', 'q'), KEYS(KEYCODE_UNKNOWN, KEYCODE_UNKNOWN, 'q'));
	keys_are(KEYS(0xe7, KEY_UP, 0xa9), KEYS(KEYCODE_UP, KEYCODE_UNKNOWN));
	assert_non_null(setlocale(LC_CTYPE, "C"));
	keys_are(KEYS(0xc3, 0xa9, 'q'), KEYS(KEYCODE_UNKNOWN, KEYCODE_UNKNOWN, 'q'));
}

/* A character may be split over two reads. */
TEST(test_a_character_in_two_reads)
{
	struct typed typed = { KEYS(0xe7, 0xb6) };
	struct keyboard k = { .next = next_code, .arg = &typed };

	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_int_equal(keyboard_key(&k), KEYCODE_NONE);
	typed.code = KEYS(0xb2, 'q');
	assert_int_equal(keyboard_key(&k), 0x7db2);
	assert_int_equal(keyboard_key(&k), 'q');
	assert_non_null(setlocale(LC_CTYPE, "C"));
}

/* A key typed after a sequence is separate. */
static void sequence_is(const char *sequence, const int *out)
{
	int codes[64] = { 0 }, keys[16], n = 0, k = 0;

	for (const char *c = sequence; *c; c++)
		codes[n++] = (unsigned char)*c;
	codes[n++] = '1';
	codes[n] = END;
	while (out[k] != END) {
		keys[k] = out[k];
		k++;
	}
	keys[k++] = '1';
	keys[k] = END;
	keys_are(codes, keys);
}

/* None of these is in the terminfo of xterm, since curses would translate it first. */
TEST(test_keys_of_other_terminals)
{
	static const struct {
		const char *sequence;
		int code;
	} keys[] = {
		/* cursor keys without and with the mode that curses sets */
		{ "[A", KEYCODE_UP },
		{ "[B", KEYCODE_DOWN },
		{ "[C", KEYCODE_RIGHT },
		{ "[D", KEYCODE_LEFT },
		{ "OA", KEYCODE_UP },
		{ "OB", KEYCODE_DOWN },
		{ "OC", KEYCODE_RIGHT },
		{ "OD", KEYCODE_LEFT },
		{ "[H", KEYCODE_HOME },
		{ "[F", KEYCODE_END },
		{ "OH", KEYCODE_HOME },
		{ "OF", KEYCODE_END },
		/* PuTTY, screen, tmux, the Linux console */
		{ "[1~", KEYCODE_HOME },
		{ "[4~", KEYCODE_END },
		{ "[3~", KEYCODE_DELETE },
		{ "[5~", KEYCODE_PAGE_UP },
		{ "[6~", KEYCODE_PAGE_DOWN },
		{ "[Z", KEYCODE_BACK_TAB },
		{ "[11~", KEYCODE_F(1) },
		{ "[12~", KEYCODE_F(2) },
		{ "[13~", KEYCODE_F(3) },
		{ "[14~", KEYCODE_F(4) },
		{ "[15~", KEYCODE_F(5) },
		{ "[17~", KEYCODE_F(6) },
		{ "[21~", KEYCODE_F(10) },
		{ "[[A", KEYCODE_F(1) },
		{ "[[E", KEYCODE_F(5) },
		{ "OP", KEYCODE_F(1) },
		{ "OS", KEYCODE_F(4) },
		{ "[P", KEYCODE_F(1) },
		{ "OM", KEYCODE_ENTER },
		/* rxvt, plain and with Shift, Ctrl and both */
		{ "[7~", KEYCODE_HOME },
		{ "[8~", KEYCODE_END },
		{ "[7$", KEYCODE_HOME },
		{ "[8^", KEYCODE_END },
		{ "[5@", KEYCODE_PAGE_UP },
		{ "[a", KEYCODE_UP },
		{ "[b", KEYCODE_DOWN },
		{ "Oc", KEYCODE_RIGHT },
		{ "Od", KEYCODE_LEFT },
		/* xterm with modifiers, and older variants */
		{ "[1;5A", KEYCODE_UP },
		{ "[1;2D", KEYCODE_LEFT },
		{ "[1;5C", KEYCODE_RIGHT },
		{ "[1;5H", KEYCODE_HOME },
		{ "[1;2F", KEYCODE_END },
		{ "[3;5~", KEYCODE_DELETE },
		{ "[6;2~", KEYCODE_PAGE_DOWN },
		{ "O5A", KEYCODE_UP },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char sequence[16] = "\033";

		strcat(sequence, keys[i].sequence);
		sequence_is(sequence, KEYS(keys[i].code));
	}
	/* keys with Shift that terminfo knows, as curses returns them */
	keys_are(KEYS(KEY_SR, KEY_SF, KEY_SLEFT, KEY_SHOME, KEY_SNEXT),
		 KEYS(KEYCODE_UP, KEYCODE_DOWN, KEYCODE_LEFT, KEYCODE_HOME, KEYCODE_PAGE_DOWN));
}

/* Function keys with modifiers, focus, F11, answers of the terminal, keypads, strings. */
TEST(test_sequences_without_a_key)
{
	static const char *const sequences[] = {
		"[I",
		"[99999999999~",
		"O5P",
		"[?1;2c",
		"[0 q",
		"Ox",
		"[1;2P",
		"[11;2~",
		"[23~",
		"[11^",
		"[2~",
		"[6;9R",
		"[?25;1$y",
		"[4;1$y",
		"[$1y",
		"[>0;10;1c",
		"[=1;2A",
		"[?1A",
		"[27;5;49~",
		"[49;5u",
		"[[1A",
		"[<1M",
		"]0;1 title\a",
		"P1$r1m\033\\",
		"_1\033\\",
		"]11;rgb:11/11/11\033\\",
		"[1111111111111111111111111111111111111111A",
	};

	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
		char sequence[64] = "\033";

		strcat(sequence, sequences[i]);
		sequence_is(sequence, KEYS(KEYCODE_UNKNOWN));
	}
}

/* In all formats: X10, SGR, urxvt; press, release, wheel, motion. */
TEST(test_a_mouse_is_no_key)
{
	static const char *const reports[] = { "[M !!",    "[M#\"0",    "[M`19",      "[<64;10;10M",
					       "[<0;5;5m", "[<35;1;2M", "[32;10;10M", "[96;1;1M" };

	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		char sequence[16] = "\033";

		strcat(sequence, reports[i]);
		sequence_is(sequence, NO_KEYS);
	}
	/* an invalid report: ^C is not taken as part of it */
	keys_are(KEYS(27, '[', 'M', ' ', 3), KEYS(KEYCODE_UNKNOWN, KEYCODE_CTRL('C')));
}

/* A requested report: left button and wheel, with any modifiers. */
TEST(test_mouse)
{
	static const struct {
		const char *sequence;
		int code, x, y;
	} reports[] = {
		{ "\033[<0;5;6M", KEYCODE_CLICK, 4, 5 },
		{ "\033[<16;300;200M", KEYCODE_CLICK, 299, 199 },
		{ "\033[<64;10;10M", KEYCODE_WHEEL_UP, 9, 9 },
		{ "\033[<69;1;1M", KEYCODE_WHEEL_DOWN, 0, 0 },
		{ "\033[M !\"", KEYCODE_CLICK, 0, 1 },
		{ "\033[M`\377\"", KEYCODE_WHEEL_UP, 222, 1 },
		{ "\033[<0;5;6m", KEYCODE_NONE, 0, 0 },
		{ "\033[<2;5;6M", KEYCODE_NONE, 0, 0 },
		{ "\033[<35;5;6M", KEYCODE_NONE, 0, 0 },
		{ "\033[<0;0;6M", KEYCODE_NONE, 0, 0 },
		{ "\033[M#!\"", KEYCODE_NONE, 0, 0 },
		{ "\033[M  \"", KEYCODE_NONE, 0, 0 },
		{ "\033[32;5;6M", KEYCODE_NONE, 0, 0 },
		{ "\033[<0;5M", KEYCODE_UNKNOWN, 0, 0 },
		{ "\033[<0;5;99999999999999999999M", KEYCODE_UNKNOWN, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		int codes[40], n = 0;
		struct typed typed = { codes };
		struct keyboard k = { .next = next_code, .arg = &typed, .mouse = true };

		for (const char *c = reports[i].sequence; *c; c++)
			codes[n++] = (unsigned char)*c;
		codes[n] = END;
		assert_int_equal(keyboard_key(&k), reports[i].code);
		if (reports[i].code >= KEYCODE_CLICK) {
			assert_int_equal(k.x, reports[i].x);
			assert_int_equal(k.y, reports[i].y);
		}
		assert_int_equal(keyboard_key(&k), KEYCODE_NONE);
	}
}

#define PASTED(c) ((c) | KEYCODE_PASTED)

TEST(test_pasted_text)
{
	struct typed typed = { KEYS(27, '[', '2', '0', '0', '~', 'q', 27) };
	struct keyboard k = { .next = next_code, .arg = &typed };

	sequence_is("\033[200~q1\n\t\r\033[201~",
		    KEYS(PASTED('q'), PASTED('1'), PASTED(' '), PASTED(' '), PASTED(' ')));
	/* control characters and sequences are dropped */
	sequence_is("\033[200~\003a\033[A\b\177\033b\033[201~", KEYS(PASTED('a'), PASTED('b')));
	sequence_is("\033[200~\033]0;x\033[201~", NO_KEYS);
	sequence_is("\033[200~\033[M\033[201~", NO_KEYS);
	sequence_is("\033[201~", NO_KEYS);
	/* split over two reads, within the bracket */
	assert_int_equal(keyboard_key(&k), PASTED('q'));
	assert_int_equal(keyboard_key(&k), KEYCODE_NONE);
	typed.code = KEYS('[', '2', '0', '1', '~', 'q');
	assert_int_equal(keyboard_key(&k), 'q');
}

TEST(test_sequences_cut_short)
{
	keys_are(KEYS(27, ']'), KEYS(KEYCODE_UNKNOWN)); /* Alt */
	keys_are(KEYS(27, '[', '1', 27, 'q'), KEYS(KEYCODE_UNKNOWN, KEYCODE_ESC, 'q'));
	keys_are(KEYS(27, 'O', KEY_UP), KEYS(KEYCODE_UNKNOWN, KEYCODE_UP));
	keys_are(KEYS(27, '[', '3', 3), KEYS(KEYCODE_UNKNOWN, KEYCODE_CTRL('C')));
	keys_are(KEYS(27, ']', '0', 27, 'q'), KEYS(KEYCODE_ESC, 'q'));
	keys_are(KEYS(27, ']', '0', 27), KEYS(KEYCODE_ESC));
	keys_are(KEYS(27, ']', '0', KEY_UP), KEYS(KEYCODE_UNKNOWN, KEYCODE_UP));
}

/* On a slow line the rest of a sequence arrives with a later read, and is still not a key. */
TEST(test_sequences_in_two_reads)
{
	static const char *const sequences[] = { "\033[<64;10;10M", "\033[6~", "\033OB",
						 "\033[M 11", "\033]0;1\a" };

	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
		const char *sequence = sequences[i];

		for (size_t cut = 2; cut < strlen(sequence); cut++) {
			int codes[32], n = 0;
			struct typed typed = { codes };
			struct keyboard k = { .next = next_code, .arg = &typed };

			if (sequence[1] == ']' && cut == 2)
				continue;
			for (size_t c = 0; c < cut; c++)
				codes[n++] = sequence[c];
			codes[n] = END;
			assert_int_equal(keyboard_key(&k), KEYCODE_NONE);
			typed.code = codes;
			for (n = 0; sequence[cut]; cut++)
				codes[n++] = sequence[cut];
			codes[n] = END;
			n = keyboard_key(&k);
			assert_true(n == KEYCODE_NONE || n >= KEYCODE_SPECIAL);
			assert_int_equal(keyboard_key(&k), KEYCODE_NONE);
		}
	}
}

/* Whatever a CSI contains, it yields no letter, digit or control character. */
TEST(test_random_sequences)
{
	unsigned int seed = 1;

	for (int round = 0; round < 100000; round++) {
		int codes[48] = { 27, '[' }, n = 2, code;
		struct typed typed = { codes };
		struct keyboard k = { .next = next_code, .arg = &typed };

		for (int left = rand_r(&seed) % 40; left; left--)
			codes[n++] = 0x20 + rand_r(&seed) % 0x20;
		if (codes[3] == '$') /* rxvt's final byte */
			codes[3] = ' ';
		codes[n++] = 0x40 + rand_r(&seed) % 0x3f;
		if (n == 3 && codes[2] == 'M')
			for (int left = 3; left; left--)
				codes[n++] = 0x20 + rand_r(&seed) % 0xe0;
		if (n == 3 && codes[2] == '[')
			codes[n++] = 0x40 + rand_r(&seed) % 0x3f;
		codes[n] = END;
		while ((code = keyboard_key(&k)) != KEYCODE_NONE)
			assert_true(code >= KEYCODE_SPECIAL);
		typed.code = KEYS('2');
		assert_int_equal(keyboard_key(&k) & ~KEYCODE_PASTED, '2');
	}
}
