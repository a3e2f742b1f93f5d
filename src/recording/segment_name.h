/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the recorder's segments: xdptop-20261121T030000Z.jsonl.zst, the start in UTC. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#define SEGMENT_NAME_LEN    48
#define SEGMENT_NUMBER_MAX  999
#define SEGMENT_NAME_SUFFIX ".jsonl.zst"

/*
 * The name of a segment that began at this time, in seconds since 1970, up to the year 9999. The
 * number distinguishes segments that began in the same second: -1, -2, ...; 0 = none is given.
 */
void segment_name(char name[SEGMENT_NAME_LEN], int64_t begin, unsigned int number);
/* Whether a file name is the name of a segment. Sets *begin and *number. */
bool segment_name_parse(const char *name, int64_t *begin, unsigned int *number);
/* Order by time, then by number: < 0, 0 or > 0. Both must be names of segments. */
int segment_name_compare(const char *a, const char *b);
/* The names in an open directory; NULL = errno. */
DIR *segment_list(int dir);
