// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/line_reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Read once without blocking: 0 = bytes or end of file, -EAGAIN = no input, else -errno. */
static int fill(struct line_reader *r)
{
	struct pollfd fd = { .fd = r->fd, .events = POLLIN };
	ssize_t n;
	int err;

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

/* Return the line of len bytes at the start: 1, or -EMSGSIZE for the rest of a skipped one. */
static int return_line(struct line_reader *r, size_t len, size_t end, const char **line,
		       size_t *line_len)
{
	bool too_long = r->skipping || len > LINE_READER_MAX;

	*line = r->buf + r->start;
	*line_len = len;
	consume(r, len + end);
	r->number++;
	r->cut = !end;
	r->skipping = false;
	return too_long ? -EMSGSIZE : 1;
}

int line_reader_next(struct line_reader *r, const char **line, size_t *len)
{
	for (;;) {
		const char *from = r->used ? r->buf + r->start : NULL;
		const char *end = NULL;
		int err;

		if (r->used > r->scanned)
			end = memchr(from + r->scanned, '\n', r->used - r->scanned);
		if (end)
			return return_line(r, (size_t)(end - from), 1, line, len);
		r->scanned = r->used;
		if (r->used > LINE_READER_MAX) {
			r->skipping = true;
			consume(r, r->used);
		}
		if (r->end)
			return r->used || r->skipping ? return_line(r, r->used, 0, line, len) : 0;
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
