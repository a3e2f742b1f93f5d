// SPDX-License-Identifier: GPL-2.0-or-later
/* Key o: records to a file, as `xdptop -o json` would have printed for ten minutes. */
#include "screen_record.h"

#include <errno.h>
#include <string.h>
#include <zstd.h>
#include "actions.h"
#include "base/clock.h"
#include "base/memory.h"
#include "export.h"

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

int screen_record_status(const struct screen *s, char *buf, size_t size)
{
	const struct screen_record *r = &s->record;
	char age[24], bytes[16];

	format_age(age, sizeof(age), ns_to_seconds(clock_ns() - r->began_ns));
	format_count(bytes, sizeof(bytes), r->sink.written, NUMBER_SI);
	return snprintf(buf, size, "%s, %sB", age, bytes);
}

static int write_end(struct screen *s)
{
	struct screen_record *r = &s->record;
	int err = 0;

	/* a replay that stops midway has no last snapshot, so write no end, as if it was cut */
	if (r->complete)
		err = output_json.end(&r->out, snapshots_newest(&s->snapshots), "user");
	if (!err)
		err = sink_end(&r->sink);
	return err;
}

static void close_file(struct screen_record *r)
{
	output_json.free(&r->out);
	sink_close(&r->sink);
	r->on = false;
}

static void record_failed(struct screen *s, int err)
{
	struct screen_record *r = &s->record;

	/* stdio reports only a failure; the sink has the cause */
	err = r->sink.err ? r->sink.err : err;
	screen_say(s, true, "recording ended, %s: %s", strerror(-err), r->path);
	close_file(r);
}

void screen_record_end(struct screen *s)
{
	struct screen_record *r = &s->record;
	char status[48];
	int err;

	if (!r->on)
		return;
	err = write_end(s);
	if (err) {
		record_failed(s, err);
		return;
	}
	screen_record_status(s, status, sizeof(status));
	screen_say(s, false, "recorded %s; replay it with xdptop -r %s", status, r->path);
	close_file(r);
}

void screen_record_last(struct screen *s)
{
	s->record.last = true;
	s->sample_at_ns = clock_ns();
}

/* For a recording that begins within ten minutes. */
static void keep_past(struct screen *s, const struct rates *rates)
{
	struct snapshot_host host = s->source->host;
	struct output out = { .host = &host, .netns = s->netns, .findings = &s->findings };

	host.delay_s = s->interval_s;
	past_add(&s->past, rates, &out);
}

void screen_record_sample(struct screen *s)
{
	struct screen_record *r = &s->record;
	const struct rates *rates = &s->snapshots.live;
	bool last = r->last || s->source->last;
	int err;

	if (s->source->live)
		keep_past(s, rates);
	if (!r->on || !rates->from)
		return;
	err = output_json.snapshot(&r->out, rates, last);
	r->out.first = false;
	if (!err)
		err = sink_commit(&r->sink);
	if (err) {
		record_failed(s, err);
		return;
	}
	r->complete = last;
	if (r->last)
		screen_record_end(s);
}

/* Writes the header, and what is kept. */
static int record_begin(struct screen *s)
{
	struct screen_record *r = &s->record;
	int err = output_json.begin(&r->out);

	if (!err && past_begin(&s->past)) {
		r->out.first = false;
		err = past_write(&s->past, r->sink.file);
	}
	return err;
}

static void say_begin(struct screen *s)
{
	const struct timespec *begin = past_begin(&s->past);
	char clock[16] = "now";

	if (begin)
		format_clock(clock, sizeof(clock), begin);
	screen_say(s, false, "recording from %s on; o ends it: %s", clock, s->record.path);
}

static bool record_accept(struct screen *s)
{
	static const struct output_config config = { .per_cpu = true, .sort = -1 };
	struct screen_record *r = &s->record;
	struct prompt *p = &s->prompt;
	int fd = export_create(p, 0644, NULL), err;

	if (fd < 0)
		return false;
	*r = (struct screen_record){
		.host = s->source->host,
		.began_ns = clock_ns(),
	};
	snprintf(r->path, sizeof(r->path), "%s", p->text);
	r->host.delay_s = s->interval_s;
	r->out = (struct output){
		.config = &config,
		.host = &r->host,
		.netns = s->netns,
		.findings = &s->findings,
		.first = true,
	};
	sink_attach(&r->sink, r->path, fd);
	r->out.file = r->sink.file;
	r->on = true;
	err = record_begin(s);
	if (!err)
		err = sink_commit(&r->sink);
	if (err)
		record_failed(s, err);
	else
		say_begin(s);
	return true;
}

static const struct prompt_kind prompt_record = {
	.label = "Record to: ",
	.brief = "Record to: ",
	.accept = record_accept,
};

void action_record(struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);

	if (s->record.on && s->source->live) {
		screen_record_last(s);
		return;
	}
	if (s->record.on) {
		screen_record_end(s);
		return;
	}
	if (now)
		export_ask(s, &prompt_record, &now->wall, "jsonl.zst");
}
