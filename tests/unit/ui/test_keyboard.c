// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys from terminal input: garbage neither swallows nor invents a key. */
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ncurses.h>
#include "ui/key.h"
#include "ui/keyboard.h"
#include "unit/test.h"

/* curses with a pipe for a terminal. */
struct typing {
	FILE *in, *out;
	SCREEN *screen;
	WINDOW *window;
	int pipe;
	struct keyboard keyboard;
};

static void typing_begin(struct typing *t, const char *term)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	*t = (struct typing){ .in = fdopen(ends[0], "r"), .out = fopen("/dev/null", "w") };
	t->pipe = ends[1];
	t->keyboard.mouse = true;
	t->screen = newterm(term, t->out, t->in);
	assert_non_null(t->screen);
	t->window = newpad(1, 1);
	keypad(t->window, TRUE);
	meta(t->window, TRUE); /* a pipe has no CS8 */
	keyboard_open(&t->keyboard, t->window);
}

static void typing_end(struct typing *t)
{
	delwin(t->window);
	endwin();
	delscreen(t->screen);
	fclose(t->in);
	fclose(t->out);
	close(t->pipe);
}

static void bytes_type(struct typing *t, const char *bytes, size_t size)
{
	assert_int_equal(write(t->pipe, bytes, size), size);
}

#define PASTED(c) ((c) | KEYCODE_PASTED)
#define KEYS(...) ((const int[]){ __VA_ARGS__ __VA_OPT__(, ) KEYCODE_NONE })

/* These bytes are these keys. */
static void keys_are(struct typing *t, const char *bytes, const int *keys)
{
	bytes_type(t, bytes, strlen(bytes));
	for (; *keys != KEYCODE_NONE; keys++)
		assert_int_equal(keyboard_key(&t->keyboard), *keys);
	assert_int_equal(keyboard_key(&t->keyboard), KEYCODE_NONE);
}

/* Whatever $TERM is; a key typed after a sequence is separate. */
static void with_terminals(void (*test)(struct typing *t))
{
	static const char *const terms[] = { "xterm", "linux", "vt100", "dumb" };

	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		struct typing t;

		typing_begin(&t, terms[i]);
		test(&t);
		typing_end(&t);
	}
}

