// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The recorder's segments with a clock of the test's own, and a disk that is full when the test
 * says so. tests/batch/test_recorder.py kills it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "output/batch.h"
#include "output/recorder.h"
#include "recording/record_reader.h"
#include "unit/fake.h"
#include "unit/test.h"

#define HOUR 3600
#define DAY  (24 * HOUR)
#define T0   1795252500 /* 2026-11-21T09:15:00Z */

static bool full;           /* the disk */
static unsigned int opened; /* files and directories */

/* Replaces libc's. */
ssize_t write(int fd, const void *data, size_t len)
{
	struct stat st;

	if (full && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_write, fd, data, len);
}

int openat(int dir, const char *path, int flags, ...)
{
	va_list more;
	mode_t mode;

	va_start(more, flags);
	mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
	va_end(more);
	opened++;
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

static char directory[64];
static struct recorder recorder;
static struct recorder_config config;
static const struct snapshot_host host = { .hostname = "edge1" };

static int start(int64_t wall, uint64_t mono)
{
	struct timespec t = { .tv_sec = wall };
	struct error error = { 0 };

	config.path = directory;
	return recorder_open(&recorder, &config, true, &t, mono * NSEC_PER_SEC, &error);
}

/* A snapshot at this time. Returns whether it has a header and all rows. */
static bool put(int64_t wall, uint64_t mono)
{
	struct snapshot s = { .wall.tv_sec = wall, .mono_ns = mono * NSEC_PER_SEC };
	int due = recorder_begin(&recorder, &host, &s);

	assert_true(due >= 0);
	fprintf(recorder.sink.file, "%s %lld\n", due ? "first" : "next", (long long)wall);
	assert_int_equal(recorder_commit(&recorder, false), 0);
	return due;
}

/* Text that takes more than half of its size when it is compressed. */
static void put_noise(size_t size)
{
	for (size_t i = 0; i < 2 * size; i++)
		fputc('a' + (int)(random() % 26), recorder.sink.file);
	assert_int_equal(recorder_commit(&recorder, false), 0);
}

static int order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in the directory, in order, without what all segments have. */
static const char *names(void)
{
	static char text[16384];
	char *name[512];
	struct dirent *e;
	DIR *dir = opendir(directory);
	size_t n = 0, len = 0;

	assert_non_null(dir);
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.')
			name[n++] = strdup(e->d_name);
	closedir(dir);
	qsort(name, n, sizeof(*name), order);
	*text = '\0';
	for (size_t i = 0; i < n; i++) {
		char *at = strncmp(name[i], "xdptop-2026", 11) ? name[i] : name[i] + 11;
		char *end = strstr(at, ".jsonl.zst");

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.*s", i ? " " : "",
					end ? (int)(end - at) : 99, at);
		free(name[i]);
	}
	return text;
}

static void make(const char *name)
{
	char path[160];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 100000), 0);
	close(fd);
}

