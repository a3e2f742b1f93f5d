// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/*
 * If the offset changes by more than this, the clock was set, because two readings differ by less.
 * Both clocks are slewed alike.
 */
#define STEP_NS (2 * NSEC_PER_MSEC)

/* The offset between the clocks, from the reading that took the least time. */
static int64_t read_offset(void)
{
	uint64_t least = UINT64_MAX;
	int64_t offset = 0;

	for (int i = 0; i < 3; i++) {
		uint64_t before = clock_ns(), after;
		struct timespec wall;

		clock_gettime(CLOCK_REALTIME, &wall);
		after = clock_ns();
		if (after - before >= least)
			continue;
		least = after - before;
		offset = timespec_to_ns(&wall) - (int64_t)(before + least / 2);
	}
	return offset;
}

void clock_wall_update(int64_t *offset_ns)
{
	int64_t now = read_offset();

	if (llabs(now - *offset_ns) > STEP_NS)
		*offset_ns = now;
}

struct timespec clock_since_boot(const struct timespec *wall, uint64_t since_boot_ns)
{
	struct timespec boot;
	int64_t at = 0;

	if (!clock_gettime(CLOCK_BOOTTIME, &boot))
		at = timespec_to_ns(wall) - (timespec_to_ns(&boot) - (int64_t)since_boot_ns);
	return at >= NSEC_PER_SEC ? ns_to_timespec(at) : (struct timespec){ 0 };
}

#define DAY 86400
#define MAX 9000000000 /* so that it fits in 64 bits as ns */

/* Parses a relative time: "+90", "-5m", "+1h", "-2d". */
static bool parse_step(const char *text, struct timespec *t)
{
	static const struct {
		char name;
		long seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', DAY } };
	char *end;
	long n = strtol(text, &end, 10), unit = 1;

	if ((*text != '+' && *text != '-') || !isdigit((unsigned char)text[1]))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (*end == units[i].name) {
			unit = units[i].seconds;
			end++;
			break;
		}
	}
	if (*end || n < -100000000 / unit || n > 100000000 / unit)
		return false;
	t->tv_sec += n * unit;
	return true;
}

/*
 * Parses a time of day, by default on the day of *t: "09:15", "09:15:30", "2026-11-21 09:15:30",
 * and in UTC with a Z: "17:33:30Z", or "2026-11-21T09:15:30.123456Z", whose fraction is ignored.
 */
static bool parse_clock(const char *text, struct timespec *t)
{
	struct tm tm, day;
	const char *end, *date;
	const bool utc = strchr(text, 'Z');

	if (!(utc ? gmtime_r : localtime_r)(&t->tv_sec, &tm))
		return false;
	day = tm;
	date = strptime(text, "%Y-%m-%d", &day);
	if (date)
		tm = day;
	tm.tm_sec = 0;
	if (date && *date == 'T')
		date++;
	end = strptime(date ? date : text, " %H:%M", &tm);
	if (end && *end == ':')
		end = strptime(end, ":%S", &tm);
	if (end && date && *end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	if (!end || (*end && strcmp(end, "Z") != 0))
		return false;
	tm.tm_isdst = -1;
	*t = (struct timespec){ .tv_sec = *end ? timegm(&tm) : mktime(&tm) };
	return true;
}

bool time_text_parse(const char *text, struct timespec *t)
{
	return (parse_step(text, t) || parse_clock(text, t)) && t->tv_sec >= 0 && t->tv_sec <= MAX;
}

bool time_text_parse_near(const char *text, const struct timespec *base, bool after,
			  struct timespec *t)
{
	*t = *base;
	if (!time_text_parse(text, t))
		return false;
	if (*text == '+' || strchr(text, '-') ||
	    (after ? t->tv_sec >= base->tv_sec : t->tv_sec <= base->tv_sec))
		return true;
	*t = *base;
	t->tv_sec += after ? DAY : -DAY;
	return time_text_parse(text, t);
}
