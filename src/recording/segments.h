/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where to begin reading: the segments of a directory (--record), or one file. Each segment can be
 * read alone, from its start. Only its first snapshot is read before it is needed.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "recording/record_reader.h"

/* Names of the recorder's segments: xdptop-20261121T030000Z.jsonl.zst, the start in UTC. */
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

/*
 * An open file each, because the rights to open them end before the first is read. 16 weeks of ten
 * minutes.
 */
#define SEGMENTS_MAX 16384

struct segment {
	char name[SEGMENT_NAME_LEN]; /* "" = the one file */
	int fd;
	uint64_t before;  /* bytes of all earlier segments */
	uint64_t size;    /* when it was opened */
	int64_t begin_ns; /* time of its first snapshot, else by its name */
	uint64_t boot;    /* hash of the boot; 0 = unknown */
	uint64_t mono_ns; /* of its first header, in that boot */
	int64_t order;    /* time by which boots are sorted */
};

struct segments {
	struct segment *segment;
	size_t n, cap;
	size_t left_out;   /* older segments than the newest SEGMENTS_MAX */
	size_t unreadable; /* could not be opened */
	int why;           /* -errno of the last of them */
	bool directory;
	int dir;                     /* its descriptor, to find later segments */
	struct record_reader reader; /* of heads */
};

/* A file or pipe that is open already. It and the directory below are closed with the segments. */
void segments_of_file(struct segments *s, int fd, uint64_t size);
/*
 * Opens all segments in a directory. Ignores what is not a regular file with the name of a segment,
 * and empty files. 0, -ENOENT = there is none; else -errno of the directory or of a segment.
 */
int segments_of_directory(struct segments *s, int dir);
/*
 * Reads the head of each segment, and sorts them: by name, within one boot by its monotonic clock.
 * 0, or -ECANCELED after a signal.
 */
int segments_sort(struct segments *s);
/* Opens the segments that the recorder has begun since. 1; 0 = there is none; -errno. */
int segments_more(struct segments *s);
void segments_free(struct segments *s);

/* The last segment whose first snapshot is not after this time; else the first one. */
size_t segments_find(const struct segments *s, int64_t wall_ns);
