// SPDX-License-Identifier: GPL-2.0-or-later
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "ui/ansi_screen.h"

#define HEIGHT 12
#define WIDTH  30
#define ALL    ((struct ansi_abilities){ true, true, true, true })

/* A terminal that knows no more than it must, and is strict. */
struct model {
	struct ansi_abilities can;
	wchar_t cell[HEIGHT][WIDTH], look;
	int y, x, top, bottom;
};

static void lines_move(struct model *m, int top, int n, bool down)
{
	int lines = m->bottom - top + 1;

	assert_true(top >= m->top && n >= 1 && n <= lines);
	memmove(m->cell[down ? top + n : top], m->cell[down ? top : top + n],
		(size_t)(lines - n) * sizeof(m->cell[0]));
	wmemset(m->cell[down ? top : m->bottom - n + 1], ' ', (size_t)n * WIDTH);
}

static void attribute(struct model *m, int n)
{
	static const wchar_t looks[] = {
		[1] = CELL_BOLD, [2] = CELL_DIM, [4] = CELL_UNDERLINE, [7] = CELL_REVERSE
	};

	assert_true(!n || n < 20 || n == 22 || n == 24 || n == 27 || n == 39 || n / 10 == 3);
	if (n == 22 || n == 24 || n == 27 || n == 39)
		assert_true(m->can.undoes);
	if (!n)
		m->look = 0;
	else if (n < 20)
		m->look |= looks[n];
	else if (n == 22)
		m->look &= ~(CELL_BOLD | CELL_DIM);
	else if (n < 30)
		m->look &= ~looks[n - 20];
	else
		m->look = (m->look & (CELL_COLOR(0) - 1)) | CELL_COLOR(n == 39 ? -1 : n - 30);
}

/* Erased cells are blank where no attribute shows that terminals disagree about. */
static void erase(struct model *m, int n)
{
	assert_false(m->look & (CELL_UNDERLINE | CELL_REVERSE));
	assert_true(m->x < WIDTH && n > 0 && m->x + n <= WIDTH);
	wmemset(&m->cell[m->y][m->x], ' ', (size_t)n);
}

static const char *sequence(struct model *m, const char *p)
{
	int n[8] = { 0 }, count = 0;
	char *end;

	for (;; p++) {
		n[count++] = (int)strtol(p, &end, 10);
		p = end;
		if (*p != ';')
			break;
	}
	if (strchr("CDGXd", *p))
		assert_true(m->y >= 0 && m->x < WIDTH);
	switch (*p) {
	case 'C':
		m->x += n[0] ? n[0] : 1;
		break;
	case 'D':
		m->x -= n[0] ? n[0] : 1;
		break;
	case 'G':
		assert_true(m->can.addresses);
		m->x = n[0] - 1;
		break;
	case 'd':
		assert_true(m->can.addresses);
		m->y = n[0] - 1;
		break;
	case 'H':
		m->y = n[0] - 1;
		m->x = count > 1 ? n[1] - 1 : 0;
		break;
	case 'K':
		erase(m, WIDTH - m->x);
		break;
	case 'X':
		assert_true(m->can.erases);
		erase(m, n[0]);
		break;
	case 'L':
	case 'M':
		assert_true(m->can.scrolls);
		assert_false(m->look & (CELL_UNDERLINE | CELL_REVERSE));
		lines_move(m, m->y, n[0] ? n[0] : 1, *p == 'L');
		break;
	case 'r':
		assert_true(m->can.scrolls);
		m->top = n[0] ? n[0] - 1 : 0;
		m->bottom = count > 1 ? n[1] - 1 : HEIGHT - 1;
		m->y = m->x = 0;
		break;
	case 'm':
		for (int i = 0; i < count; i++)
			attribute(m, n[i]);
		break;
	default:
		fail_msg("CSI %c", *p);
	}
	assert_in_range(m->x, 0, *p == 'm' ? WIDTH : WIDTH - 1);
	assert_in_range(m->y, 0, HEIGHT - 1);
	return p + 1;
}

static void show(struct model *m, const char *p)
{
	while (*p) {
		wchar_t c;
		int n;

		if (!strncmp(p, "\033[", 2)) {
			p = sequence(m, p + 2);
			continue;
		}
		n = mbtowc(&c, p, MB_CUR_MAX);
		assert_true(n > 0);
		p += n;
		if (c == '\r') {
			m->x = 0;
		} else if (c == '\b') {
			assert_in_range(m->x, 1, WIDTH - 1);
			m->x--;
		} else if (c == '\v') {
			assert_true(m->x < WIDTH && m->y < m->bottom);
			m->y++;
		} else {
			assert_true(c >= ' ' && m->y >= 0 && m->x < WIDTH);
			/* what a blank does not show is no part of it */
			if (c != ' ' || m->look & (CELL_UNDERLINE | CELL_REVERSE))
				c |= m->look;
			m->cell[m->y][m->x++] = c;
		}
	}
	assert_true(m->top == 0 && m->bottom == HEIGHT - 1);
}

static struct model *model(const struct ansi_screen *s)
{
	struct model *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	*m = (struct model){ .can = s->can, .y = 5, .look = CELL_REVERSE, .bottom = HEIGHT - 1 };
	wmemset(m->cell[0], ' ', HEIGHT * WIDTH);
	return m;
}

static struct ansi_screen *screen(struct ansi_abilities can)
{
	struct ansi_screen *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->can = can;
	assert_int_equal(ansi_screen_resize(s, HEIGHT, WIDTH), 0);
	wmemset(s->now, ' ', HEIGHT * WIDTH);
	return s;
}

