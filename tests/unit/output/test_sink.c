// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output that a slow reader has not taken is queued: all of it arrives, without moving it each
 * time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "output/sink.h"
#include "unit/test.h"

#define LINES 200000

/* Take at most this many bytes from the pipe: lines with ascending numbers. */
static size_t take(int fd, size_t size, unsigned int *next)
{
	static char rest[32];
	char buf[8192 + sizeof(rest)];
	size_t kept = strlen(rest);
	ssize_t n;
	char *at = buf, *end;

	memcpy(buf, rest, kept);
	n = read(fd, buf + kept, size);
	assert_true(n > 0);
	buf[kept + (size_t)n] = '\0';
	while ((end = strchr(at, '\n'))) {
		assert_int_equal(strtoul(at, NULL, 10), (*next)++);
		at = end + 1;
	}
	snprintf(rest, sizeof(rest), "%s", at);
	return (size_t)n;
}

TEST(test_slow_reader)
{
	size_t moved = 0, start = 0, taken = 0; /* bytes */
	unsigned int next = 0;
	struct sink s;
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(sink_attach(&s, "pipe", fd[1]), 0);
	s.kind = SINK_PIPE;
	for (unsigned int i = 0; i < LINES; i++) {
		fprintf(s.file, "%u\n", i);
		if (s.start < start)
			moved += s.used;
		start = s.start;
		/* once there is a backlog, take one page for each eight written */
		if (s.start + s.used > 2 * 65536 && taken < s.written / 8)
			taken += take(fd[0], 4096, &next);
	}
	assert_int_equal(sink_commit(&s), 0);
	assert_true(s.used > s.written / 2);
	assert_true(moved <= 2 * s.written);
	while (next < LINES) {
		take(fd[0], 8192, &next);
		assert_int_equal(sink_pump(&s), 0);
	}
	assert_int_equal(sink_pending(&s), 0);
	sink_close(&s);
	close(fd[0]);
}
