// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines without waiting and within bounds; a line of JSON as pairs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <unistd.h>
#include <zstd.h>
#include "recording/json_line.h"
#include "recording/line_reader.h"
#include "unit/test.h"

TEST(test_line_reader)
{
	static const char text[] = "one\n\nthree\r\nlast";
	struct line_reader r;
	const char *line;
	size_t len;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	line_reader_init(&r, fds[0]);
	assert_int_equal(line_reader_next(&r, &line, &len), -EAGAIN);
	assert_int_equal(write(fds[1], text, strlen(text)), strlen(text));
	assert_int_equal(line_reader_next(&r, &line, &len), 1);
	assert_memory_equal(line, "one", len);
	assert_int_equal(line_reader_next(&r, &line, &len), 1);
	assert_int_equal(len, 0);
	assert_int_equal(line_reader_next(&r, &line, &len), 1);
	assert_int_equal(r.number, 3);
	assert_false(r.cut);
	assert_int_equal(line_reader_next(&r, &line, &len), -EAGAIN);
	close(fds[1]);
	assert_int_equal(line_reader_next(&r, &line, &len), 1);
	assert_int_equal(len, 4);
	assert_true(r.cut);
	assert_int_equal(line_reader_next(&r, &line, &len), 0);
	assert_int_equal(line_reader_next(&r, &line, &len), 0);
	line_reader_free(&r);
	close(fds[0]);
}

/* The rest of a line that is too long is not taken for a line. */
TEST(test_line_too_long)
{
	const size_t len = 3 * LINE_READER_MAX;
	struct line_reader r;
	char *text = malloc(len), path[64];
	const char *line;
	size_t n;
	int fd;

	memset(text, 'x', len);
	text[len - 6] = '\n';
	memcpy(text + len - 5, "next\n", 5);
	strcpy(path, "/tmp/xdptop-test.XXXXXX");
	fd = mkstemp(path);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	line_reader_init(&r, fd);
	assert_int_equal(line_reader_next(&r, &line, &n), -EMSGSIZE);
	assert_int_equal(r.number, 1);
	assert_int_equal(line_reader_next(&r, &line, &n), 1);
	assert_int_equal(r.number, 2);
	assert_memory_equal(line, "next", n);
	assert_int_equal(line_reader_next(&r, &line, &n), 0);
	/* it never held more than a line and one read */
	assert_true(r.size < 2 * LINE_READER_MAX);
	line_reader_free(&r);
	close(fd);
	unlink(path);
	free(text);
}

/* A byte at a time, so that magic, lines and the end of a frame arrive in pieces. */
TEST(test_compressed)
{
	static const char text[] = "one\n\nthree\nlast";
	char packed[256];
	size_t n = ZSTD_compress(packed, sizeof(packed), text, strlen(text), 3), len, i;
	const size_t lengths[] = { 3, 0, 5, 4 };
	struct line_reader r;
	const char *line;
	int fds[2], lines = 0, err;

	assert_false(ZSTD_isError(n));
	assert_int_equal(pipe(fds), 0);
	line_reader_init(&r, fds[0]);
	for (i = 0; i < n; i++) {
		assert_int_equal(write(fds[1], &packed[i], 1), 1);
		while ((err = line_reader_next(&r, &line, &len)) == 1)
			assert_int_equal(len, lengths[lines++]);
		assert_int_equal(err, -EAGAIN);
	}
	assert_int_equal(line_reader_at(&r), n);
	close(fds[1]);
	assert_int_equal(line_reader_next(&r, &line, &len), 1);
	assert_memory_equal(line, "last", 4);
	assert_true(lines == 3 && r.cut && len == 4);
	assert_int_equal(line_reader_next(&r, &line, &len), 0);
	line_reader_free(&r);
	close(fds[0]);
}

static int end_of(const char *packed, size_t n)
{
	struct line_reader r;
	const char *line;
	size_t len;
	int fds[2], err, again;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], packed, n), n);
	close(fds[1]);
	line_reader_init(&r, fds[0]);
	while ((err = line_reader_next(&r, &line, &len)) == 1)
		;
	/* no more lines follow */
	while ((again = line_reader_next(&r, &line, &len)) == 1)
		;
	assert_int_equal(again, 0);
	line_reader_free(&r);
	close(fds[0]);
	return err;
}

