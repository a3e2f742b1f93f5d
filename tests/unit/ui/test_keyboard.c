// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys out of what a terminal sends: no byte of rubbish takes a key with it or makes one up. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <ncurses.h>
#include "ui/key.h"
#include "ui/keyboard.h"

#define END -2 /* of an array of codes */

struct typed {
	const int *code;
};

static int next_code(void *arg)
{
	struct typed *t = arg;

	return *t->code == END ? ERR : *t->code++;
}

/* Codes as curses gives them, and what becomes of them. */
static void keys_are(const int *in, const int *out)
{
	struct typed typed = { in };
	struct keyboard k = { .next = next_code, .arg = &typed };

	for (; *out != END; out++)
		assert_int_equal(keyboard_key(&k), *out);
	assert_int_equal(keyboard_key(&k), KEYCODE_NONE);
	assert_int_equal(*typed.code, END);
}

#define KEYS(...) ((const int[]){ __VA_ARGS__, END })

static void test_keys(void **state)
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

static void test_characters(void **state)
{
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	keys_are(KEYS(0xc3, 0xa9, 'q'), KEYS(0xe9, 'q'));
	keys_are(KEYS(0xf0, 0x9f, 0x98, 0x80), KEYS(0x1f600));
	/* No characters: each takes itself only. */
	keys_are(KEYS(0xff, 'q'), KEYS(KEYCODE_UNKNOWN, 'q'));
	keys_are(KEYS(0xff, 27, 27, 'q'), KEYS(KEYCODE_UNKNOWN, KEYCODE_ESC, KEYCODE_ESC, 'q'));
	keys_are(KEYS(0xe7, 0xb6, 'q'), KEYS(KEYCODE_UNKNOWN, 'q'));
	keys_are(KEYS(0xe7, 0xc3, 0xa9), KEYS(KEYCODE_UNKNOWN, 0xe9));
	keys_are(KEYS(0xe7, 27, '[', '5', 'C', 'q'), KEYS(KEYCODE_UNKNOWN, KEYCODE_UNKNOWN, 'q'));
	keys_are(KEYS(0xe7, KEY_UP, 0xa9), KEYS(KEYCODE_UP, KEYCODE_UNKNOWN));
	assert_non_null(setlocale(LC_CTYPE, "C"));
	keys_are(KEYS(0xc3, 0xa9, 'q'), KEYS(KEYCODE_UNKNOWN, KEYCODE_UNKNOWN, 'q'));
}

/* The rest of a character may come with the next read. */
static void test_a_character_in_two_reads(void **state)
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

/* Sequences curses does not know: Ctrl-Right, a mouse, focus, F5 and F1 of other terminals. */
static void test_sequences(void **state)
{
	static const char *const sequences[] = { "[1;5C", "[<0;5;5M", "[I",    "[99999999999~",
						 "[[E",   "O5P",      "[200~", "[?1;2c",
						 "[0 q",  "Ox" };

	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
		int codes[32] = { 27 }, n = 1;

		for (const char *c = sequences[i]; *c; c++)
			codes[n++] = *c;
		codes[n++] = '1';
		codes[n] = END;
		keys_are(codes, KEYS(KEYCODE_UNKNOWN, '1'));
	}
}

static void test_sequences_cut_short(void **state)
{
	keys_are(KEYS(27, '['), KEYS(KEYCODE_UNKNOWN));
	keys_are(KEYS(27, 'O'), KEYS(KEYCODE_UNKNOWN));
	keys_are(KEYS(27, '[', '1', 27, 'q'), KEYS(KEYCODE_UNKNOWN, KEYCODE_ESC, 'q'));
	keys_are(KEYS(27, 'O', KEY_UP), KEYS(KEYCODE_UNKNOWN, KEYCODE_UP));
	keys_are(KEYS(27, '[', '3', 3), KEYS(KEYCODE_UNKNOWN, KEYCODE_CTRL('C')));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_characters),
		cmocka_unit_test(test_a_character_in_two_reads),
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_sequences_cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
