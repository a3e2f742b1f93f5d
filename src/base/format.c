// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <wchar.h>
#include "base/format.h"

/* snprintf() of one string, but cheaper, because a frame formats thousands of cells. */
static int text_put(char *buf, size_t size, const char *text, size_t len)
{
	if (size) {
		size_t n = len < size ? len : size - 1;

		memcpy(buf, text, n);
		buf[n] = '\0';
	}
	return (int)len;
}

/* Writes the decimal digits of n before `end`. Returns their start. */
static char *digits(char *end, uint64_t n)
{
	do {
		*--end = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	return end;
}

/* Prints n / 10^decimals and a suffix (NUL = none), with a point in every locale. */
static int put_fixed(char *buf, size_t size, uint64_t n, int decimals, char suffix)
{
	char text[32], *end = text + sizeof(text), *at = end;

	if (suffix)
		*--at = suffix;
	for (int i = 0; i < decimals; i++) {
		*--at = (char)('0' + n % 10);
		n /= 10;
	}
	if (decimals)
		*--at = '.';
	at = digits(at, n);
	return text_put(buf, size, at, (size_t)(end - at));
}

/* Three significant digits: "10.0k", "123k", "1.23M". 999,999 rounds to 1.00M, not to 1000k. */
static int put_si(char *buf, size_t size, uint64_t n)
{
	static const char prefix[] = " kMGTPE";
	uint64_t unit = 1, step, scaled; /* unit: the largest power of 1000 <= n */
	int power = 0, decimals;

	while (n / unit >= 1000) {
		unit *= 1000;
		power++;
	}
	decimals = n / unit >= 100 ? 0 : n / unit >= 10 ? 1 : 2;
	/* unit is at least 1000 here, so step is at least 10 */
	step = decimals == 0 ? unit : decimals == 1 ? unit / 10 : unit / 100;
	scaled = n / step + (n % step >= step - step / 2);
	if (scaled == 1000) {
		scaled = 100;
		if (!decimals)
			power++;
		decimals = decimals ? decimals - 1 : 2;
	}
	return put_fixed(buf, size, scaled, decimals, prefix[power]);
}

int format_count(char *buf, size_t size, uint64_t n, enum number_style style)
{
	char text[32], *end = text + sizeof(text), *at;

	if (style == NUMBER_SI && n >= 10000)
		return put_si(buf, size, n);
	at = digits(end, n);
	return text_put(buf, size, at, (size_t)(end - at));
}

/* Rounds n >= 0; UINT64_MAX if it is too large. */
static uint64_t nearest_integer(double n)
{
	n += 0.5;
	/* the literal is 2^64 */
	return n < 18446744073709551616.0 ? (uint64_t)n : UINT64_MAX;
}

/* Two decimals below `two`, one below `one`, else none. */
static int put_real(char *buf, size_t size, double n, enum number_style style, double two,
		    double one)
{
	if (n != n)
		return text_put(buf, size, "?", 1);
	if (n <= 0)
		return text_put(buf, size, "0", 1);
	if (n < 0.01)
		return text_put(buf, size, "<0.01", 5);
	if (n < two)
		return put_fixed(buf, size, nearest_integer(n * 100), 2, '\0');
	if (n < one)
		return put_fixed(buf, size, nearest_integer(n * 10), 1, '\0');
	return format_count(buf, size, nearest_integer(n), style);
}

int format_rate(char *buf, size_t size, double n, enum number_style style)
{
	return put_real(buf, size, n, style, 0.995, 9.95);
}

int format_average(char *buf, size_t size, double n, enum number_style style)
{
	return put_real(buf, size, n, style, 9.995, 99.95);
}

int format_percent(char *buf, size_t size, double percent)
{
	uint64_t tenths;

	if (percent != percent)
		return text_put(buf, size, "?", 1);
	if (percent <= 0)
		return text_put(buf, size, "0", 1);
	if (percent < 0.1)
		return text_put(buf, size, "<0.1", 4);
	if (percent >= 100)
		return format_count(buf, size, nearest_integer(percent), NUMBER_SI);
	tenths = nearest_integer(percent * 10);
	/* 100 means all of them */
	return put_fixed(buf, size, tenths < 1000 ? tenths : 999, 1, '\0');
}

/* "4m10s": two units, two digits of the smaller one. */
static int put_age(char *buf, size_t size, uint64_t n, char unit, unsigned int rest, char rest_unit)
{
	char text[32], *end = text + sizeof(text), *at = end;

	*--at = rest_unit;
	*--at = (char)('0' + rest % 10);
	*--at = (char)('0' + rest / 10);
	*--at = unit;
	at = digits(at, n);
	return text_put(buf, size, at, (size_t)(end - at));
}

int format_age(char *buf, size_t size, double seconds)
{
	/* truncated, like a clock; 0 if the clock was set back */
	uint64_t s = seconds > 0 && seconds < 1e15 ? (uint64_t)seconds : 0;

	if (s < 60)
		return put_fixed(buf, size, s, 0, 's');
	if (s < 60 * 60)
		return put_age(buf, size, s / 60, 'm', s % 60, 's');
	if (s < 24 * 60 * 60)
		return put_age(buf, size, s / 3600, 'h', s % 3600 / 60, 'm');
	if (s < 100 * 24 * 60 * 60)
		return put_age(buf, size, s / 86400, 'd', s % 86400 / 3600, 'h');
	return put_fixed(buf, size, s / 86400, 0, 'd');
}

const char *format_ago(char *buf, size_t size, double seconds)
{
	char age[16];

	buf[0] = '\0';
	if (seconds > 0) {
		format_age(age, sizeof(age), fmax(round(seconds), 1));
		snprintf(buf, size, " %s ago", age);
	}
	return buf;
}

int format_gap(char *buf, size_t size, double seconds)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	const char *sign = seconds < 0 ? "-" : "";
	double n = round(fabs(seconds) * 1e9);
	int unit = 0;

	if (n >= 999.95e9) {
		char age[24];

		format_age(age, sizeof(age), fabs(seconds));
		return snprintf(buf, size, "%s%s", sign, age);
	}
	while (n >= 999.95 && unit < 3) {
		n /= 1000;
		unit++;
	}
	return snprintf(buf, size, "%s%.*f%s", sign,
			!unit        ? 0
			: n < 9.9995 ? 3
			: n < 99.995 ? 2
				     : 1,
			n, units[unit]);
}

