// SPDX-License-Identifier: GPL-2.0-or-later
/* The key table is consistent for footer, help and dispatch. */
#include <stdio.h>
#include <string.h>
#include "model/tracepoint.h"
#include "ui/key.h"
#include "unit/test.h"

TEST(test_rows_complete)
{
	assert_non_null(key_rows[0].group);
	for (size_t i = 0; i < n_key_rows; i++) {
		const struct key_row *r = &key_rows[i];

		assert_true(r->contexts);
		assert_true(r->code[0]);
		assert_non_null(r->label);
		assert_non_null(r->help);
		assert_true(strlen(r->label) > 0 && strlen(r->label) <= 12);
		assert_true(strlen(r->help) > 0 && strlen(r->help) <= 70);
	}
}

TEST(test_no_key_twice)
{
	for (uint32_t context = 1; context <= KEYS_TOO_SMALL; context <<= 1)
		for (size_t i = 0; i < n_key_rows; i++)
			for (int k = 0; k < KEY_CODES && key_rows[i].code[k]; k++)
				if (key_rows[i].contexts & context)
					assert_ptr_equal(key_row_find(context, key_rows[i].code[k]),
							 &key_rows[i]);
}

/*
 * Everywhere there is a way out and a help: q closes layers over a view, F10 quits. Esc never
 * quits; letters are text in a prompt.
 */
TEST(test_manners)
{
	for (uint32_t context = 1; context < KEYS_PROMPT; context <<= 1) {
		assert_string_equal(key_row_find(context, 'q')->label,
				    context & KEYS_VIEW ? "quit" : "back");
		assert_string_equal(key_row_find(context, '?')->label, "help");
		assert_string_equal(key_row_find(context, KEYCODE_F(10))->label, "quit");
		assert_string_equal(key_row_find(context, KEYCODE_CTRL('C'))->label, "quit");
		assert_string_equal(key_row_find(context, KEYCODE_ESC)->label,
				    context & KEYS_TABLE ? "clear filter" : "back");
	}
	assert_string_equal(key_row_find(KEYS_PROMPT, KEYCODE_F(10))->label, "quit");
	assert_string_equal(key_row_find(KEYS_TOO_SMALL, 'q')->label, "quit");
	for (int c = ' '; c < 256; c++)
		assert_null(key_row_find(KEYS_PROMPT, c));
	assert_null(key_row_find(KEYS_TABLE, KEYCODE_NONE));
	assert_null(key_row_find(KEYS_TABLE, 0));
	assert_null(key_row_find(KEYS_TABLE, KEYCODE_UNKNOWN));
}

/* In the view of tracepoints digits switch them; elsewhere a digit chooses a view. */
TEST(test_digits)
{
	for (uint32_t context = 1; context < KEYS_PROMPT; context <<= 1) {
		const struct key_row *row = key_row_find(context, '3');

		if (context & KEYS_TRACEPOINTS)
			assert_string_equal(row->label, "by number");
		else
			assert_string_equal(row->label, "nth view");
	}
	for (int i = 0; i < TP_COUNT; i++)
		if (tracepoints[i].key)
			assert_string_equal(
				key_row_find(KEYS_TRACEPOINTS, tracepoints[i].key)->label,
				i == TP_VERDICTS ? "verdicts" : "by number");
}

TEST(test_names)
{
	char buf[80];

	key_code_name(buf, sizeof(buf), KEYCODE_ENTER);
	assert_string_equal(buf, "Enter");
	key_code_name(buf, sizeof(buf), KEYCODE_F(10));
	assert_string_equal(buf, "F10");
	key_code_name(buf, sizeof(buf), KEYCODE_CTRL('L'));
	assert_string_equal(buf, "^L");
	key_code_name(buf, sizeof(buf), 'q');
	assert_string_equal(buf, "q");
	key_row_names(buf, sizeof(buf), key_row_find(KEYS_TABLE, '5'));
	assert_string_equal(buf, "1..9");
	key_row_names(buf, sizeof(buf), key_row_find(KEYS_TABLE, KEYCODE_F(10)));
	assert_string_equal(buf, "F10 ^C");
	/* Every key has a distinct name that fits a line of the help. */
	for (size_t i = 0; i < n_key_rows; i++) {
		assert_true(key_row_names(buf, sizeof(buf), &key_rows[i]) < 24);
		assert_null(strstr(buf, "that key"));
	}
	key_row_names(buf, 4, key_row_find(KEYS_TABLE, KEYCODE_F(10)));
	assert_true(strlen(buf) < 4);
}
