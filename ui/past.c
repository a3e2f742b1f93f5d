// SPDX-License-Identifier: GPL-2.0-or-later
#include "past.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "base/array.h"
#include "base/clock.h"

#define LEVEL  1 /* a third of the time of level 3 */
#define WINDOW 18

static struct past_frame *newest(struct past *p)
{
	return &p->frame[p->n - 1];
}

static int compress_frame(struct past *p, const char *data, size_t size, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { data, size, 0 };
	struct past_frame *f = newest(p);
	size_t left;

	do {
		if (array_reserve(f->data, f->cap, f->n + 4096))
			return -ENOMEM;
		ZSTD_outBuffer out = { f->data + f->n, f->cap - f->n, 0 };

		left = ZSTD_compressStream2(p->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return -ENOMEM;
		f->n += out.pos;
		p->bytes += out.pos;
	} while (end == ZSTD_e_continue ? in.pos < in.size : left > 0);
	return 0;
}

/* For fopencookie(): 0 = error. */
static ssize_t past_take(void *cookie, const char *data, size_t size)
{
	struct past *p = cookie;

	/* without a frame this is what stdio had left at past_free() */
	return !p->n || compress_frame(p, data, size, ZSTD_e_continue) ? 0 : (ssize_t)size;
}

static int past_open(struct past *p)
{
	cookie_io_functions_t io = { .write = past_take };

	p->zstd = ZSTD_createCCtx();
	if (!p->zstd)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_windowLog, WINDOW);
	p->out.file = fopencookie(p, "w", io);
	return p->out.file ? 0 : -ENOMEM;
}

static void drop_oldest(struct past *p)
{
	p->bytes -= p->frame[0].n;
	free(p->frame[0].data);
	p->n--;
	memmove(p->frame, p->frame + 1, (size_t)p->n * sizeof(p->frame[0]));
}

static int end_frame(struct past *p)
{
	int err = p->n && !p->ended ? compress_frame(p, NULL, 0, ZSTD_e_end) : 0;

	p->ended = true;
	return err;
}

static int begin_frame(struct past *p, const struct rates *r)
{
	int64_t wall_ns = timespec_to_ns(&r->to->wall) - seconds_to_ns(r->seconds);
	int err = end_frame(p);

	if (err)
		return err;
	if (p->n == PAST_FRAMES)
		drop_oldest(p);
	p->frame[p->n++] = (struct past_frame){ .begin_ns = r->to->mono_ns };
	newest(p)->begin = ns_to_timespec(wall_ns > 0 ? wall_ns : 0);
	p->ended = false;
	p->out.first = true;
	return output_json.begin(&p->out);
}

static bool is_frame_due(struct past *p, const struct rates *r)
{
	return !p->n || p->ended || r->to->mono_ns - newest(p)->begin_ns >= PAST_FRAME;
}

static int add_snapshot(struct past *p, const struct rates *r)
{
	int err = p->out.file ? 0 : past_open(p);

	if (!err && is_frame_due(p, r))
		err = begin_frame(p, r);
	if (!err)
		err = output_json.snapshot(&p->out, r, false);
	p->out.first = false;
	if (!err && fflush(p->out.file))
		err = -ENOMEM;
	if (!err)
		err = compress_frame(p, NULL, 0, ZSTD_e_flush);
	/* one frame must not take all */
	if (!err && newest(p)->n > PAST_BYTES / 4)
		err = end_frame(p);
	while (!err && p->n > 1 &&
	       (p->bytes > PAST_BYTES || r->to->mono_ns - p->frame[1].begin_ns >= PAST_NS))
		drop_oldest(p);
	return err;
}

void past_add(struct past *p, const struct rates *r, const struct output *out)
{
	p->config = (struct output_config){ .per_cpu = true, .sort = -1 };
	p->host = *out->host;
	p->out.config = &p->config;
	p->out.host = &p->host;
	p->out.netns = out->netns;
	p->out.findings = out->findings;
	if (r->from && add_snapshot(p, r))
		past_free(p);
}

/* Decompresses a frame, without its first line, the header. */
static int write_frame(const struct past_frame *f, ZSTD_DCtx *zstd, FILE *to)
{
	ZSTD_inBuffer in = { f->data, f->n, 0 };
	char buf[16384];
	bool full = true, rows = false;

	ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
	while (in.pos < in.size || full) {
		ZSTD_outBuffer out = { buf, sizeof(buf), 0 };
		size_t left = ZSTD_decompressStream(zstd, &out, &in);
		const char *from = buf, *line;

		if (ZSTD_isError(left))
			return -EIO;
		full = out.pos == out.size;
		if (!rows) {
			line = memchr(buf, '\n', out.pos);
			rows = line;
			from = line ? line + 1 : buf + out.pos;
		}
		if (fwrite(from, 1, (size_t)(buf + out.pos - from), to) <
		    (size_t)(buf + out.pos - from))
			return -EIO;
	}
	return 0;
}

int past_write(struct past *p, FILE *to)
{
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	int err = zstd ? 0 : -ENOMEM;

	for (int i = 0; i < p->n && !err; i++)
		err = write_frame(&p->frame[i], zstd, to);
	ZSTD_freeDCtx(zstd);
	return err;
}

const struct timespec *past_begin(const struct past *p)
{
	return p->n ? &p->frame[0].begin : NULL;
}

void past_free(struct past *p)
{
	while (p->n)
		drop_oldest(p);
	if (p->out.file)
		fclose(p->out.file);
	output_json.free(&p->out);
	ZSTD_freeCCtx(p->zstd);
	memset(p, 0, sizeof(*p));
}
