// SPDX-License-Identifier: GPL-2.0-or-later
/* Key o: records to a file, as `xdptop -o json` would have printed for ten minutes. */
#include "screen_record.h"

#include <string.h>
#include "actions.h"
#include "snapshot_export.h"

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