TEST(test_compressed_badly)
{
	/* no checksum, no size; a window of 2^31; one raw block of two bytes, the last */
	const char large[] = { '\x28', '\xb5', '\x2f', '\xfd', 0, 21 << 3, 17, 0, 0, 'a', '\n' };
	char packed[sizeof(large)];

	assert_int_equal(end_of(large, sizeof(large)), -E2BIG);
	memcpy(packed, large, sizeof(packed));
	packed[5] = (LINE_READER_WINDOW - 10) << 3;
	assert_int_equal(end_of(packed, sizeof(packed)), 0);
	packed[5]++;
	assert_int_equal(end_of(packed, sizeof(packed)), -E2BIG);
	packed[5]--;
	/* a truncated block is the end; an unknown type of block is damage */
	assert_int_equal(end_of(packed, sizeof(packed) - 1), 0);
	packed[6] |= 6;
	assert_int_equal(end_of(packed, sizeof(packed)), -EUCLEAN);
}

static int parse(struct json_line *j, const char *text)
{
	struct error error = { 0 };
	char *copy = malloc(strlen(text));
	int err;

	/* without a NUL: the parser gets the length */
	memcpy(copy, text, strlen(text));
	err = json_line_parse(j, copy, strlen(text), &error);
	free(copy);
	assert_int_equal(!err, !error.text[0]);
	assert_null(strchr(error.text, '\n'));
	return err;
}

TEST(test_pairs)
{
	struct json_line j = { 0 };
	const struct record_value *v;

	assert_int_equal(
		parse(&j, "{\"a\":18446744073709551615,\"b\":-3,\"c\":1.5e3,\"d\":\"x\\ny\","
			  "\"e\":null,\"f\":true,\"g\":[1,{\"a\":2}],\"h\":{\"i\":1},\"j\":7}"),
		0);
	v = json_line_find(&j, "a");
	assert_int_equal(v->type, VALUE_COUNT);
	assert_true(v->count == UINT64_MAX);
	v = json_line_find(&j, "b");
	assert_int_equal(v->type, VALUE_INTEGER);
	assert_int_equal(v->integer, -3);
	v = json_line_find(&j, "c");
	assert_int_equal(v->type, VALUE_REAL);
	assert_true(v->real == 1500);
	v = json_line_find(&j, "d");
	assert_int_equal(v->type, VALUE_TEXT);
	assert_string_equal(v->text, "x\\x0ay");
	assert_int_equal(json_line_find(&j, "e")->type, VALUE_NULL);
	/* not a type that a field has, and nothing from inside it */
	assert_null(json_line_find(&j, "f"));
	assert_null(json_line_find(&j, "g"));
	assert_null(json_line_find(&j, "h"));
	assert_null(json_line_find(&j, "i"));
	assert_int_equal(json_line_find(&j, "j")->count, 7);
	/* nothing is left of the previous line */
	assert_int_equal(parse(&j, "{}"), 0);
	assert_null(json_line_find(&j, "a"));
	json_line_free(&j);
}

TEST(test_numbers)
{
	struct json_line j = { 0 };

	assert_int_equal(parse(&j, "{\"a\":0,\"b\":9223372036854775808,"
				   "\"c\":-9223372036854775808,\"d\":-0.5e-1,\"e\":1E+2,"
				   "\"f\":100000000000000000000.0}"),
			 0);
	assert_int_equal(json_line_find(&j, "a")->count, 0);
	assert_true(json_line_find(&j, "b")->count == 1ull << 63);
	assert_true(json_line_find(&j, "c")->integer == INT64_MIN);
	assert_true(json_line_find(&j, "d")->real == -0.05);
	assert_true(json_line_find(&j, "e")->real == 100);
	assert_true(json_line_find(&j, "f")->real == 1e20);
	json_line_free(&j);
}

