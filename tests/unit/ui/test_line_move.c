// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "ui/line_move.h"

#define HEIGHT 8
#define WIDTH  10

static const wchar_t then[HEIGHT][WIDTH] = {
	L"header    ", L"00 alpha  ", L"01 beta   ", L"02 gamma  ",
	L"03 delta  ", L"04 epsilon", L"05 zeta   ", L"footer    ",
};

static struct line_move find(const wchar_t (*now)[WIDTH])
{
	return line_move_find(now[0], then[0], HEIGHT, WIDTH, 1);
}

static void test_nothing_moved(void **state)
{
	const wchar_t now[HEIGHT][WIDTH] = {
		L"header    ", L"10 alpha  ", L"11 beta   ", L"12 gamma  ",
		L"13 delta  ", L"14 epsilon", L"15 zeta   ", L"footer    ",
	};

	assert_int_equal(find(then).gain, 0);
	assert_int_equal(find(now).gain, 0);
}

/* Two new lines above four of the old ones, whose numbers changed. */
static void test_down(void **state)
{
	const wchar_t now[HEIGHT][WIDTH] = {
		L"header    ", L"98 new    ", L"99 newer  ", L"10 alpha  ",
		L"11 beta   ", L"12 gamma  ", L"13 delta  ", L"footer    ",
	};
	struct line_move move = find(now);

	assert_int_equal(move.by, -2);
	assert_int_equal(move.first, 3);
	assert_int_equal(move.last, 6);
	assert_true(move.gain > 15);
}

static void test_up(void **state)
{
	const wchar_t now[HEIGHT][WIDTH] = {
		L"header    ", L"12 gamma  ", L"13 delta  ", L"14 epsilon",
		L"15 zeta   ", L"98 newcome", L"99 newer  ", L"footer    ",
	};
	struct line_move move = find(now);

	assert_int_equal(move.by, 2);
	assert_int_equal(move.first, 1);
	assert_int_equal(move.last, 4);
}

/* Lines that are shown twice now: where they were, they would have to be written again. */
static void test_lines_left_empty(void **state)
{
	const wchar_t now[HEIGHT][WIDTH] = {
		L"header    ", L"00 alpha  ", L"04 epsilon", L"05 zeta   ",
		L"03 delta  ", L"04 epsilon", L"05 zeta   ", L"footer    ",
	};

	assert_true(find(now).gain < 10);
}

/* A frame of 40 x 100 cells: rows of text, all different, the first of them `from`. */
static const wchar_t *rows(wchar_t frame[40][100], int from)
{
	for (int y = 0; y < 40; y++) {
		uint32_t seed = (uint32_t)(y + from);

		for (int x = 0; x < 100; x++) {
			seed = seed * 1664525 + 1013904223;
			frame[y][x] = L'a' + (wchar_t)((seed ^ seed >> 13) % 23);
		}
	}
	return frame[0];
}

static void test_too_little(void **state)
{
	wchar_t before[40][100], after[40][100];
	struct line_move move = line_move_find(rows(after, 3), rows(before, 0), 40, 100, 1);

	assert_int_equal(move.by, 3);
	assert_int_equal(move.first, 0);
	assert_int_equal(move.last, 36);
	assert_int_equal(line_move_find(after[0], before[0], 40, 100, move.gain).gain, move.gain);
	assert_int_equal(line_move_find(after[0], before[0], 40, 100, move.gain + 1).gain, 0);
	/* lines that have nothing to do with each other have equal cells by chance */
	rows(after, 1000);
	assert_int_equal(line_move_find(after[0], before[0], 40, 100, 1).gain, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_moved),
		cmocka_unit_test(test_down),
		cmocka_unit_test(test_up),
		cmocka_unit_test(test_lines_left_empty),
		cmocka_unit_test(test_too_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
