// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "ui/terminal_frame.h"

/* What the next piece leaves. */
static const char *rest(char *bytes, size_t room)
{
	struct terminal_frame f = { .bytes = bytes, .size = strlen(bytes) };

	return bytes + terminal_frame_piece(&f, room);
}

static void test_all_of_it(void **state)
{
	assert_string_equal(rest("", 4), "");
	assert_string_equal(rest("text", 4), "");
	assert_string_equal(rest("text", SIZE_MAX), "");
}

static void test_no_sequence_is_cut(void **state)
{
	char line[] = "one\033[31mtwo\r\v\033[1;2Hthree";

	for (size_t room = 4; room < 11; room++)
		assert_string_equal(rest(line, room), "\033[31mtwo\r\v\033[1;2Hthree");
	assert_string_equal(rest(line, 11), "\r\v\033[1;2Hthree");
	assert_string_equal(rest(line, 12), "\v\033[1;2Hthree");
	assert_string_equal(rest(line, 13), "\033[1;2Hthree");
	assert_string_equal(rest(line, sizeof(line) - 2), "\033[1;2Hthree");
}

/* It would repeat what the terminal got in between. */
static void test_repeat_follows_its_character(void **state)
{
	assert_string_equal(rest("\rab\vcd-\033[12b\033[mef", 7), "\vcd-\033[12b\033[mef");
	assert_string_equal(rest("\rab\vcd-\033[12b\033[mef", 12), "\033[mef");
}

static void test_text_without_a_place_to_cut(void **state)
{
	assert_string_equal(rest("more than the room\rrest", 4), "\rrest");
	assert_string_equal(rest("more than the room", 4), "");
}

/* Behind what was sent goes on what is left. */
static void test_pieces_in_a_row(void **state)
{
	char line[] = "one\rtwo\rthree\rfour";
	struct terminal_frame f = { .bytes = line, .size = strlen(line) };
	static const size_t pieces[] = { 3, 4, 6, 5, 0 };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t piece = terminal_frame_piece(&f, 6);

		assert_int_equal(piece, pieces[i]);
		f.sent += piece;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_of_it),
		cmocka_unit_test(test_no_sequence_is_cut),
		cmocka_unit_test(test_repeat_follows_its_character),
		cmocka_unit_test(test_text_without_a_place_to_cut),
		cmocka_unit_test(test_pieces_in_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
