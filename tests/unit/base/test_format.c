// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers have a bounded width, whatever their value and the locale. */
#include <stdlib.h>
#include <string.h>
#include <locale.h>
#include <math.h>
#include "base/format.h"
#include "unit/test.h"

#define TEXT(text, call)                             \
	do {                                         \
		int len = (call);                    \
		assert_string_equal(buf, text);      \
		assert_int_equal(len, strlen(text)); \
	} while (0)

TEST(test_count_si)
{
	static const struct {
		uint64_t n;
		const char *text;
	} cases[] = {
		{ 0, "0" },           { 999, "999" },          { 9999, "9999" },
		{ 10000, "10.0k" },   { 12345, "12.3k" },      { 99949, "99.9k" },
		{ 99950, "100k" },    { 999499, "999k" },      { 999500, "1.00M" },
		{ 999999, "1.00M" },  { 1000000, "1.00M" },    { 9994999, "9.99M" },
		{ 9995000, "10.0M" }, { 1500000000, "1.50G" }, { UINT64_MAX, "18.4E" },
	};
	char buf[32];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		TEXT(cases[i].text, format_count(buf, sizeof(buf), cases[i].n, NUMBER_SI));
}

/* The value of an SI text, to check its precision. */
static double value_of(const char *text)
{
	static const char prefix[] = "kMGTPE";
	char *end;
	double n = strtod(text, &end);
	const char *p = *end ? strchr(prefix, *end) : NULL;

	if (*end) {
		assert_non_null(p);
		assert_int_equal(end[1], '\0');
		n *= pow(1000, (double)(p - prefix + 1));
	}
	return n;
}

TEST(test_every_power_of_two_fits)
{
	double before = -1;
	char buf[32];

	/* the three values around each power of two ascend */
	for (int bit = 2; bit < 64; bit++) {
		for (int add = -1; add <= 1; add++) {
			uint64_t n = ((uint64_t)1 << bit) + (uint64_t)add;
			double shown;

			format_count(buf, sizeof(buf), n, NUMBER_SI);
			assert_true(strlen(buf) <= 6);
			shown = value_of(buf);
			assert_true(fabs(shown - (double)n) <= 0.005 * (double)n);
			assert_true(shown >= before);
			before = shown;
		}
	}
	for (int digits = 1; digits < 20; digits++) {
		uint64_t n = (uint64_t)pow(10, digits);

		format_count(buf, sizeof(buf), n - 1, NUMBER_SI);
		assert_true(strlen(buf) <= 6);
		assert_true(fabs(value_of(buf) - (double)n) <= 0.005 * (double)n + 1);
	}
}

TEST(test_count_styles)
{
	char buf[32];

	TEXT("18446744073709551615", format_count(buf, sizeof(buf), UINT64_MAX, NUMBER_RAW));
	TEXT("0", format_count(buf, sizeof(buf), 0, NUMBER_RAW));
}

TEST(test_small_buffer)
{
	char buf[4] = "xxx", *exact;

	assert_int_equal(format_count(buf, sizeof(buf), 123456, NUMBER_RAW), 6);
	assert_string_equal(buf, "123");
	assert_int_equal(format_count(NULL, 0, 123456, NUMBER_RAW), 6);
	/* one byte too small for the NUL */
	exact = malloc(4);
	assert_int_equal(format_count(exact, 4, 1234, NUMBER_RAW), 4);
	assert_string_equal(exact, "123");
	free(exact);
	buf[0] = 'y';
	assert_int_equal(format_rate(buf, 1, 12, NUMBER_SI), 2);
	assert_string_equal(buf, "");
}

/* Text that does not fit is truncated without a write beyond the buffer. */
TEST(test_add)
{
	char *buf = malloc(8);
	struct format_text t = { .buf = buf, .size = 8 };

	format_add(&t, "%s", "");
	assert_string_equal(buf, "");
	format_add(&t, "%d,", 12);
	format_add(&t, "%s", "345");
	assert_string_equal(buf, "12,345");
	assert_int_equal(t.len, 6);
	format_add(&t, "%s", "6789");
	assert_string_equal(buf, "12,3456");
	format_add(&t, "%s", "0");
	assert_string_equal(buf, "12,3456");
	assert_int_equal(t.len, 7);
	free(buf);
}

