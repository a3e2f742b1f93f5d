// SPDX-License-Identifier: GPL-2.0-or-later
/* An interface name from a container cannot control a terminal. */
#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "base/sanitize.h"
#include "unit/test.h"

struct example {
	const char *raw, *text;
};

static const struct example examples[] = {
	{ "", "" },
	{ "eth0", "eth0" },
	{ "veth1@if2 x", "veth1@if2 x" },
	{ "a\"b,c'", "a\"b,c'" },
	{ "\x1b[2J", "\\x1b[2J" },
	{ "a\nb\tc\rd", "a\\x0ab\\x09c\\x0dd" },
	{ "\x7f", "\\x7f" },
	{ "a\\b", "a\\\\b" },
	{ "\\x1b", "\\\\x1b" },
	/* valid UTF-8 */
	{ "h\xc3\xa4llo", "h\xc3\xa4llo" },
	{ "\xe6\xbc\xa2", "\xe6\xbc\xa2" },
	{ "\xc2\xa9", "\xc2\xa9" },
	{ "\xe0\xa4\x84", "\xe0\xa4\x84" },
	{ "\xf0\x90\x80\x80", "\xf0\x90\x80\x80" },
	{ "\xf0\x9f\x90\x9d", "\xf0\x9f\x90\x9d" },
	/* invalid: stray, truncated, overlong, surrogate, beyond Unicode */
	{ "\xff", "\\xff" },
	{ "\x80x", "\\x80x" },
	{ "\xc3", "\\xc3" },
	{ "\xc3(", "\\xc3(" },
	{ "\xe6\xbc", "\\xe6\\xbc" },
	{ "\xe6\xbcx", "\\xe6\\xbcx" },
	{ "\xc0\xaf", "\\xc0\\xaf" },
	{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf" },
	{ "\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf" },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
	{ "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80" },
	/*
	 * valid but invisible: C1 CSI, bidi override and isolate, zero width, soft hyphen, line
	 * separator, no-break space, tag, variation selector, filler, private use, byte order mark
	 */
	{ "\xc2\x9b", "\\xc2\\x9b" },
	{ "\xe2\x80\xae", "\\xe2\\x80\\xae" },
	{ "\xe2\x81\xa6", "\\xe2\\x81\\xa6" },
	{ "\xe2\x80\x8b", "\\xe2\\x80\\x8b" },
	{ "\xe2\x80\x8d", "\\xe2\\x80\\x8d" },
	{ "\xc2\xad", "\\xc2\\xad" },
	{ "\xe2\x80\xa8", "\\xe2\\x80\\xa8" },
	{ "\xc2\xa0", "\\xc2\\xa0" },
	{ "\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81" },
	{ "\xef\xb8\x8f", "\\xef\\xb8\\x8f" },
	{ "\xe3\x85\xa4", "\\xe3\\x85\\xa4" },
	{ "\xee\x80\x80", "\\xee\\x80\\x80" },
	{ "\xef\xbb\xbf", "\\xef\\xbb\\xbf" },
	/*
	 * affect neighbouring cells: combining accent and enclosing circle, Hebrew, Arabic and its
	 * digits, Samaritan, Cypriot
	 */
	{ "e\xcc\x81", "e\\xcc\\x81" },
	{ "\xe2\x83\x9d", "\\xe2\\x83\\x9d" },
	{ "\xd7\xa9", "\\xd7\\xa9" },
	{ "\xd8\xb3\xd9\xa3", "\\xd8\\xb3\\xd9\\xa3" },
	{ "\xe0\xa0\x80", "\\xe0\\xa0\\x80" },
	{ "\xf0\x90\xa0\x80", "\\xf0\\x90\\xa0\\x80" },
};

static int set_utf8(void **state)
{
	return !setlocale(LC_CTYPE, "C.UTF-8");
}

TEST_WITH(test_examples, set_utf8, NULL)
{
	char buf[128];

	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		int len = sanitize(buf, sizeof(buf), examples[i].raw, strlen(examples[i].raw));

		assert_string_equal(buf, examples[i].text);
		assert_int_equal(len, strlen(examples[i].text));
	}
}

/* A recorded name is already printable: it stays the same, and harmless. */
TEST_WITH(test_again, set_utf8, NULL)
{
	char buf[128], again[128];

	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		sanitize(buf, sizeof(buf), examples[i].raw, strlen(examples[i].raw));
		sanitize_keep_escapes(again, sizeof(again), buf, strlen(buf));
		assert_string_equal(again, buf);
	}
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		sanitize_text(buf, sizeof(buf), examples[i].raw, strlen(examples[i].raw));
		sanitize_text(again, sizeof(again), buf, strlen(buf));
		assert_string_equal(again, buf);
		assert_null(strpbrk(buf, "\x1b\n\xae"));
	}
	sanitize_keep_escapes(again, sizeof(again), "\x1b]0;x\x07", 6);
	assert_string_equal(again, "\\x1b]0;x\\x07");
}

