// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/event_loop.h"
#include "base/hash.h"

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

#define FDS_OWN   64 /* for everything else */
#define HEAD_ROWS 64 /* that may come before the first one with a time */

/* Time limits, because damaged files must not delay the start. Unread files are sorted by name. */
#define HEAD_NS (NSEC_PER_SEC / 2)
#define SORT_NS (2 * NSEC_PER_SEC)

static void add_segment(struct segments *s, const char *name, int64_t begin_ns)
{
	struct segment *new;

	new = array_append(s->segment, s->n, s->cap);
	*new = (struct segment){ .fd = -1, .begin_ns = begin_ns };
	strcpy(new->name, name);
}

void segments_of_file(struct segments *s, int fd, uint64_t size)
{
	add_segment(s, "", INT64_MIN);
	s->segment[0].fd = fd;
	s->segment[0].size = size;
}

COMPARE(compare_names, struct segment, segment_name_compare(x->name, y->name))

/* Sorts by name, and keeps the newest SEGMENTS_MAX. */
static void keep_newest(struct segments *s)
{
	size_t more = s->n > SEGMENTS_MAX ? s->n - SEGMENTS_MAX : 0;

	array_sort(s->segment, s->n, sizeof(*s->segment), compare_names);
	if (!more)
		return;
	memmove(s->segment, s->segment + more, (s->n - more) * sizeof(*s->segment));
	s->n -= more;
	s->left_out += more;
}

/* Adds the segments after the one with this name, which may be "". 0 or -errno. */
static int list_names(struct segments *s, const char *after)
{
	DIR *dir = segment_list(s->dir);
	const struct dirent *entry;
	unsigned int number;
	int64_t begin;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir))) {
		if (!segment_name_parse(entry->d_name, &begin, &number) ||
		    (*after && segment_name_compare(entry->d_name, after) <= 0))
			continue;
		if (begin < 0 || begin > INT64_MAX / NSEC_PER_SEC)
			begin = 0;
		add_segment(s, entry->d_name, begin * NSEC_PER_SEC);
		if (s->n < 4 * SEGMENTS_MAX)
			continue;
		if (*after)
			err = -E2BIG;
		else
			keep_newest(s);
	}
	closedir(dir);
	return err;
}

static void allow_files(size_t n)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= n + FDS_OWN)
		return;
	limit.rlim_cur = limit.rlim_max < n + FDS_OWN ? limit.rlim_max : n + FDS_OWN;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* A descriptor; 0 = not a segment, -errno. A FIFO or a device is not opened. */
static int open_segment(int dir, struct segment *segment)
{
	struct stat st;
	int fd;

	if (fstatat(dir, segment->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	fd = openat(dir, segment->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno; /* the recorder has removed it meanwhile */
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return 0;
	}
	segment->size = (uint64_t)st.st_size;
	return fd;
}

/* The newest first, in case not all can be opened. Those before `from` are open. */
static void open_all(struct segments *s, size_t from)
{
	size_t kept = from;

	for (size_t i = s->n; i-- > from;) {
		int fd = open_segment(s->dir, &s->segment[i]);

		s->segment[i].fd = fd;
		s->unreadable += fd < 0;
		s->why = fd < 0 ? fd : s->why;
	}
	for (size_t i = from; i < s->n; i++)
		if (s->segment[i].fd > 0)
			s->segment[kept++] = s->segment[i];
	s->n = kept;
}

static void set_before(struct segments *s)
{
	uint64_t before = 0;

	for (size_t i = 0; i < s->n; i++) {
		s->segment[i].before = before;
		before += s->segment[i].size;
	}
}

int segments_more(struct segments *s)
{
	const size_t n = s->n;
	char after[SEGMENT_NAME_LEN];
	int err;

	strcpy(after, n ? s->segment[n - 1].name : "");
	err = list_names(s, after);
	if (err) {
		s->n = n;
		return err;
	}
	s->why = 0;
	array_sort(s->segment + n, s->n - n, sizeof(*s->segment), compare_names);
	if (!n) {
		keep_newest(s);
		allow_files(s->n);
	}
	open_all(s, n);
	set_before(s);
	return s->n > n ? 1 : s->why;
}

int segments_of_directory(struct segments *s, int dir)
{
	int err;

	s->directory = true;
	s->dir = dir;
	err = segments_more(s);
	return err > 0 ? 0 : err ?: -ENOENT;
}

void segments_free(struct segments *s)
{
	for (size_t i = 0; i < s->n; i++)
		close(s->segment[i].fd);
	if (s->directory)
		close(s->dir);
	free(s->segment);
	record_reader_free(&s->reader);
	memset(s, 0, sizeof(*s));
}

static bool is_snapshot_row(const struct record *r)
{
	return r->type == RECORD_TRACEPOINT || r->type == RECORD_SAMPLE || r->type == RECORD_ROW;
}

/* Learn from the header and the first snapshot, unless they are damaged. */
static void read_head(struct segments *s, struct segment *segment)
{
	struct record_reader *r = &s->reader;
	struct snapshot_host host;
	int rows = 0;

	record_reader_free(r);
	record_reader_init(r, segment->fd);
	r->lines.offset = 0;
	r->lines.end_ns = clock_ns() + HEAD_NS;
	if (record_reader_next(r) || r->record.type != RECORD_HEADER ||
	    r->record.schema != RECORD_SCHEMA)
		return;
	host = r->record.host;
	do {
		if (rows++ == HEAD_ROWS || record_reader_next(r))
			return;
	} while (!is_snapshot_row(&r->record));
	segment->begin_ns = timespec_to_ns(&r->record.time);
	segment->mono_ns = host.mono_ns;
	if (host.boot_id[0])
		segment->boot = hash_add_text(hash_seed(), host.boot_id) | 1;
}

COMPARE(compare_segments, struct segment,
	ORDER(x->order, y->order) ?:
	ORDER(x->boot, y->boot) ?:
	ORDER(x->mono_ns, y->mono_ns) ?:
	compare_names(x, y))

/*
 * A boot is sorted by its last segment, when the clock had been set. Within a boot the clock that
 * nobody sets decides.
 */
static void set_orders(struct segments *s)
{
	struct segment *segment = s->segment;
	size_t i, j, end;

	for (i = 0; i < s->n; i++) {
		/* the segment's head is damaged: sort it after the previous name */
		if (!segment[i].boot && i && segment[i - 1].boot) {
			segment[i].boot = segment[i - 1].boot;
			segment[i].mono_ns = segment[i - 1].mono_ns + 1;
		}
		segment[i].order = segment[i].boot ? INT64_MAX : segment[i].begin_ns;
	}
	qsort(segment, s->n, sizeof(*segment), compare_segments);
	for (i = 0; i < s->n; i = end) {
		for (end = i + 1;
		     end < s->n && segment[i].boot && segment[end].boot == segment[i].boot; end++)
			;
		for (j = i; j < end; j++)
			segment[j].order = segment[end - 1].begin_ns;
	}
}

int segments_sort(struct segments *s)
{
	uint64_t end_ns = clock_ns() + SORT_NS;

	for (size_t i = s->n; i-- > 0 && clock_ns() < end_ns;) {
		if (event_loop_ends())
			return -ECANCELED;
		read_head(s, &s->segment[i]);
	}
	set_orders(s);
	qsort(s->segment, s->n, sizeof(*s->segment), compare_segments);
	set_before(s);
	return 0;
}

size_t segments_find(const struct segments *s, int64_t wall_ns)
{
	size_t found = 0;

	for (size_t i = 1; i < s->n; i++)
		if (s->segment[i].begin_ns <= wall_ns)
			found = i;
	return found;
}