static int setup(void **state)
{
	strcpy(directory, "/tmp/xdptop-recorder-XXXXXX");
	assert_non_null(mkdtemp(directory));
	config = (struct recorder_config){ 0 };
	full = false;
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	recorder_close(&recorder);
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

TEST(test_names)
{
	static const char *const bad[] = {
		"xdptop-20261121T091500Z.jsonl",        "xdptop-20261121T091500Z-0.jsonl.zst",
		"xdptop-20261321T091500Z.jsonl.zst",    "xdptop-20261121T091500Z-01.jsonl.zst",
		"xdptop-20261121T091500Z-.jsonl.zst",   "xdptop-20261121T091500Z-1000.jsonl.zst",
		"xdptop-20261121T091500Z.jsonl.zst~",   "xdptop-2026112 T091500Z.jsonl.zst",
		"xdptop-20261121T091500Z--1.jsonl.zst", "",
	};
	char name[SEGMENT_NAME_LEN];
	unsigned int number;
	int64_t begin;

	segment_name(name, T0, 0);
	assert_string_equal(name, "xdptop-20261121T091500Z.jsonl.zst");
	assert_true(segment_name_parse(name, &begin, &number));
	assert_int_equal(begin, T0);
	assert_int_equal(number, 0);
	segment_name(name, T0, 12);
	assert_string_equal(name, "xdptop-20261121T091500Z-12.jsonl.zst");
	assert_true(segment_name_parse(name, &begin, &number));
	assert_int_equal(number, 12);
	assert_true(segment_name_compare("xdptop-20261121T091500Z-2.jsonl.zst", name) < 0);
	assert_true(segment_name_compare("xdptop-20261121T091501Z.jsonl.zst", name) > 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(segment_name_parse(bad[i], &begin, &number));
	segment_name(name, INT64_MAX, UINT32_MAX);
	segment_name(name, INT64_MIN, 0);
	assert_string_equal(name, "xdptop-19700101T000000Z.jsonl.zst");
}

TEST_WITH(test_segments, setup, teardown)
{
	assert_int_equal(start(T0, 100), 0);
	assert_true(put(T0, 100));
	assert_false(put(T0 + 299, 399));
	/* 09:20 */
	assert_true(put(T0 + 300, 400));
	assert_false(put(T0 + 600, 700));
	assert_false(put(T0 + 899, 999));
	/* the clock was set back: the time that nobody sets ends it, or another ten minutes do */
	assert_true(put(T0 + 310, 1000));
	assert_false(put(T0 + 310, 1599));
	assert_true(put(T0 + 310, 1600));
	assert_string_equal(names(), "1121T091500Z 1121T092000Z 1121T092010Z-1 1121T092010Z");
	assert_int_equal(recorder.host.started_ns, 100 * NSEC_PER_SEC);
	assert_int_equal(recorder.host.mono_ns, 1600 * NSEC_PER_SEC);
	assert_int_equal(strlen(recorder.host.boot_id), 36);
	recorder_close(&recorder);
	/* the same second again */
	assert_int_equal(start(T0, 2800), 0);
	assert_true(put(T0, 2800));
	assert_string_equal(names(), "1121T091500Z-1 1121T091500Z 1121T092000Z 1121T092010Z-1 "
				     "1121T092010Z");
}

TEST_WITH(test_nothing_written, setup, teardown)
{
	assert_int_equal(start(T0, 100), 0);
	assert_string_equal(names(), "1121T091500Z");
	recorder_close(&recorder);
	assert_string_equal(names(), "");
}

/* Noticed with the next snapshot, whatever the time is. */
TEST_WITH(test_removed, setup, teardown)
{
	char command[128];

	assert_int_equal(start(T0, 100), 0);
	put(T0, 100);
	snprintf(command, sizeof(command), "rm %s/*", directory);
	assert_int_equal(system(command), 0);
	assert_true(put(T0 + 5, 105));
	assert_string_equal(names(), "1121T091505Z");
}

TEST_WITH(test_removed_directory, setup, teardown)
{
	struct snapshot s = { .wall.tv_sec = T0 + 5, .mono_ns = 105 * NSEC_PER_SEC };
	char command[128];

	assert_int_equal(start(T0, 100), 0);
	put(T0, 100);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	assert_int_equal(system(command), 0);
	assert_int_equal(recorder_begin(&recorder, &host, &s), -ENOENT);
}

TEST_WITH(test_age, setup, teardown)
{
	config.keep_s = DAY;
	make("xdptop-20261120T080400Z.jsonl.zst"); /* ended more than a day ago */
	make("xdptop-20261120T090900Z.jsonl.zst");
	make("xdptop-20261121T090500Z.jsonl.zst");
	make("xdptop-20261120T080400Z.jsonl");
	make("other");
	assert_int_equal(start(T0, 100), 0);
	put(T0, 100);
	assert_string_equal(names(), "other 1120T080400Z.jsonl 1120T090900Z 1121T090500Z "
				     "1121T091500Z");
	for (int64_t t = 600; t <= DAY + 2 * HOUR; t += 600)
		put(T0 + t, (uint64_t)t + 100);
	/* the last 24 hours are always there, and at most one segment more */
	assert_null(strstr(names(), "1120T090900Z"));
	assert_null(strstr(names(), "1121T091500Z"));
	assert_non_null(strstr(names(), "1121T110500Z"));
	assert_null(strstr(names(), "1121T105500Z"));
}

/*
 * The clock is ahead for a while, before or after the start, once or at each start, or slow: what
 * earlier runs recorded in the last days stays, until this run has recorded that long.
 */
TEST_WITH(test_wrong_clock, setup, teardown)
{
	static const struct {
		int64_t at[3]; /* wall time of the start, after 60 s, and after 500 s */
	} clocks[] = {
		{ { T0 + 60 * DAY, T0 + 60 * DAY + 60, T0 + 500 } },
		{ { T0, T0 + 60 * DAY, T0 + 60 * DAY + 440 } },
		{ { T0 + 30 * DAY, T0 + 60 * DAY, T0 + 90 * DAY } },
		{ { 0, 60, T0 + 500 } },
		{ { T0, T0 + 60 * DAY, T0 } },
	};
	char name[64];

	config.keep_s = 7 * DAY;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		for (int day = 1; day <= 7; day++) {
			segment_name(name, T0 - day * DAY + 600, 0);
			make(name);
		}
		assert_int_equal(start(clocks[i].at[0], 10), 0);
		put(clocks[i].at[0], 10);
		put(clocks[i].at[1], 70);
		put(clocks[i].at[2], 510);
		for (int day = 1; day <= 7; day++) {
			segment_name(name, T0 - day * DAY + 600, 0);
			assert_int_equal(faccessat(recorder.dir, name, F_OK, 0), 0);
		}
		/* own segments are as old as they are */
		put(clocks[i].at[2] + 8 * DAY, 510 + 8 * DAY);
		assert_int_equal(recorder.n - recorder.oldest, 1);
		teardown(NULL);
		setup(NULL);
		config.keep_s = 7 * DAY;
	}
}

/* A year of segments: one list, and removals a few at a time. */
TEST_WITH(test_many, setup, teardown)
{
	char name[64];

	config.keep_bytes = 1 << 20;
	for (int i = 0; i < 3000; i++) {
		segment_name(name, T0 - (i + 1) * 600, 0);
		make(name);
	}
	assert_int_equal(start(T0, 100), 0);
	opened = 0;
	put(T0, 100);
	assert_int_equal(recorder.n - recorder.oldest, 3001 - RECORDER_REMOVE_MAX);
	for (int i = 1; i < 20; i++)
		put(T0 + i, (uint64_t)i + 100);
	assert_true(recorder.size < config.keep_bytes);
	assert_int_equal(opened, 0);
}

TEST_WITH(test_clock_back, setup, teardown)
{
	config.keep_bytes = 1 << 20;
	for (int i = 0; i < 9; i++) {
		char name[64];

		snprintf(name, sizeof(name), "xdptop-20261101T00000%dZ.jsonl.zst", i);
		make(name);
	}
	make("xdptop-20261121T081400Z.jsonl.zst");
	assert_int_equal(start(T0, 100), 0);
	put(T0, 100);
	put(T0 - 30 * DAY, 160);
	put(T0 - 30 * DAY + 60, 220);
	/* the oldest goes first, whatever its name */
	assert_non_null(strstr(names(), "1022T091500Z"));
	assert_non_null(strstr(names(), "1121T081400Z 1121T091500Z"));
	assert_null(strstr(names(), "1101T000000Z"));
}

TEST_WITH(test_size, setup, teardown)
{
	config.keep_bytes = 1 << 20;
	assert_int_equal(start(T0, 100), 0);
	for (int i = 0; i < 20; i++) {
		struct stat st;

		put(T0 + 60 * i, (uint64_t)(100 + 60 * i));
		put_noise(100000);
		assert_int_equal(fstat(recorder.sink.fd, &st), 0);
		assert_true(st.st_size > 100000);
	}
	/* each pair of snapshots is larger than an eighth, and then a segment ends */
	assert_true(strlen(names()) < 9 * sizeof("1121T091500Z"));
	assert_true(strlen(names()) > 3 * sizeof("1121T091500Z"));
}

TEST_WITH(test_full_disk, setup, teardown)
{
	make("xdptop-20261120T081400Z.jsonl.zst");
	make("xdptop-20261120T091400Z.jsonl.zst");
	assert_int_equal(start(T0, 100), 0);
	put(T0, 100);
	full = true;
	/* one segment has more room than the snapshot needs */
	put(T0 + 5, 105);
	assert_true(recorder.sink.is_disk_full);
	assert_string_equal(names(), "1120T091400Z 1121T091500Z");
	/* somebody else may fill the disk: not more is removed than this run has written */
	put(T0 + 10, 110);
	put(T0 + 15, 115);
	put(T0 + 2700, 2800);
	assert_string_equal(names(), "1120T091400Z 1121T091500Z");
	assert_true(sink_pending(&recorder.sink) > 0);
	put_noise(100000);
	put(T0 + 2705, 2805);
	/* the current one stays, and the snapshots wait, even beyond the ten minutes */
	assert_string_equal(names(), "1121T091500Z");
	recorder_leave_out(&recorder, 3);
	full = false;
	assert_int_equal(recorder_pump(&recorder), 0);
	assert_int_equal(sink_pending(&recorder.sink), 0);
	/* the next snapshot has a header with the number, and a later one begins a segment */
	assert_true(put(T0 + 2710, 2810));
	assert_int_equal(recorder.host.snapshots_left_out, 3);
	assert_true(put(T0 + 3300, 3400));
	assert_string_equal(names(), "1121T091500Z 1121T101000Z");
}

/* A live source: its disk is full from the second snapshot to the fifth, which is more than waits.
 */
static int fill_disk(struct source *source, struct snapshot *to)
{
	static uint64_t n;

	fake_snapshot(to, n);
	to->seq = 0;
	to->mono_ns = (100 + n) * NSEC_PER_SEC;
	to->wall.tv_sec = T0 + (time_t)n;
	full = n >= 2 && n < 6;
	for (int i = 0; n == 2 && i < 20000; i++) {
		struct event *e = snapshot_add_event(to);

		for (size_t at = 0; at < sizeof(e->text) - 1; at++)
			e->text[at] = (char)('a' + random() % 26);
		e->tracepoint = TP_XDP_REDIRECT_ERR;
		e->time = to->wall;
	}
	n++;
	return 0;
}

TEST_WITH(test_left_out, setup, teardown)
{
	static const struct source_ops ops = { .sample = fill_disk };
	struct source source = { .ops = &ops, .live = true, .fd = -1 };
	struct output_config output = { .format = &output_json, .sort = -1 };
	struct batch_config batch = { .delay_s = 0.01, .quiet = true, .iterations = 8 };
	uint64_t headers = 0, left_out = 0, seq = 0;
	struct record_reader reader;
	char path[PATH_MAX];
	int fd;

	source.host = fake_host();
	assert_int_equal(start(T0, 100), 0);
	snprintf(path, sizeof(path), "%s", recorder.path);
	assert_int_equal(batch_run(&source, &recorder.sink, NULL, &recorder, &output, &batch),
			 EXIT_DONE);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	record_reader_init(&reader, fd);
	while (!record_reader_next(&reader)) {
		const struct record *r = &reader.record;

		headers += r->type == RECORD_HEADER;
		if (r->type == RECORD_HEADER)
			left_out = r->host.snapshots_left_out;
		else if (r->type == RECORD_TRACEPOINT && r->seq != seq) {
			/* 3 to 5 are missing, and the header that follows says so */
			assert_int_equal(r->seq, seq == 2 ? 6 : seq + 1);
			assert_int_equal(left_out, r->seq < 6 ? 0 : 3);
			seq = r->seq;
		}
	}
	assert_int_equal(headers, 2);
	assert_int_equal(seq, 8);
	record_reader_free(&reader);
	close(fd);
}

TEST_WITH(test_second_writer, setup, teardown)
{
	struct recorder second;
	struct error error = { 0 };
	struct timespec t = { .tv_sec = T0 };

	assert_int_equal(start(T0, 100), 0);
	assert_int_equal(recorder_open(&second, &config, true, &t, 1, &error), -EBUSY);
	assert_non_null(strstr(error.text, "another xdptop --record"));
	assert_string_equal(names(), "1121T091500Z");
}
