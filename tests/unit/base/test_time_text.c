// SPDX-License-Identifier: GPL-2.0-or-later
/* Times as users type them: absolute and relative. */
#include <stdlib.h>
#include "base/clock.h"
#include "unit/test.h"

#define START 1795252500 /* 2026-11-21T09:15:00Z */

static int set_utc(void **state)
{
	return setenv("TZ", "UTC", 1);
}

TEST_WITH(test_times, set_utc, NULL)
{
	static const struct {
		const char *text;
		time_t time; /* 0 = not a time */
	} cases[] = {
		{ "+90", START + 90 },
		{ "-5m", START - 300 },
		{ "+1h", START + 3600 },
		{ "09:16", START + 60 },
		{ "9:16:05", START + 65 },
		{ "2026-11-20 09:15", START - 86400 },
		{ "-2d", START - 2 * 86400 },
		{ "2026-11-20T09:15:00Z", START - 86400 },
		{ "2026-11-20T09:15:00.123456Z", START - 86400 },
		{ "2026-11-20T09:15", START - 86400 },
		{ "", 0 },
		{ "x", 0 },
		{ "90", 0 },
		{ "+", 0 },
		{ "+5x", 0 },
		{ "+5mm", 0 },
		{ "+99999999999h", 0 },
		{ "09:15:30Z", START + 30 },
		{ "2026-11-20", 0 },
		{ "24:00", 0 },
		{ "09:15:30.5", 0 },
		{ "2026-11-20T09:15:00.5X", 0 },
		{ "2026-11-20T", 0 },
		{ "9999-01-01 00:00", 0 },
		{ "0001-01-01 00:00", 0 },
		{ "-25000h", START - 25000 * 3600 },
		{ "-99000000", START - 99000000 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct timespec t = { .tv_sec = START };

		assert_int_equal(time_text_parse(cases[i].text, &t), cases[i].time > 0);
		if (cases[i].time)
			assert_int_equal(t.tv_sec, cases[i].time);
	}
}

TEST_WITH(test_nearest_day, set_utc, NULL)
{
	static const struct {
		const char *text;
		bool after;
		time_t time;
	} cases[] = {
		{ "09:00", false, START - 900 },
		{ "09:30", false, START + 900 - 86400 },
		{ "09:15", false, START },
		{ "09:30", true, START + 900 },
		{ "09:00", true, START - 900 + 86400 },
		{ "2026-11-23 09:15", false, START + 2 * 86400 },
		{ "+5m", false, START + 300 },
		{ "-5m", true, START - 300 },
	};
	const struct timespec base = { .tv_sec = START };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct timespec t;

		assert_true(time_text_parse_near(cases[i].text, &base, cases[i].after, &t));
		assert_int_equal(t.tv_sec, cases[i].time);
	}
}

/* UTC does not depend on the zone, local time does. */
TEST_WITH(test_zone, set_utc, NULL)
{
	struct timespec t = { .tv_sec = START };

	setenv("TZ", "UTC-2", 1);
	tzset();
	assert_true(time_text_parse("2026-11-21T09:15:00Z", &t));
	assert_int_equal(t.tv_sec, START);
	assert_true(time_text_parse("2026-11-21 09:15", &t));
	assert_int_equal(t.tv_sec, START - 7200);
}
