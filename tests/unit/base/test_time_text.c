// SPDX-License-Identifier: GPL-2.0-or-later
/* Times as users type them: absolute and relative. */
#include <stdlib.h>
#include "base/time_text.h"
#include "unit/test.h"

#define START 1795252500 /* 2026-11-21T09:15:00Z */

static void test_times(void **state)
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
		{ "", 0 },
		{ "x", 0 },
		{ "90", 0 },
		{ "+", 0 },
		{ "+5x", 0 },
		{ "+5mm", 0 },
		{ "+99999999999h", 0 },
		{ "09:15:30Z", 0 },
		{ "2026-11-20", 0 },
		{ "24:00", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct timespec t = { .tv_sec = START };

		assert_int_equal(time_text_parse(cases[i].text, &t), cases[i].time > 0);
		if (cases[i].time)
			assert_int_equal(t.tv_sec, cases[i].time);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
