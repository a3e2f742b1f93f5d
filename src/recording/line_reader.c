// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/line_reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"

#define READ_SIZE (16u << 10)

void line_reader_init(struct line_reader *r, int fd)
{
	memset(r, 0, sizeof(*r));
	r->fd = fd;
}

/* Make room for READ_SIZE bytes. 0 or -ENOMEM. */
static int make_room(struct line_reader *r)
{
	char *buf;

	if (r->start) {
		memmove(r->buf, r->buf + r->start, r->used);
		r->start = 0;
	}
	if (r->size >= r->used + READ_SIZE)
		return 0;
	buf = realloc(r->buf, r->used + 2 * READ_SIZE);
	if (!buf)
		return -ENOMEM;
	r->buf = buf;
	r->size = r->used + 2 * READ_SIZE;
	return 0;
}

/* Read once without blocking: 0 = bytes or end of file, -EAGAIN as line_reader_next(), else -errno.
 */
static int fill(struct line_reader *r)
{
	struct pollfd fd = { .fd = r->fd, .events = POLLIN };
	ssize_t n;
	int err;

	/* all that reads a recording waits for this in the end */
	if (r->end_ns && clock_ns() >= r->end_ns)
		return -EAGAIN;
	if (poll(&fd, 1, 0) <= 0)
		return -EAGAIN;
	err = make_room(r);
	if (err)
		return err;
	n = read(r->fd, r->buf + r->used, READ_SIZE);
	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	r->used += (size_t)n;
	r->bytes += (uint64_t)n;
	r->end = !n;
	return 0;
}

static void consume(struct line_reader *r, size_t len)
{
	r->start += len;
	r->used -= len;
	r->scanned = 0;
}

int line_reader_next(struct line_reader *r, const char **line, size_t *len)
{
	for (;;) {
		const char *from = r->used ? r->buf + r->start : NULL;
		const char *newline = NULL;
		bool skipped = r->skipping;
		int err;

		if (r->used > r->scanned)
			newline = memchr(from + r->scanned, '\n', r->used - r->scanned);
		*line = from;
		*len = newline ? (size_t)(newline - from) : r->used;
		if (newline || (r->end && r->used)) {
			consume(r, *len + !!newline);
			r->skipping = false;
			r->cut = !newline;
			r->number += !skipped;
			if (!skipped)
				return *len > LINE_READER_MAX ? -EMSGSIZE : 1;
			continue;
		}
		if (r->end)
			return 0;
		r->scanned = r->used;
		if (r->used > LINE_READER_MAX || skipped) {
			consume(r, r->used);
			r->skipping = true;
			r->number += !skipped;
			if (!skipped)
				return -EMSGSIZE;
		}
		err = fill(r);
		if (err)
			return err;
	}
}

bool line_reader_inside(const struct line_reader *r)
{
	return r->used || r->skipping;
}

void line_reader_rewind(struct line_reader *r)
{
	struct line_reader fresh = { .fd = r->fd, .buf = r->buf, .size = r->size };

	*r = fresh;
}

void line_reader_free(struct line_reader *r)
{
	free(r->buf);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}
