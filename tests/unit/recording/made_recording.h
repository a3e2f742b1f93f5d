/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings for tests. */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "recording/recording.h"
#include "unit/fake.h"
#include "unit/test.h"

/* A file with this text; the caller unlinks it. */
static inline void put_file(char *path, const char *text, size_t len)
{
	int fd;

	strcpy(path, "/tmp/xdptop-test.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static inline struct recording_config replay_of(const char *path)
{
	return (struct recording_config){ .path = path, .batch = true };
}

/* recording_open(), then its header is read. */
static inline int open_recording(struct source **s, const struct recording_config *config,
				 struct error *error)
{
	int err = recording_open(s, config, error);

	if (err)
		return err;
	err = recording_begin(*s, error);
	if (err)
		(*s)->ops->close(*s);
	return err;
}

/* The next snapshot. sample() returns early if it takes long, so it is repeated. 0, 1 or -errno. */
static inline int sample_next(struct source *source, struct snapshot *to)
{
	int err;

	do {
		err = source->ops->sample(source, to);
	} while (err == -EAGAIN);
	return err;
}

/* Seconds 1 to n as -o json writes them. free() it. */
static inline char *record_seconds(uint64_t n, bool per_cpu)
{
	struct fake_out o;
	struct snapshot last = { 0 };
	char *text;

	fake_out_open(&o, "json");
	o.config.per_cpu = per_cpu;
	o.format->begin(&o.out);
	for (uint64_t i = 1; i <= n; i++)
		fake_out_write(&o, i - 1, i, i == n);
	fake_snapshot(&last, n);
	o.format->end(&o.out, &last, "count");
	fflush(o.out.file);
	text = strdup(o.text);
	snapshot_free(&last);
	fake_out_close(&o);
	return text;
}

/* The position after the nth line. */
static inline char *after_line(char *text, int n)
{
	while (n--)
		text = strchr(text, '\n') + 1;
	return text;
}

/* A replay of n seconds; lines[i] precede the other rows of second i + 1. */
static inline struct source *replay_with(const char *const *lines, int n)
{
	static char path[64]; /* named in messages */
	const struct recording_config config = replay_of(path);
	char *text = record_seconds((uint64_t)n, false), *at = text, *all = NULL;
	struct error error = { 0 };
	struct source *source = NULL;
	size_t size;
	FILE *file = open_memstream(&all, &size);

	for (int i = 0; i < n; i++) {
		char seq[32], *row;

		snprintf(seq, sizeof(seq), "\"seq\":%d,", i + 1);
		row = strstr(at, seq);
		assert_non_null(row);
		while (row[-1] != '\n')
			row--;
		fprintf(file, "%.*s%s", (int)(row - at), at, lines[i]);
		at = row;
	}
	fputs(at, file);
	fclose(file);
	put_file(path, all, strlen(all));
	assert_int_equal(open_recording(&source, &config, &error), 0);
	unlink(path);
	free(all);
	free(text);
	return source;
}