static void put(struct ansi_screen *s, int y, int x, const char *text, wchar_t look)
{
	for (; *text; text++)
		s->now[y * WIDTH + x++] = (unsigned char)*text | look;
}

static char *written(struct ansi_screen *s)
{
	char *bytes;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	assert_non_null(out);
	assert_int_equal(ansi_screen_write(s, out), 0);
	fclose(out);
	return bytes;
}

static void assert_written(struct ansi_screen *s, const char *want)
{
	char *bytes = written(s);

	assert_string_equal(bytes, want);
	free(bytes);
}

static void done(struct ansi_screen *s)
{
	ansi_screen_free(s);
	free(s);
}

static void test_column(void **state)
{
	struct ansi_screen *s = screen(ALL);

	for (int y = 4; y < 9; y++)
		put(s, y, 2, "eth0    100  200", 0);
	free(written(s));
	for (int y = 4; y < 9; y++) {
		put(s, y, 11, "37", 0);
		put(s, y, 17, "9", 0);
	}
	s->y = s->x = 0;
	assert_written(s, "\033[5;12H37\b\b\v37\b\b\v37\b\b\v37\b\b\v37"
			  "  209\b\033[5d9\b\v9\b\v9\b\v9");
	assert_written(s, "");
	done(s);
}

/* A colour is set once for its column; a blank needs none. */
static void test_looks(void **state)
{
	struct ansi_screen *s = screen(ALL);

	put(s, 1, 5, "1", CELL_COLOR(1));
	put(s, 1, 8, "a", 0);
	put(s, 2, 5, "2", CELL_COLOR(1));
	put(s, 2, 8, "b", 0);
	assert_written(s, "\033[m\033[2;6H\033[31m1\b\v2  \033[mb\b\033[2da");
	put(s, 1, 8, "c", CELL_BOLD | CELL_COLOR(1));
	put(s, 2, 8, "  d", CELL_BOLD);
	s->now[2 * WIDTH + 8] = s->now[2 * WIDTH + 9] = ' ';
	assert_written(s, "\b\v  \033[1md\033[2;9H\033[31mc");
	done(s);
}

static void test_line_that_becomes_shorter(void **state)
{
	struct ansi_screen *s = screen(ALL);

	put(s, 3, 0, "some words  and more", 0);
	free(written(s));
	wmemset(s->now + 3 * WIDTH, ' ', WIDTH);
	put(s, 3, 0, "another", 0);
	s->y = s->x = 0;
	assert_written(s, "\v\v\vanother\033[K");
	done(s);
}

static void test_lines_that_moved(void **state)
{
	struct ansi_screen *s = screen(ALL);

	put(s, 2, 0, "12:00:01 a device was lost", 0);
	put(s, 3, 0, "12:00:01 another one came", 0);
	free(written(s));
	put(s, 2, 0, "12:00:02 new                  ", 0);
	put(s, 3, 0, "12:00:01 a device was lost", 0);
	put(s, 4, 0, "12:00:01 another one came", 0);
	s->y = s->x = 0;
	assert_written(s, "\033[3;5r\033[3H\033[L\033[r\v\v12:00:02 new");
	done(s);
}

static uint32_t next(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % n;
}

/* As a table changes: numbers, whole rows, rows that move, attributes. */
static void change(struct ansi_screen *s, uint32_t *seed)
{
	static const wchar_t characters[] = L"0123456789abc    \u00b7\u25bc\u2588";
	static const wchar_t looks[] = { 0,
					 0,
					 0,
					 CELL_BOLD,
					 CELL_DIM,
					 CELL_REVERSE,
					 CELL_UNDERLINE | CELL_BOLD,
					 CELL_COLOR(1),
					 CELL_COLOR(2) | CELL_DIM };
	int y = (int)next(seed, HEIGHT), x = (int)next(seed, WIDTH), n = (int)next(seed, WIDTH);
	wchar_t look = looks[next(seed, sizeof(looks) / sizeof(looks[0]))];

	if (!next(seed, 4)) {
		wmemmove(s->now + (y / 2) * WIDTH, s->now + y * WIDTH,
			 (size_t)(HEIGHT - y) * WIDTH);
		return;
	}
	if (n > WIDTH - x || !next(seed, 8))
		n = WIDTH - x;
	for (; n--; x++) {
		wchar_t c =
			look & CELL_REVERSE && next(seed, 2)
				? ' '
				: characters[next(seed, sizeof(characters) / sizeof(wchar_t) - 1)];

		s->now[y * WIDTH + x] =
			c == ' ' && !(look & (CELL_REVERSE | CELL_UNDERLINE)) ? c : c | look;
	}
}

static void test_it_shows_what_it_is_to_show(void **state)
{
	uint32_t seed = 1;

	for (int can = 0; can < 16; can++) {
		struct ansi_screen *s =
			screen((struct ansi_abilities){ can & 1, can & 2, can & 4, can & 8 });
		struct model *m = model(s);

		for (int frame = 0; frame < 500; frame++) {
			char *bytes;

			for (int n = (int)next(&seed, 6); n >= 0; n--)
				change(s, &seed);
			bytes = written(s);
			show(m, bytes);
			assert_memory_equal(m->cell, s->now, sizeof(m->cell));
			assert_memory_equal(s->shown, s->now, sizeof(m->cell));
			free(bytes);
		}
		free(m);
		done(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_column),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_line_that_becomes_shorter),
		cmocka_unit_test(test_lines_that_moved),
		cmocka_unit_test(test_it_shows_what_it_is_to_show),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
