// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as segments of a directory, opened at any time: the first line is the time, and the
 * rest is cut into two segments and a name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "model/timeline.h"
#include "recording/recording.h"
#include "recording/segments.h"
#include "recording/span.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[64];

static void try(bool holds)
{
	if (!holds)
		abort();
}

static void remove_directory(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	try(!system(command));
}

static void put_segment(const char *name, const uint8_t *data, size_t size)
{
	char path[160];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	try(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

/* Reads at most 64 snapshots. */
static void read_some(struct source *source, struct timespec *last)
{
	struct snapshot s = { 0 };
	int err = 0;

	for (int i = 0; i < 64 && (!err || err == -EAGAIN); i++) {
		snapshot_clear(&s);
		err = source->ops->sample(source, &s);
		if (!err)
			*last = s.wall;
	}
	snapshot_free(&s);
}

static void read_incidents(struct source *source)
{
	struct timeline *t;
	int tries = 0;

	while (source->ops->incidents(source, !tries, &t) == -EAGAIN && tries++ < 8)
		;
	for (size_t i = 0; i < t->n; i++) {
		const struct finding *f = &t->incident[i];

		try(f->code && f->total >= f->before);
		try(!i || timespec_to_ns(&f[-1].first) >= timespec_to_ns(&f->first));
	}
}

static void move(struct source *source)
{
	struct timespec last = { 0 };
	int64_t found;

	read_some(source, &last);
	for (int i = 0; i < 3; i++) {
		int err = -EAGAIN, tries = 0;

		while (err == -EAGAIN && tries++ < 8)
			err = source->ops->find(source, timespec_to_ns(&last), &found);
		if (err)
			break;
		try(found < timespec_to_ns(&last));
		last = ns_to_timespec(found > 0 ? found : 0);
		if (source->ops->seek(source, &last))
			break;
		read_some(source, &last);
	}
	read_incidents(source);
	if (!source->ops->seek(source, &(struct timespec){ 0 }))
		read_some(source, &last);
}

static void check_name(const char *name)
{
	char same[SEGMENT_NAME_LEN];
	unsigned int number;
	int64_t begin;

	if (!segment_name_parse(name, &begin, &number))
		return;
	segment_name(same, begin, number);
	try(!strcmp(same, name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\n', size < 64 ? size : 64);
	size_t len = end ? (size_t)(end - data) : 0, rest = end ? size - len - 1 : size;
	struct recording_config config = { .batch = true, .quiet = true, .output = "/dev/null" };
	char arg[160], name[65];
	struct source *source = NULL;
	struct error error = { 0 };
	struct span span;

	if (!*directory) {
		strcpy(directory, "/tmp/xdptop-fuzz.XXXXXX");
		try(mkdtemp(directory));
		atexit(remove_directory);
	}
	snprintf(name, sizeof(name), "%.*s", (int)len, (const char *)data);
	check_name(name);
	data = end ? end + 1 : data;
	put_segment("xdptop-20261121T000000Z.jsonl.zst", data, rest / 2);
	put_segment("xdptop-20261121T010000Z-1.jsonl.zst", data + rest / 2, rest - rest / 2);
	put_segment("xdptop-20261121T020000Z.jsonl.zst", data, rest);
	snprintf(arg, sizeof(arg), "%s%s%s", directory, *name ? "@" : "", name);
	if (!span_split(arg, &span, &error)) {
		config.path = arg;
		if (!recording_open(&source, &config, &error)) {
			if (!recording_begin(source, &error))
				move(source);
			source->ops->close(source);
		}
	}
	return 0;
}
