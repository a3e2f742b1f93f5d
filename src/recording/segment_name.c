// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/segment_name.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define YEAR_10000 253402300800 /* in seconds since 1970 */

void segment_name(char name[SEGMENT_NAME_LEN], int64_t begin, unsigned int number)
{
	time_t time = begin < 0 ? 0 : begin < YEAR_10000 ? (time_t)begin : (time_t)YEAR_10000 - 1;
	char stamp[32] = "", suffix[16] = "";
	struct tm tm = { 0 };

	gmtime_r(&time, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
	if (number)
		snprintf(suffix, sizeof(suffix), "-%u", number);
	snprintf(name, SEGMENT_NAME_LEN, "xdptop-%s%s" SEGMENT_NAME_SUFFIX, stamp, suffix);
}

bool segment_name_parse(const char *name, int64_t *begin, unsigned int *number)
{
	char same[SEGMENT_NAME_LEN];
	struct tm tm = { 0 };
	int at = 0;

	*number = 0;
	if (sscanf(name, "xdptop-%4d%2d%2dT%2d%2d%2dZ%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &at) != 6 ||
	    !at)
		return false;
	if (name[at] == '-')
		*number = (unsigned int)strtoul(name + at + 1, NULL, 10);
	if (*number > SEGMENT_NUMBER_MAX)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*begin = timegm(&tm);
	/* refuses everything that is not written in this way: signs, blanks, month 13 */
	segment_name(same, *begin, *number);
	return !strcmp(name, same);
}

int segment_name_compare(const char *a, const char *b)
{
	const size_t stamp = strlen("xdptop-20261121T030000Z");
	const int order = strncmp(a, b, stamp);

	/* "-2" is read as minus 2, and no number as 0 */
	return order ?: (int)(strtol(b + stamp, NULL, 10) - strtol(a + stamp, NULL, 10));
}

DIR *segment_list(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list && fd >= 0)
		close(fd);
	return list;
}
