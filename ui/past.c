// SPDX-License-Identifier: GPL-2.0-or-later
#include "past.h"

#include <errno.h>
#include <string.h>
#include <zstd.h>
#include "base/clock.h"
#include "base/memory.h"

#define LEVEL  1 /* a third of the time of level 3 */
#define WINDOW 18

static void past_open(struct past *p)
{
	sink_attach(&p->sink, "past.zst", -1);
	ZSTD_CCtx_setParameter(p->sink.zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(p->sink.zstd, ZSTD_c_windowLog, WINDOW);
	p->out.file = p->sink.file;
}

static void drop_oldest(struct past *p)
{
	sink_discard(&p->sink, p->frame[1].at - p->frame[0].at);
	p->n--;
	memmove(p->frame, p->frame + 1, (size_t)p->n * sizeof(p->frame[0]));
}

static int begin_frame(struct past *p, const struct rates *r)
{
	int64_t wall_ns = timespec_to_ns(&r->to->wall) - seconds_to_ns(r->seconds);
	int err = p->n ? sink_end(&p->sink) : 0;

	if (err)
		return err;
	if (p->n == PAST_FRAMES)
		drop_oldest(p);
	p->frame[p->n++] =
		(struct past_frame){ .at = p->sink.written,
				     .begin_ns = r->to->mono_ns,
				     .begin = ns_to_timespec(wall_ns > 0 ? wall_ns : 0) };
	p->out.first = true;
	return output_json.begin(&p->out);
}

/* One frame must not take all of the memory. */
static bool is_frame_due(const struct past *p, const struct rates *r)
{
	return !p->n || p->sink.written - p->frame[p->n - 1].at > PAST_BYTES / 4 ||
	       r->to->mono_ns - p->frame[p->n - 1].begin_ns >= PAST_FRAME;
}

static int add_snapshot(struct past *p, const struct rates *r)
{
	int err = 0;

	if (!p->out.file)
		past_open(p);
	if (is_frame_due(p, r))
		err = begin_frame(p, r);
	if (!err)
		err = output_json.snapshot(&p->out, r, false);
	p->out.first = false;
	if (!err)
		err = sink_commit(&p->sink);
	while (!err && p->n > 1 &&
	       (sink_pending(&p->sink) > PAST_BYTES ||
		r->to->mono_ns - p->frame[1].begin_ns >= PAST_NS))
		drop_oldest(p);
	return err;
}

void past_add(struct past *p, const struct rates *r, const struct output *out)
{
	static const struct output_config config = { .per_cpu = true, .sort = -1 };

	p->host = *out->host;
	p->out.config = &config;
	p->out.host = &p->host;
	p->out.netns = out->netns;
	p->out.findings = out->findings;
	if (r->from && add_snapshot(p, r))
		past_free(p);
}

/* Each frame begins with a line that is left out, the header. */
int past_write(struct past *p, FILE *to)
{
	ZSTD_inBuffer in = { p->sink.queue + p->sink.start, sink_pending(&p->sink), 0 };
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	bool full = true, in_header = true;
	char buf[16384];
	int err = 0;

	if (!zstd)
		memory_missing();
	while (!err && p->n && (in.pos < in.size || full)) {
		ZSTD_outBuffer out = { buf, sizeof(buf), 0 };
		size_t left = ZSTD_decompressStream(zstd, &out, &in), skip = 0;

		full = out.pos == out.size;
		if (in_header) {
			const char *end = memchr(buf, '\n', out.pos);

			skip = end ? (size_t)(end + 1 - buf) : out.pos;
			in_header = !end;
		}
		in_header |= !left;
		if (ZSTD_isError(left) ||
		    fwrite(buf + skip, 1, out.pos - skip, to) < out.pos - skip)
			err = -EIO;
	}
	ZSTD_freeDCtx(zstd);
	return err;
}

const struct timespec *past_begin(const struct past *p)
{
	return p->n ? &p->frame[0].begin : NULL;
}

void past_free(struct past *p)
{
	sink_close(&p->sink);
	output_json.free(&p->out);
	memset(p, 0, sizeof(*p));
}
