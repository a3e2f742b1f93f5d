// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/time_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Parses a relative time: "+90", "-5m", "+1h". */
static bool parse_step(const char *text, struct timespec *t)
{
	char *end;
	long n = strtol(text, &end, 10), unit = *end == 'm' ? 60 : *end == 'h' ? 3600 : 1;

	if ((*text != '+' && *text != '-') || !isdigit((unsigned char)text[1]))
		return false;
	if (*end && strchr("smh", *end))
		end++;
	if (*end || n < -100000000 / unit || n > 100000000 / unit)
		return false;
	t->tv_sec += n * unit;
	return true;
}

/* Parses local time, by default on the shown day: "09:15", "09:15:30", "2026-11-21 09:15:30". */
static bool parse_clock(const char *text, struct timespec *t)
{
	struct tm tm, day;
	const char *end;

	if (!localtime_r(&t->tv_sec, &tm))
		return false;
	day = tm;
	end = strptime(text, "%Y-%m-%d", &day);
	if (end)
		tm = day;
	tm.tm_sec = 0;
	end = strptime(end ? end : text, " %H:%M", &tm);
	if (end && *end)
		end = strptime(end, ":%S", &tm);
	if (!end || *end)
		return false;
	tm.tm_isdst = -1;
	*t = (struct timespec){ .tv_sec = mktime(&tm) };
	return t->tv_sec >= 0;
}

bool time_text_parse(const char *text, struct timespec *t)
{
	return parse_step(text, t) || parse_clock(text, t);
}