static void keys_of_terminals(struct typing *t)
{
	static const struct {
		const char *sequences;
		int code;
	} keys[] = {
		/* without and with the mode that curses sets; xterm, rxvt with modifiers */
		{ "[A OA [1;5A O5A [1;2A [a Oa", KEYCODE_UP },
		{ "[D OD [1;2D [d Od", KEYCODE_LEFT },
		/* PuTTY, screen, tmux, the Linux console, rxvt plain and with modifiers */
		{ "[H OH [1;5H [1~ [7~ [7$", KEYCODE_HOME },
		{ "[F OF [1;2F [4~ [8~ [8^", KEYCODE_END },
		{ "[3~ [3;5~ [3;2~", KEYCODE_DELETE },
		{ "[5~ [5@ [5;2~", KEYCODE_PAGE_UP },
		{ "[6~ [6;8~", KEYCODE_PAGE_DOWN },
		{ "[Z", KEYCODE_BACK_TAB },
		{ "OM", KEYCODE_ENTER },
		{ "OP [P [[A [11~", KEYCODE_F(1) },
		{ "[[E [15~", KEYCODE_F(5) },
		{ "[21~", KEYCODE_F(10) },
		/* without a key: modifiers, focus, F11, keypads, answers of the terminal, strings
		 */
		{ "[I [23~ [1;2P [11;2~ [2~ O5P OX [1;2x [27;5;49~ [49;5u [11^ [99999999999~",
		  KEYCODE_UNKNOWN },
		{ "[?1;2c [0~ [6;9R [?25;1$y [$1y [>0;10;1c [=1;2A [?1A [<1M [32;10;10M",
		  KEYCODE_UNKNOWN },
		{ "]0;1\a P1$r1m\033\\ _1\033\\ ]11;rgb:11/11/11\033\\ "
		  "[1111111111111111111111111111111111111111A",
		  KEYCODE_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		for (const char *s = keys[i].sequences; *s; s += strspn(s, " ")) {
			int length = (int)strcspn(s, " ");
			char bytes[64];

			snprintf(bytes, sizeof(bytes), "\033%.*s1", length, s);
			keys_are(t, bytes, KEYS(keys[i].code, '1'));
			s += length;
		}
	}
}

TEST(test_keys_of_terminals)
{
	with_terminals(keys_of_terminals);
}

static void keys_and_characters(struct typing *t)
{
	keys_are(t, "q\r\n\b\177\003",
		 KEYS('q', KEYCODE_ENTER, KEYCODE_ENTER, KEYCODE_BACKSPACE, KEYCODE_BACKSPACE,
		      KEYCODE_CTRL('C')));
	bytes_type(t, "", 1);
	assert_int_equal(keyboard_key(&t->keyboard), KEYCODE_UNKNOWN);
	keys_are(t, "\033", KEYS(KEYCODE_ESC));
	keys_are(t, "\033\033q", KEYS(KEYCODE_ESC, KEYCODE_ESC, 'q'));
	keys_are(t, "\033\033[A", KEYS(KEYCODE_ESC, KEYCODE_UP));
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	keys_are(t, "\xc3\xa9q\xf0\x9f\x98\x80", KEYS(0xe9, 'q', 0x1f600));
	/* an invalid byte consumes only itself */
	keys_are(t, "\xffq", KEYS(KEYCODE_UNKNOWN, 'q'));
	keys_are(t, "\xff\033\033q", KEYS(KEYCODE_UNKNOWN, KEYCODE_ESC, KEYCODE_ESC, 'q'));
	keys_are(t, "\xe7\xb6q", KEYS(KEYCODE_UNKNOWN, 'q'));
	keys_are(t, "\xe7\xc3\xa9", KEYS(KEYCODE_UNKNOWN, 0xe9));
	keys_are(t, "\xe7\033[5Cq", KEYS(KEYCODE_UNKNOWN, KEYCODE_UNKNOWN, 'q'));
	keys_are(t, "\xe7\033[B\xa9", KEYS(KEYCODE_DOWN, KEYCODE_UNKNOWN));
	/* a character split over two reads */
	keys_are(t, "\xe7\xb6", KEYS());
	keys_are(t, "\xb2q", KEYS(0x7db2, 'q'));
	assert_non_null(setlocale(LC_CTYPE, "C"));
	keys_are(t, "\xc3\xa9q", KEYS(KEYCODE_UNKNOWN, KEYCODE_UNKNOWN, 'q'));
}

TEST(test_characters)
{
	with_terminals(keys_and_characters);
}

/* Cut short by the next key, or by a pause: Alt with a letter. */
static void sequences_cut_short(struct typing *t)
{
	keys_are(t, "\033[", KEYS(KEYCODE_UNKNOWN));
	keys_are(t, "\033]", KEYS(KEYCODE_UNKNOWN));
	keys_are(t, "\033x", KEYS(KEYCODE_ESC, 'x'));
	keys_are(t, "\033[1\033q", KEYS(KEYCODE_UNKNOWN, KEYCODE_ESC, 'q'));
	keys_are(t, "\033O\033[B", KEYS(KEYCODE_UNKNOWN, KEYCODE_DOWN));
	keys_are(t, "\033[3\003", KEYS(KEYCODE_UNKNOWN, KEYCODE_CTRL('C')));
	keys_are(t, "\033]0;\033[B", KEYS(KEYCODE_UNKNOWN, KEYCODE_DOWN));
	keys_are(t, "\033]0;\003q", KEYS(KEYCODE_UNKNOWN, KEYCODE_CTRL('C'), 'q'));
}

TEST(test_sequences_cut_short)
{
	with_terminals(sequences_cut_short);
}

/* Left button and wheel, with any modifiers. */
static void mouse(struct typing *t)
{
	static const struct {
		const char *report;
		int code, x, y;
	} reports[] = {
		{ "\033[<0;5;6M", KEYCODE_CLICK, 4, 5 },
		{ "\033[<16;300;200M", KEYCODE_CLICK, 299, 199 },
		{ "\033[<64;10;10M", KEYCODE_WHEEL_UP, 9, 9 },
		{ "\033[<69;1;1M", KEYCODE_WHEEL_DOWN, 0, 0 },
		{ "\033[<0;5;6m", KEYCODE_NONE, 0, 0 },
		{ "\033[<2;5;6M", KEYCODE_NONE, 0, 0 },
		{ "\033[<35;5;6M", KEYCODE_NONE, 0, 0 },
		{ "\033[<0;0;6M", KEYCODE_NONE, 0, 0 },
		{ "\033[<0;5M", KEYCODE_UNKNOWN, 0, 0 },
		{ "\033[<0;5;6;7M", KEYCODE_UNKNOWN, 0, 0 },
		{ "\033[<0;5", KEYCODE_UNKNOWN, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		keys_are(t, reports[i].report, KEYS(reports[i].code));
		if (reports[i].code < KEYCODE_CLICK)
			continue;
		assert_int_equal(t->keyboard.x, reports[i].x);
		assert_int_equal(t->keyboard.y, reports[i].y);
	}
	/* the format that terminals had before */
	keys_are(t, "\033[M !\"q", KEYS('q'));
	keys_are(t, "\033[M`\377\"q", KEYS('q'));
	t->keyboard.mouse = false;
	keys_are(t, "\033[<0;5;6Mq", KEYS('q'));
}

TEST(test_mouse)
{
	with_terminals(mouse);
}

static void pasted_text(struct typing *t)
{
	keys_are(t, "\033[200~q1\n\t\r\033[201~1",
		 KEYS(PASTED('q'), PASTED('1'), PASTED(' '), PASTED(' '), PASTED(' '), '1'));
	/* control characters and sequences are dropped */
	keys_are(t, "\033[200~\003a\033[A\b\177\033b\033[201~1",
		 KEYS(PASTED('a'), PASTED('b'), '1'));
	keys_are(t, "\033[200~\033]0;x\033[201~1", KEYS('1'));
	keys_are(t, "\033[200~\033[\033[201~1", KEYS('1'));
	keys_are(t, "\033[201~1", KEYS('1'));
	/* split over two reads */
	keys_are(t, "\033[200~q", KEYS(PASTED('q')));
	keys_are(t, "r\033[201~q", KEYS(PASTED('r'), 'q'));
}

TEST(test_pasted_text)
{
	with_terminals(pasted_text);
}

/* Whatever a CSI contains, it yields no letter, digit or control character. */
static void random_sequences(struct typing *t)
{
	unsigned int seed = 1;

	for (int round = 0; round < 10000; round++) {
		char bytes[64] = "\033[";
		size_t n = 2;
		int code;

		for (int left = rand_r(&seed) % 40; left; left--)
			bytes[n++] = (char)(0x20 + rand_r(&seed) % 0x20);
		if (bytes[3] == '$') /* rxvt's final byte */
			bytes[3] = ' ';
		bytes[n++] = (char)(0x40 + rand_r(&seed) % 0x3f);
		if (n == 3 && bytes[2] == 'M')
			for (int left = 3; left; left--)
				bytes[n++] = (char)(0x20 + rand_r(&seed) % 0xe0);
		if (n == 3 && bytes[2] == '[')
			bytes[n++] = (char)('A' + rand_r(&seed) % 5);
		bytes[n++] = '2';
		bytes_type(t, bytes, n);
		while (((code = keyboard_key(&t->keyboard)) & ~KEYCODE_PASTED) != '2')
			assert_true(code >= KEYCODE_SPECIAL);
		assert_int_equal(keyboard_key(&t->keyboard), KEYCODE_NONE);
	}
}

TEST(test_random_sequences)
{
	with_terminals(random_sequences);
}
