// SPDX-License-Identifier: GPL-2.0-or-later
/* -e explains everything that the program can show, in lines that fit; prose is wrapped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "explain/explain.h"
#include "diagnose/driver.h"
#include "model/kernel_names.h"
#include "base/format.h"
#include "unit/test.h"

/* Its output on stdout; free() it. */
static char *explained(const char *name, int code)
{
	FILE *file = tmpfile(), *null = fopen("/dev/null", "w");
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), got;
	char *text;
	long len;

	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	dup2(fileno(null), STDERR_FILENO);
	got = explain(name);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	fclose(null);
	assert_int_equal(got, code);
	len = lseek(fileno(file), 0, SEEK_END);
	text = calloc(1, (size_t)len + 1);
	assert_int_equal(pread(fileno(file), text, (size_t)len, 0), len);
	fclose(file);
	return text;
}

TEST(test_all_meanings)
{
	for (size_t i = 0; i < n_causes; i++) {
		const struct cause *m = &causes[i];
		bool act = m->tracepoints & (1u << TP_XDP_EXCEPTION);
		const char *name;
		char buf[24], start[24], *text;

		if (act)
			name = m->code >= CAUSE_BAD_ACT ? "UNKNOWN(77)"
							: act_name(m->code, buf, sizeof(buf));
		else
			name = errno_name(m->code);
		if (!name)
			continue; /* drops without an errno have no name */
		text = explained(name, EXIT_DONE);
		/* its text is there, up to the first possible line break */
		snprintf(start, sizeof(start), "%s", m->meaning);
		assert_non_null(strstr(text, start));
		free(text);
	}
}

/* A driver's meaning of an error comes after the common one. */
TEST(test_by_driver)
{
	for (size_t i = 0; i < n_drivers; i++) {
		for (const struct cause *c = drivers[i].causes; c && c->tracepoints; c++) {
			const char *name = c->tracepoints & AT_EXCEPTION
						   ? act_name(c->code, NULL, 0)
						   : errno_name(c->code);
			char start[24], *text, *at;

			if (!name)
				continue;
			text = explained(name, EXIT_DONE);
			at = strstr(text, "\nBy driver\n");
			snprintf(start, sizeof(start), "%s", c->meaning);
			assert_non_null(at);
			assert_non_null(strstr(at, drivers[i].name));
			assert_non_null(strstr(at, start));
			free(text);
		}
	}
}

TEST(test_tracepoints)
{
	char *text;

	for (int i = 0; i < TP_VERDICTS; i++) {
		text = explained(tracepoints[i].name, EXIT_DONE);
		assert_memory_equal(text, tracepoints[i].name, strlen(tracepoints[i].name));
		free(text);
	}
	for (int code = 1; code < 100; code++) {
		char number[8];

		if (!errno_name(code))
			continue;
		snprintf(number, sizeof(number), "-%d", code);
		text = explained(number, EXIT_DONE);
		assert_memory_equal(text, errno_name(code), strlen(errno_name(code)));
		free(text);
	}
	/* libc has no text for errnos that only the kernel has */
	text = explained("524", EXIT_DONE);
	assert_non_null(strstr(text, "ENOTSUPP (-524): Operation is not supported"));
	free(text);
}

TEST(test_unknown)
{
	static const char *const names[] = { "", "ENOTHING", "0", "-99999", "12x", "xdp_nothing" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text = explained(names[i], EXIT_USAGE);

		/* errors do not go to stdout */
		assert_string_equal(text, "");
		free(text);
	}
}

TEST(test_widths)
{
	char *text = explained(NULL, EXIT_DONE), *save = NULL, *line;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strlen(line) > 79)
			print_error("%s\n", line);
		assert_true(strlen(line) <= 79);
	}
	free(text);
}

static void assert_wrapped(const char *text, int at, int indent, int width, const char *expected)
{
	char *got = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&got, &size);

	wrap(to, text, at, indent, width);
	fclose(to);
	assert_string_equal(got, expected);
	free(got);
}

TEST(test_wrap)
{
	assert_wrapped("", 0, 2, 10, "\n");
	assert_wrapped("one two", 0, 2, 10, "one two\n");
	assert_wrapped("exactly 10", 0, 2, 10, "exactly 10\n");
	assert_wrapped("one two three", 0, 2, 10, "one two\n  three\n");
	/* the caller has written six columns of the first line */
	assert_wrapped("one two three", 6, 2, 10, "one\n  two\n  three\n");
	assert_wrapped("averyverylongword", 0, 2, 10, "averyverylongword\n");
	assert_wrapped("a averyverylongword b", 0, 2, 10, "a\n  averyverylongword\n  b\n");
}