static int put_time(char *buf, size_t size, time_t seconds, int digits, long fraction)
{
	struct tm tm = { 0 };

	gmtime_r(&seconds, &tm);
	return snprintf(buf, size, "%04d-%02d-%02dT%02d:%02d:%02d.%0*ldZ", tm.tm_year + 1900,
			tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, digits,
			fraction);
}

int format_time(char *buf, size_t size, const struct timespec *t)
{
	return put_time(buf, size, t->tv_sec, 6, t->tv_nsec / 1000);
}

int format_time_ns(char *buf, size_t size, const struct timespec *t)
{
	return put_time(buf, size, t->tv_sec, 9, t->tv_nsec);
}

int format_clock(char *buf, size_t size, const struct timespec *t)
{
	struct tm tm = { 0 };

	localtime_r(&t->tv_sec, &tm);
	return snprintf(buf, size, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
}

int format_clock_ns(char *buf, size_t size, const struct timespec *t)
{
	char clock[16];

	format_clock(clock, sizeof(clock), t);
	return snprintf(buf, size, "%s.%09ld", clock, t->tv_nsec);
}

int format_date(char *buf, size_t size, const struct timespec *t)
{
	struct tm tm = { 0 };

	localtime_r(&t->tv_sec, &tm);
	return snprintf(buf, size, "%04d-%02d-%02d %02d:%02d:%02d", tm.tm_year + 1900,
			tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/*
 * Returns the number of bytes of the character at text; *width is the number of columns that it
 * takes. A stray byte takes one column, and so does every byte of a character that the locale does
 * not know.
 */
static size_t character(const char *text, int *width)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = *s < 0xc2 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 1;
	uint32_t c;

	*width = 1;
	if (n == 1)
		return 1;
	c = *s & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 1;
		c = c << 6 | (s[i] & 0x3f);
	}
	*width = wcwidth((wchar_t)c);
	if (*width < 0)
		*width = (int)n;
	return n;
}

int format_width(const char *text)
{
	int width = 0, w;

	while (*text) {
		text += character(text, &w);
		width += w;
	}
	return width;
}

void format_fit(char *buf, size_t size, const char *text, int width, bool right)
{
	const char *cut = text, *end = text;
	int used = 0, cut_used = 0, words = 0, w, pad;
	size_t out = 0, n;
	bool whole;

	if (!size)
		return;
	if (width < 0)
		width = 0;
	/* end: what fits into the width; cut: what fits beside the mark, preferably whole words */
	while (*end) {
		n = character(end, &w);
		if (used + w > width)
			break;
		end += n;
		used += w;
		if (used < width && (end[-1] == ' ' || 2 * words < width)) {
			cut = end;
			cut_used = used;
			words = end[-1] == ' ' ? used : words;
		}
	}
	whole = !*end;
	if (!whole) {
		end = cut;
		used = cut_used;
	}
	pad = width - used - (!whole && width > 0);
	if (right)
		for (; pad > 0 && out + 1 < size; pad--)
			buf[out++] = ' ';
	while (text < end) {
		n = character(text, &w);
		if (out + n >= size)
			break;
		memcpy(buf + out, text, n);
		out += n;
		text += n;
	}
	if (!whole && width > 0 && out + 1 < size)
		buf[out++] = '+';
	if (!right)
		for (; pad > 0 && out + 1 < size; pad--)
			buf[out++] = ' ';
	buf[out] = '\0';
}

void format_add(struct format_text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->buf + t->len, t->size - t->len, format, args);
	va_end(args);
	t->len += n < 0 ? 0 : (size_t)n;
	/* the next text is written there */
	if (t->len >= t->size)
		t->len = t->size - 1;
}

void wrap(FILE *to, const char *text, int at, int indent, int width)
{
	int room = width - at;

	while ((int)strlen(text) > room) {
		int cut = room > 0 ? room : 0;

		while (cut > 0 && text[cut] != ' ')
			cut--;
		/* a word longer than a line stays whole */
		if (!cut)
			cut = (int)strcspn(text, " ");
		if (!text[cut])
			break;
		fprintf(to, "%.*s\n%*s", cut, text, indent, "");
		text += cut + 1;
		room = width - indent;
	}
	fprintf(to, "%s\n", text);
}

const char *next_line(const char *lines, char *buf, size_t size)
{
	size_t len;

	if (!lines || !*lines)
		return NULL;
	len = strcspn(lines, "\n");
	snprintf(buf, size, "%.*s", (int)len, lines);
	return lines + len + (lines[len] == '\n');
}