/* Backslashes that escape nothing, which the monitor never writes into a recording. */
TEST_WITH(test_stray_backslash, set_utf8, NULL)
{
	static const struct example stray[] = {
		{ "\\", "\\\\" },
		{ "\\'", "\\\\'" },
		{ "a\\n", "a\\\\n" },
		{ "\\\\\\", "\\\\\\\\" },
		{ "\\x", "\\\\x" },
		{ "\\x1", "\\\\x1" },
		{ "\\x1B", "\\\\x1B" },
		{ "\\xg0", "\\\\xg0" },
		{ "\\x00b", "\\\\x00b" },
		{ "\\x1b\\", "\\x1b\\\\" },
		{ "\\\\x1b", "\\\\x1b" },
		{ "\\\\\\x1b", "\\\\\\x1b" },
		{ "\\\xc3\xa9", "\\\\\xc3\xa9" },
	};
	char buf[64];

	for (size_t i = 0; i < sizeof(stray) / sizeof(stray[0]); i++) {
		sanitize_keep_escapes(buf, sizeof(buf), stray[i].raw, strlen(stray[i].raw));
		assert_string_equal(buf, stray[i].text);
	}
	/* but the user may type them */
	for (size_t i = 0; i < sizeof(stray) / sizeof(stray[0]); i++) {
		sanitize_text(buf, sizeof(buf), stray[i].raw, strlen(stray[i].raw));
		assert_string_equal(buf, stray[i].raw);
	}
	/* an escape truncated by len is not an escape */
	sanitize_keep_escapes(buf, sizeof(buf), "\\x1b", 3);
	assert_string_equal(buf, "\\\\x1");
	/* no buffer size splits an escape */
	for (size_t size = 1; size <= 9; size++)
		assert_int_equal(sanitize_keep_escapes(buf, size, "\\x1b\\\\\\x1b", 10),
				 size > 6   ? 6
				 : size > 4 ? 4
					    : 0);
}

/* Every printed character takes one or two columns, so that cells keep their places. */
TEST_WITH(test_every_character, set_utf8, NULL)
{
	for (uint32_t c = 0x80; c < 0x110000; c++) {
		char raw[MB_LEN_MAX], buf[4 * MB_LEN_MAX + 1];
		int len = wctomb(raw, (wchar_t)c);

		if (len > 0 && sanitize(buf, sizeof(buf), raw, (size_t)len) == len)
			assert_true(wcwidth((wchar_t)c));
	}
}

TEST_WITH(test_ends, set_utf8, NULL)
{
	char buf[16];

	/* ends at NUL, or at len without one: a kernel name of 16 bytes may fill its field */
	assert_int_equal(sanitize(buf, sizeof(buf), "ab\0cd", 5), 2);
	assert_string_equal(buf, "ab");
	assert_int_equal(sanitize(buf, sizeof(buf), "abcdef", 3), 3);
	assert_string_equal(buf, "abc");
	/* a character truncated by len is invalid */
	sanitize(buf, sizeof(buf), "\xe6\xbc\xa2", 2);
	assert_string_equal(buf, "\\xe6\\xbc");
}

/* Whatever the size: terminated, a prefix of the whole, no split escape or character. */
TEST_WITH(test_small_buffers, set_utf8, NULL)
{
	static const char raw[] = "a\x1b\xe6\xbc\xa2\\\xff";
	char whole[64], buf[64];

	sanitize(whole, sizeof(whole), raw, sizeof(raw));
	assert_string_equal(whole, "a\\x1b\xe6\xbc\xa2\\\\\\xff");
	for (size_t size = 1; size <= sizeof(whole); size++) {
		static const size_t ends[] = { 0, 1, 5, 8, 10, 14 };
		bool ok = false;
		int len;

		memset(buf, 'Z', sizeof(buf));
		len = sanitize(buf, size, raw, sizeof(raw));
		assert_true((size_t)len < size);
		assert_int_equal(strlen(buf), len);
		assert_memory_equal(buf, whole, (size_t)len);
		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
			ok |= (size_t)len == ends[i];
		assert_true(ok);
	}
	memset(buf, 'Z', sizeof(buf));
	assert_int_equal(sanitize(buf, 0, raw, sizeof(raw)), 0);
	assert_int_equal(buf[0], 'Z');
}

/*
 * For every byte string only printable ASCII and valid, harmless UTF-8 comes out, within 4 * len.
 */
TEST_WITH(test_every_byte, set_utf8, NULL)
{
	for (int a = 1; a < 256; a++) {
		for (int b = 0; b < 256; b++) {
			char raw[2] = { (char)a, (char)b }, buf[2 * 4 + 1];
			int len = sanitize(buf, sizeof(buf), raw, 2);

			assert_true(len >= 1 && len <= 8);
			for (int i = 0; i < len; i++)
				assert_true((unsigned char)buf[i] >= 0x20 && buf[i] != 0x7f);
		}
	}
}

/* Formatted text that is too long: no character or escape is split. */
TEST_WITH(test_format, set_utf8, NULL)
{
	char buf[16];

	assert_int_equal(sanitize_format(buf, sizeof(buf), "%s (%d)", "eth0", 7), 8);
	assert_string_equal(buf, "eth0 (7)");
	for (size_t size = 1; size <= sizeof(buf); size++) {
		static const size_t ends[] = { 0, 1, 3, 7, 9, 12, 13, 14, 15 };
		bool whole = false;
		int len =
			sanitize_format(buf, size, "a%s%s", "\xc3\xa9\\x1b\\\\", "\xe6\xbc\xa2xyz");

		assert_int_equal(strlen(buf), len);
		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
			whole |= (size_t)len == ends[i];
		assert_true(whole && (size_t)len < size);
	}
}