TEST(test_rate)
{
	char buf[32];

	TEXT("0", format_rate(buf, sizeof(buf), 0, NUMBER_SI));
	TEXT("<0.01", format_rate(buf, sizeof(buf), 1e-9, NUMBER_SI));
	TEXT("0.01", format_rate(buf, sizeof(buf), 0.01, NUMBER_SI));
	TEXT("0.25", format_rate(buf, sizeof(buf), 0.25, NUMBER_SI));
	TEXT("0.99", format_rate(buf, sizeof(buf), 0.994, NUMBER_SI));
	TEXT("1.0", format_rate(buf, sizeof(buf), 0.996, NUMBER_SI));
	TEXT("3.1", format_rate(buf, sizeof(buf), 3.1, NUMBER_SI));
	TEXT("10", format_rate(buf, sizeof(buf), 9.96, NUMBER_SI));
	TEXT("13", format_rate(buf, sizeof(buf), 12.5, NUMBER_SI));
	TEXT("1.50M", format_rate(buf, sizeof(buf), 1499999.9, NUMBER_SI));
	TEXT("18.4E", format_rate(buf, sizeof(buf), 1e300, NUMBER_SI));
	TEXT("?", format_rate(buf, sizeof(buf), NAN, NUMBER_SI));
	for (double n = 1e-6; n < 1e21; n *= 1.37) {
		format_rate(buf, sizeof(buf), n, NUMBER_SI);
		assert_true(strlen(buf) <= 6);
	}
}

TEST(test_average)
{
	char buf[32];

	TEXT("0", format_average(buf, sizeof(buf), 0, NUMBER_SI));
	TEXT("1.00", format_average(buf, sizeof(buf), 1, NUMBER_SI));
	TEXT("10.0", format_average(buf, sizeof(buf), 9.996, NUMBER_SI));
	TEXT("15.9", format_average(buf, sizeof(buf), 15.94, NUMBER_SI));
	TEXT("1500", format_average(buf, sizeof(buf), 1500.2, NUMBER_SI));
}

TEST(test_percent)
{
	char buf[32];

	TEXT("0", format_percent(buf, sizeof(buf), 0));
	TEXT("<0.1", format_percent(buf, sizeof(buf), 0.01));
	TEXT("12.5", format_percent(buf, sizeof(buf), 12.5));
	TEXT("99.9", format_percent(buf, sizeof(buf), 99.99));
	TEXT("100", format_percent(buf, sizeof(buf), 100));
}

TEST(test_age)
{
	static const struct {
		double seconds;
		const char *text;
	} cases[] = {
		{ -5, "0s" },           { 0, "0s" },           { 3.9, "3s" },
		{ 59.99, "59s" },       { 60, "1m00s" },       { 250, "4m10s" },
		{ 3599, "59m59s" },     { 7500, "2h05m" },     { 86399, "23h59m" },
		{ 273600, "3d04h" },    { 8639999, "99d23h" }, { 8640000, "100d" },
		{ NAN, "0s" },          { 3600, "1h00m" },     { 86400, "1d00h" },
		{ 100000000, "1157d" },
	};
	char buf[32];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		TEXT(cases[i].text, format_age(buf, sizeof(buf), cases[i].seconds));
}

