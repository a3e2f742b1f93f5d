// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths with a time or a span: where they are split, and which times they mean. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "recording/span.h"
#include "unit/test.h"

#define FIRST (1795252500 * NSEC_PER_SEC) /* 2026-11-21T09:15:00Z */
#define HOUR  (3600 * NSEC_PER_SEC)

static int set_utc(void **state)
{
	return setenv("TZ", "UTC", 1);
}

TEST_WITH(test_split, set_utc, NULL)
{
	static const struct {
		const char *arg, *path, *from, *to;
		bool given, range;
	} cases[] = {
		{ "rec", "rec", "", "", false, false },
		{ "rec@09:15", "rec", "09:15", "", true, false },
		{ "rec@..", "rec", "", "", true, true },
		{ "rec@-2h..", "rec", "-2h", "", true, true },
		{ "rec@..+5", "rec", "", "+5", true, true },
		{ "a@b/rec@09:15..10:15", "a@b/rec", "09:15", "10:15", true, true },
		{ "a@b/rec", "a@b/rec", "", "", false, false },
		{ "@09:15", "@09:15", "", "", false, false },
		{ "-@+5", "-", "+5", "", true, false },
		{ "rec@2026-11-21 09:15..2026-11-21T10:15:00Z", "rec", "2026-11-21 09:15",
		  "2026-11-21T10:15:00Z", true, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error error;
		struct span s;

		assert_int_equal(span_split(cases[i].arg, &s, &error), 0);
		assert_string_equal(s.path, cases[i].path);
		assert_string_equal(s.from, cases[i].from);
		assert_string_equal(s.to, cases[i].to);
		assert_int_equal(s.given, cases[i].given);
		assert_int_equal(s.range, cases[i].range);
	}
}

TEST_WITH(test_not_a_time, set_utc, NULL)
{
	static const char *const args[] = { "rec@",         "rec@soon", "rec@09:15..x", "rec@x..",
					    "rec@09:15...", "rec@09",   "rec@1..2" };

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		struct error error;
		struct span s;

		assert_int_not_equal(span_split(args[i], &s, &error), 0);
		assert_int_equal(error.exit_code, EXIT_USAGE);
	}
}

/* The whole text may name a file. */
TEST_WITH(test_file_with_at, set_utc, NULL)
{
	char path[] = "/tmp/xdptop-test@09:15.XXXXXX";
	int fd = mkstemp(path);
	struct error error;
	struct span s;

	assert_true(fd >= 0);
	assert_int_equal(span_split(path, &s, &error), 0);
	assert_false(s.given);
	assert_string_equal(s.path, path);
	close(fd);
	unlink(path);
}

TEST_WITH(test_times, set_utc, NULL)
{
	/* from 09:15 on for 20 hours, to 05:15 of the next day */
	const struct span_bounds ago = { FIRST, FIRST + 20 * HOUR, false };
	const struct span_bounds now = { FIRST, FIRST + 20 * HOUR, true };
	static const struct {
		const char *arg;
		bool to_now;
		int64_t from, to; /* hours from the start */
	} cases[] = {
		{ "r@+2h..+3h", true, 2, 3 },
		{ "r@-2h..-1h", false, 18, 19 },
		{ "r@10:15..11:15", true, 1, 2 },
		{ "r@10:15..11:15", false, 1, 2 },
		{ "r@04:15..", true, 19, -1 },
		{ "r@04:15..", false, -5, -1 }, /* five hours before the start: not the next day */
		{ "r@20:15..04:15", true, 11, 19 },
		{ "r@20:15..04:15", false, 11, 19 },
		{ "r@05:15", true, 20, -1 },
		{ "r@06:15", true, -3, -1 }, /* the last one before the end */
		{ "r@2026-11-21 12:15..13:15", true, 3, 4 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error error;
		struct span s;
		int64_t from, to;

		assert_int_equal(span_split(cases[i].arg, &s, &error), 0);
		span_resolve(&s, cases[i].to_now ? &now : &ago, &from, &to);
		assert_int_equal(from, FIRST + cases[i].from * HOUR);
		assert_int_equal(to, cases[i].to < 0 ? INT64_MAX : FIRST + cases[i].to * HOUR);
	}
}

TEST_WITH(test_midnight, set_utc, NULL)
{
	/* begins at 23:15 */
	const struct span_bounds b = { FIRST + 14 * HOUR, 0, false };
	struct error error;
	struct span s;
	int64_t from, to;

	assert_int_equal(span_split("r@01:15..", &s, &error), 0);
	span_resolve(&s, &b, &from, &to);
	assert_int_equal(from, FIRST + 16 * HOUR);
}

TEST_WITH(test_before_1970, set_utc, NULL)
{
	const struct span_bounds b = { 5 * NSEC_PER_SEC, 5 * NSEC_PER_SEC, true };
	struct error error;
	struct span s;
	int64_t from, to;

	assert_int_equal(span_split("r@-1d..-9s", &s, &error), 0);
	span_resolve(&s, &b, &from, &to);
	assert_int_equal(from, 0);
	assert_int_equal(to, 0);
}
