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
	return line_move_find(now[0], then[0], HEIGHT, WIDTH);
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

/* curses scrolls no fewer lines than it goes. */
static void test_too_far(void **state)
{
	const wchar_t now[HEIGHT][WIDTH] = {
		L"header    ", L"90 new    ", L"91 newer  ", L"92 others ",
		L"93 again  ", L"10 alpha  ", L"11 beta   ", L"footer    ",
	};

	assert_true(find(now).gain < 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_moved),
		cmocka_unit_test(test_down),
		cmocka_unit_test(test_up),
		cmocka_unit_test(test_too_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