TEST(test_gap)
{
	static const struct {
		double seconds;
		const char *text;
	} cases[] = {
		{ 0, "0ns" },
		{ 1e-9, "1ns" },
		{ 804e-9, "804ns" },
		{ 999e-9, "999ns" },
		{ 1204e-9, "1.204us" },
		{ 9999.6e-9, "10.00us" },
		{ 99.996e-6, "100.0us" },
		{ 999.96e-6, "1.000ms" },
		{ 0.035, "35.00ms" },
		{ 1.5, "1.500s" },
		{ 999.9, "999.9s" },
		{ 999.97, "16m39s" },
		{ 1000, "16m40s" },
		{ -1204e-9, "-1.204us" },
		{ -3e-9, "-3ns" },
		{ -7200, "-2h00m" },
	};
	char buf[16];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		TEXT(cases[i].text, format_gap(buf, sizeof(buf), cases[i].seconds));
}

TEST(test_time)
{
	struct timespec t = { .tv_sec = 1795252500, .tv_nsec = 123456789 };
	char buf[40];

	TEXT("2026-11-21T09:15:00.123456Z", format_time(buf, sizeof(buf), &t));
	setenv("TZ", "UTC-1", 1);
	tzset();
	TEXT("10:15:00", format_clock(buf, sizeof(buf), &t));
	TEXT("10:15:00.123456789", format_clock_ns(buf, sizeof(buf), &t));
	unsetenv("TZ");
	tzset();
}

TEST(test_width)
{
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_int_equal(format_width(""), 0);
	assert_int_equal(format_width("eth0"), 4);
	assert_int_equal(format_width("·"), 1);
	assert_int_equal(format_width("h\xc3\xa4llo"), 5);
	assert_int_equal(format_width("漢字"), 4);
	assert_int_equal(format_width("\xf0\x9f\x90\x9d"), 2);
	/* not UTF-8: one column per byte, and no read past the end */
	assert_int_equal(format_width("\xff\xc3"), 2);
	setlocale(LC_CTYPE, "C");
	assert_int_equal(format_width("h\xc3\xa4llo"), 6);
}

TEST(test_fit)
{
	char buf[32];

	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	format_fit(buf, sizeof(buf), "eth0", 6, false);
	assert_string_equal(buf, "eth0  ");
	format_fit(buf, sizeof(buf), "eth0", 6, true);
	assert_string_equal(buf, "  eth0");
	format_fit(buf, sizeof(buf), "eth0", 4, false);
	assert_string_equal(buf, "eth0");
	format_fit(buf, sizeof(buf), "eth0", 3, false);
	assert_string_equal(buf, "et+");
	format_fit(buf, sizeof(buf), "eth0", 1, false);
	assert_string_equal(buf, "+");
	format_fit(buf, sizeof(buf), "eth0", 0, false);
	assert_string_equal(buf, "");
	format_fit(buf, sizeof(buf), "eth0", -3, false);
	assert_string_equal(buf, "");
	/* no word and no number is cut, unless little would be left */
	format_fit(buf, sizeof(buf), "an MTU of 1500 allows", 13, false);
	assert_string_equal(buf, "an MTU of +  ");
	format_fit(buf, sizeof(buf), "an interface", 8, false);
	assert_string_equal(buf, "an inte+");
	format_fit(buf, sizeof(buf), "", 3, true);
	assert_string_equal(buf, "   ");
	/* a wide character that fits by half is replaced by a blank */
	format_fit(buf, sizeof(buf), "漢字漢", 4, false);
	assert_string_equal(buf, "漢+ ");
	for (int width = 0; width < 12; width++) {
		format_fit(buf, sizeof(buf), "aä漢·b", width, width % 2);
		assert_int_equal(format_width(buf), width);
	}
	/* a buffer that is too small is terminated and not overrun */
	for (size_t size = 1; size < 12; size++) {
		for (int width = 0; width < 12; width++) {
			char *exact = malloc(size);

			format_fit(exact, size, "aä漢·b", width, width % 2);
			assert_true(strlen(exact) < size);
			format_fit(exact, size, "a", width, width % 2);
			assert_true(strlen(exact) < size);
			free(exact);
		}
	}
	/* it is filled with whole characters only */
	format_fit(buf, 4, "aä漢", 9, false);
	assert_string_equal(buf, "aä");
	setlocale(LC_CTYPE, "C");
}
