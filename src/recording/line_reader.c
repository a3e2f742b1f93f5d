// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/line_reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>
#include "base/clock.h"
#include "base/memory.h"

#define READ_SIZE (16u << 10)

static const char magic[4] = { '\x28', '\xb5', '\x2f', '\xfd' };

struct unpacker {
	ZSTD_DCtx *zstd;
	char in[READ_SIZE + sizeof(magic)]; /* unused rest of the previous input, then new input */
	ZSTD_inBuffer packed;               /* the part of `in` not decompressed yet */
	bool full; /* the last call filled its output, so there may be more */
};

void line_reader_init(struct line_reader *r, int fd)
{
	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->offset = -1;
}

/* Make room for READ_SIZE bytes. */
static void make_room(struct line_reader *r)
{
	if (r->start) {
		memmove(r->buf, r->buf + r->start, r->used);
		r->start = 0;
	}
	if (r->size >= r->used + READ_SIZE)
		return;
	r->size = r->used + 2 * READ_SIZE;
	r->buf = memory_resize(r->buf, r->size, 1);
}

/* Read once without blocking. 0 = *n bytes, none at the end of the file; -EAGAIN or -errno. */
static int read_some(struct line_reader *r, char *to, size_t size, size_t *n)
{
	struct pollfd fd = { .fd = r->fd, .events = POLLIN };
	ssize_t got;

	if (r->offset < 0 && poll(&fd, 1, 0) <= 0)
		return -EAGAIN;
	got = r->offset < 0 ? read(r->fd, to, size) : pread(r->fd, to, size, r->offset);
	if (got < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	r->waits = !got && r->grows;
	if (r->waits)
		return -EAGAIN;
	*n = (size_t)got;
	r->offset += r->offset < 0 ? 0 : got;
	r->bytes += *n;
	return 0;
}

static void unpacker_free(struct unpacker *u)
{
	if (u)
		ZSTD_freeDCtx(u->zstd);
	free(u);
}

/* The input read so far begins a compressed file. */
static void begin_unpacking(struct line_reader *r)
{
	struct unpacker *u = memory_new(1, sizeof(*u));

	u->zstd = ZSTD_createDCtx();
	if (!u->zstd)
		memory_missing();
	ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, LINE_READER_WINDOW);
	memcpy(u->in, r->buf, r->used);
	u->packed = (ZSTD_inBuffer){ u->in, r->used, 0 };
	r->used = r->scanned = 0;
	r->unpacker = u;
}

/*
 * An incomplete frame at the end is not damage, because a killed writer leaves one. Damage is
 * reported after the lines before it.
 */
static int unpack(struct line_reader *r)
{
	struct unpacker *u = r->unpacker;
	ZSTD_outBuffer out = { r->buf + r->used, READ_SIZE, 0 };
	size_t n = 0, left;
	int err;

	if (u->packed.pos == u->packed.size && !u->full) {
		err = read_some(r, u->in, READ_SIZE, &n);
		if (err)
			return err;
		r->end = !n;
		u->packed = (ZSTD_inBuffer){ u->in, n, 0 };
	}
	left = ZSTD_decompressStream(u->zstd, &out, &u->packed);
	r->used += out.pos;
	u->full = out.pos == out.size;
	if (!ZSTD_isError(left))
		return 0;
	if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
		memory_missing();
	r->end = true;
	r->damage = ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge ? -E2BIG
											: -EUCLEAN;
	return 0;
}

/* Read once without blocking. 0 = bytes or end of file, else as line_reader_next(). */
static int buffer_fill(struct line_reader *r)
{
	size_t n;
	int err;

	/* every reader of a recording calls this */
	if (r->end_ns && clock_ns() >= r->end_ns)
		return -EAGAIN;
	make_room(r);
	if (r->unpacker)
		return unpack(r);
	err = read_some(r, r->buf + r->used, READ_SIZE, &n);
	if (err)
		return err;
	r->used += n;
	r->end = !n;
	/* no line of a recording begins like this, and no complete line was returned yet */
	if (r->used == r->bytes && r->used >= sizeof(magic) &&
	    !memcmp(r->buf, magic, sizeof(magic)))
		begin_unpacking(r);
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
		if (r->end) {
			err = r->damage;
			r->damage = 0;
			return err;
		}
		r->scanned = r->used;
		if (r->used > LINE_READER_MAX || skipped) {
			consume(r, r->used);
			r->skipping = true;
			r->number += !skipped;
			if (!skipped)
				return -EMSGSIZE;
		}
		err = buffer_fill(r);
		if (err)
			return err;
	}
}

bool line_reader_inside(const struct line_reader *r)
{
	return r->used || r->skipping;
}

uint64_t line_reader_at(const struct line_reader *r)
{
	return r->bytes -
	       (r->unpacker ? r->unpacker->packed.size - r->unpacker->packed.pos : r->used);
}

void line_reader_start(struct line_reader *r, int fd)
{
	struct line_reader fresh = {
		.fd = fd, .buf = r->buf, .size = r->size, .end_ns = r->end_ns
	};

	unpacker_free(r->unpacker);
	*r = fresh;
}

void line_reader_free(struct line_reader *r)
{
	free(r->buf);
	unpacker_free(r->unpacker);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}