TEST(test_texts)
{
	struct json_line j = { 0 };

	assert_int_equal(
		parse(&j, "{\"a\":\"\\\"\\\\\\/\",\"\\u0062\":\"\\u00e9\\u20AC\\ud83d\\ude00\","
			  "\"c\":\"\\ud83dx\\ude00\\ud83d\\u0041\","
			  "\"d\":\"\\\"\\\\\\/\",\"f\":\"\xc3\xa9\xc0\x80\",\"a\":\"second\"}"),
		0);
	assert_string_equal(json_line_find(&j, "a")->text, "second");
	assert_string_equal(json_line_find(&j, "d")->text, "\"\\\\/"); /* escapes without need */
	assert_string_equal(json_line_find(&j, "b")->text, "\u00e9\u20ac\U0001f600");
	/* halves of a surrogate pair */
	assert_string_equal(json_line_find(&j, "c")->text, "\ufffdx\ufffd\ufffdA");
	assert_string_equal(json_line_find(&j, "f")->text, "\u00e9\\xc0\\x80");
	json_line_free(&j);
}

TEST(test_no_object)
{
	static const char *const bad[] = {
		"",
		"{",
		"}",
		"[]",
		"7",
		"null",
		"\"text\"",
		"{a}",
		"{\"a\"}",
		"{\"a\":1}{",
		"{\"a\":1e999}",
		"{\"a\":99999999999999999999}",
		"{\"a\":\"\xff\"}",
		"{\"a\":01}",
		"{\"a\":1,}",
		"{'a':1}",
		"{\"a\":NaN}",
		"{\"a\":-}",
		"{\"a\":1.}",
		"{\"a\":1.e5}",
		"{\"a\":1e}",
		"{\"a\":0x10}",
		"{\"a\":.5}",
		"{\"a\":+1}",
		"{\"a\":18446744073709551616}",
		"{\"a\":-9223372036854775809}",
		"{\"a\":1",
		"{\"a\":\"",
		"{\"a\":\"\\",
		"{\"a\":\"\\u12",
		"{\"a\":\"\\ud800\\u\"}",
		"{\"a\":\"\\x\"}",
		"{\"a\":\"\t\"}",
		"{\"a\":\"\xc3\"}",
		"{\"a\":\"\xe2\x82",
		"{\"a\":tru}",
		"{\"a\":[1,]}",
		"{\"a\":[1}",
		"{\"a\":1]",
		"{\"a\" 1}",
		"{\"a\":1 \"b\":2}",
		"{,}",
		/* json-c would end the text or name there */
		"{\"a\":\"x\\u0000y\"}",
		"{\"a\\u0000b\":1}",
		/* accepted by json-c in some version or mode */
		"{\"a\":-01}",
		"{\"a\":00.5}",
		"{\"a\":1e+}",
		"{\"a\":1e999,\"b\":1}",
		"{\"a\":[[1e999]]}",
		"{\"a\":[18446744073709551616]}",
		"{\"a\":nan}",
		"{\"a\":-Infinity}",
		"{\"a\":-infinity}",
		"{\"a\":TRUE}",
		"{\"a\":Null}",
		"{\"a\":'b'}",
		"{\"a\":[1 , ]}",
		"{\"a\":1, }",
		"{/**/\"a\":1}",
		"{\"a\":1} //",
		"{\"a\":1}{}",
		"{\"a\":\"\x01\"}",
	};
	struct json_line j = { 0 };
	struct error error = { 0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!parse(&j, bad[i]))
			print_error("taken: %s\n", bad[i]);
		assert_int_equal(parse(&j, bad[i]), -EINVAL);
	}
	/* an incomplete line may also contain a NUL */
	assert_int_equal(json_line_parse(&j, "{}\0{", 4, &error), -EINVAL);
	assert_string_equal(error.text, "unexpected character at byte 3");
	/* then a valid one */
	assert_int_equal(parse(&j, " {\"a\" : 1 } "), 0);
	json_line_free(&j);
}

/* More pairs than are kept, and excessive nesting. */
TEST(test_bounds)
{
	struct json_line j = { 0 };
	char *text = calloc(1, 1 << 20), *at = text;

	at += sprintf(at, "{\"x\":1");
	for (int i = 0; i < 10000; i++)
		at += sprintf(at, ",\"k%d\":\"\\u0001\"", i);
	strcpy(at, "}");
	assert_int_equal(parse(&j, text), 0);
	assert_int_equal(j.n, JSON_LINE_PAIRS);
	assert_non_null(json_line_find(&j, "x"));
	memset(text, '[', 100000);
	text[100000] = '\0';
	assert_int_equal(parse(&j, text), -EINVAL);
	memcpy(text, "{\"a\":", 5);
	assert_int_equal(parse(&j, text), -EINVAL);
	json_line_free(&j);
	free(text);
}
