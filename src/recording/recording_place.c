// SPDX-License-Identifier: GPL-2.0-or-later
/* Places in a replay: the span that was asked for, and how a time is found. */
#include "recording/recording_assemble.h"

#include <errno.h>
#include <string.h>
#include "base/event_loop.h"
#include "base/format.h"
#include "model/netns_names.h"

#define SLICE_NS (50 * NSEC_PER_MSEC) /* of a search */
#define LAST_NS  (2 * NSEC_PER_SEC)
#define HOUR_NS  (int64_t)(3600 * NSEC_PER_SEC)

/* Whether seq and time of the line are those of the last line, as in most rows of a snapshot. */
static bool is_like_last(struct finder *f, const char *line, size_t len)
{
	const char *seq = memmem(line, len < 64 ? len : 64, "\"seq\":", 6), *end;
	size_t room = seq ? len - (size_t)(seq - line) : 0;

	if (!seq || !(end = memmem(seq, room < 90 ? room : 90, "Z\"", 2)))
		return false;
	room = (size_t)(end - seq);
	if (f->stamp[room] == '\0' && !memcmp(f->stamp, seq, room))
		return true;
	memcpy(f->stamp, seq, room);
	f->stamp[room] = '\0';
	return false;
}

static void take_line(struct finder *f, const char *line, size_t len)
{
	const struct record_value *seq;
	struct timespec time;
	struct error error;
	const char *type;

	if (is_like_last(f, line, len) || json_line_parse(&f->json, line, len, &error))
		return;
	type = json_line_text(&f->json, "type");
	seq = json_line_find(&f->json, "seq");
	if (!strcmp(type, "header") || !strcmp(type, "event") || !strcmp(type, "end") || !seq ||
	    seq->type != VALUE_COUNT || !record_parse_time(json_line_text(&f->json, "time"), &time))
		return;
	f->beyond = timespec_to_ns(&time) >= f->before_ns;
	if (!f->beyond)
		f->found_ns = timespec_to_ns(&time);
}

static void begin_reading(struct finder *f, struct segments *files)
{
	line_reader_start(&f->lines, files->segment[f->at].fd);
	f->stamp[0] = '\0';
	f->beyond = false;
}

/* Returns 0 if all that is needed was read, or -EAGAIN. */
static int read_lines(struct finder *f)
{
	const char *line;
	size_t len;
	int err;

	do {
		err = line_reader_next(&f->lines, &line, &len);
		if (err == 1)
			take_line(f, line, len);
	} while (!f->beyond && (err == 1 || err == -EMSGSIZE));
	return err == -EAGAIN ? err : 0;
}

int finder_search(struct finder *f, struct segments *files, int64_t before_ns, int64_t *found_ns)
{
	int err;

	if (!f->active || f->before_ns != before_ns) {
		f->active = true;
		f->before_ns = before_ns;
		f->found_ns = INT64_MIN;
		f->at = segments_find(files, before_ns - 1);
		begin_reading(f, files);
	}
	f->lines.end_ns = clock_ns() + SLICE_NS;
	while (!(err = read_lines(f)) && f->found_ns == INT64_MIN && f->at) {
		f->at--;
		begin_reading(f, files);
	}
	if (err)
		return err;
	f->active = false;
	*found_ns = f->found_ns;
	return f->found_ns == INT64_MIN ? -ENOENT : 0;
}

void finder_free(struct finder *f)
{
	line_reader_free(&f->lines);
	json_line_free(&f->json);
}

/* Whether a recorder still writes to the directory; a screen follows such a recorder. */
static bool is_written(const struct recording *r)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return r->files.directory && !r->batch && !r->span.range &&
	       llabs(timespec_to_ns(&now) - r->source.last_ns) < (int64_t)recording_late_ns(r);
}

/* Start reading at a segment, without anything that was read before. 0 or -ESPIPE. */
static int recording_jump(struct recording *r, size_t segment)
{
	if (!r->regular)
		return -ESPIPE;
	netns_names_forget(r->source.netns);
	recording_series_free(r->series);
	r->series = recording_series_new();
	recording_read_from(r, segment);
	r->rewound = true;
	memset(r->now.tp, 0, sizeof(r->now.tp));
	r->now.mono_ns = NSEC_PER_SEC;
	r->row_pending = false;
	r->ended = false;
	r->foreign = false;
	r->gap = false;
	r->last_wall_ns = 0;
	r->number = 0;
	r->bad_lines = 0;
	r->first = true;
	r->source.end_reason = NULL;
	r->source.number = 0;
	r->source.host.read_from = (struct timespec){ 0 };
	recording_begin_snapshot(r);
	return 0;
}

int recording_jump_to_wanted(struct recording *r)
{
	size_t segment;

	if (!r->regular)
		return r->wanted_ns <= r->given_wall_ns ? -ESPIPE : 0;
	/* with the snapshot before */
	segment =
		segments_find(&r->files, r->wanted_ns - 2 * seconds_to_ns(r->source.host.delay_s));
	return segment > r->segment || r->ended || r->wanted_ns <= r->given_wall_ns
		       ? recording_jump(r, segment)
		       : 0;
}

int recording_read_header(struct recording *r)
{
	int err;

	r->reader.lines.end_ns = clock_ns() + RECORDING_CALL_NS;
	err = record_reader_next(&r->reader);
	if (!err && r->reader.record.type == RECORD_HEADER &&
	    r->reader.record.schema == RECORD_SCHEMA) {
		recording_begin_run(r);
		r->rewound = false;
		return 0;
	}
	/* the header of the one file was read before */
	if (err == -EAGAIN && !r->files.directory)
		return err;
	if (r->segment + 1 < r->files.n) {
		recording_read_from(r, r->segment + 1);
		return -EAGAIN;
	}
	r->ended = r->was_damaged = true;
	return 1;
}

static int begin_directory(struct recording *r, struct error *error)
{
	int err = segments_sort(&r->files);

	if (err)
		return err;
	recording_jump(r, 0);
	while ((err = recording_read_header(r)) == -EAGAIN)
		if (event_loop_ends())
			return -ECANCELED;
	return err ? error_set(error, -EIO,
			       "%s: no segment has a whole snapshot; give a directory that xdptop "
			       "--record has written",
			       r->span.shown)
		   : 0;
}

/*
 * The time of the last snapshot. In a directory, the last one found within LAST_NS, because the
 * last segment takes longer only if it is hostile. 0, -ENOENT or another -errno.
 */
static int find_last(struct recording *r, int64_t *last_ns)
{
	uint64_t end_ns = clock_ns() + LAST_NS;
	int err;

	do {
		err = event_loop_ends() ? -ECANCELED
					: finder_search(&r->finder, &r->files, INT64_MAX, last_ns);
	} while (err == -EAGAIN && (!r->files.directory || clock_ns() < end_ns));
	if (err != -EAGAIN)
		return err;
	*last_ns = r->finder.found_ns != INT64_MIN ? r->finder.found_ns
						   : r->files.segment[r->files.n - 1].begin_ns;
	return 0;
}

static int refuse_span(struct recording *r, int64_t from_ns, struct error *error)
{
	const struct timespec first = ns_to_timespec(r->source.first_ns),
			      last = ns_to_timespec(r->source.last_ns),
			      from = ns_to_timespec(from_ns > 0 ? from_ns : 0);
	char asked[48], begin[24], end[24];

	format_date(asked, sizeof(asked), &from);
	format_date(begin, sizeof(begin), &first);
	format_date(end, sizeof(end), &last);
	return error_set(error, -ENOENT,
			 "%s: nothing was recorded %s %s; give a time from %s to %s", r->span.shown,
			 from_ns > r->source.last_ns ? "after" : "before",
			 from_ns > r->source.last_ns ? asked : begin, begin, end);
}

static void say_begin(const struct recording *r)
{
	const struct timespec first = ns_to_timespec(r->source.first_ns);
	char begin[24];

	format_date(begin, sizeof(begin), &first);
	message("%s: nothing was recorded at %s; the first snapshot is from %s", r->span.shown,
		r->span.from, begin);
}

/* Limits the requested times to the bounds of the recording. */
static int set_span(struct recording *r, struct error *error)
{
	struct source *s = &r->source;
	struct span_bounds bounds = { s->first_ns, s->last_ns, r->files.directory };
	int64_t from_ns;

	span_resolve(&r->span, &bounds, &from_ns, &r->to_ns);
	if (from_ns > r->to_ns) {
		error->exit_code = EXIT_USAGE;
		return error_set(error, -EINVAL, "%s is after %s; give the earlier time first",
				 r->span.from, r->span.to);
	}
	/* a screen shows the nearest snapshot, and says so */
	if ((s->last_ns && from_ns > s->last_ns && (r->batch || r->span.range)) ||
	    r->to_ns < s->first_ns)
		return refuse_span(r, from_ns, error);
	if (r->batch && !r->quiet && *r->span.from && from_ns < s->first_ns && !r->span.range)
		say_begin(r);
	if (from_ns == INT64_MIN)
		return 0;
	s->start_ns = from_ns < s->first_ns ? s->first_ns : from_ns;
	if (r->span.range) {
		s->first_ns = s->start_ns;
		if (!s->last_ns || r->to_ns < s->last_ns)
			s->last_ns = r->to_ns < INT64_MAX ? r->to_ns : 0;
	}
	return 0;
}

int recording_begin_span(struct recording *r, struct error *error)
{
	struct source *s = &r->source;
	struct timespec start;
	bool directory = r->files.directory;
	int err = directory ? begin_directory(r, error) : 0;

	r->to_ns = INT64_MAX;
	if (err || (!directory && !r->span.given))
		return err;
	s->first_ns = directory ? r->files.segment[0].begin_ns : timespec_to_ns(&s->host.start);
	/* the end of a file is read only if it is needed */
	if (directory || span_needs_end(&r->span))
		err = r->regular ? find_last(r, &s->last_ns) : -ESPIPE;
	if (err)
		return error_set(error, err, "%s: %s", r->span.shown,
				 err == -ESPIPE   ? "a pipe has no end yet to count from; give the "
						    "time of day, or + and a time from the start"
				 : err == -ENOENT ? "contains no complete snapshot"
						  : strerror(-err));
	s->grows = is_written(r);
	r->reader.lines.grows = s->grows && r->segment + 1 == r->files.n;
	if (r->span.given)
		err = set_span(r, error);
	else
		s->start_ns = r->batch ? 0 : s->last_ns;
	s->is_long = r->span.range ? s->last_ns - s->first_ns > HOUR_NS : !r->span.given;
	if (err || !s->start_ns || !r->batch)
		return err;
	start = ns_to_timespec(s->start_ns);
	return s->ops->seek(s, &start);
}
