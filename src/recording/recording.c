// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/event_loop.h"
#include "model/netns_names.h"
#include "recording/recording_assemble.h"

#define INTERVAL_MAX 1e7 /* seconds; longer intervals are taken as damage */

/* The longest time in the interval that a tracepoint was attached, from the rows; 0 = unknown. */
static int64_t measured_ns(const struct recording *r)
{
	int64_t measured = 0;

	for (int i = 0; i < TP_COUNT; i++) {
		if (r->attached[i] > 0 && r->attached[i] < INTERVAL_MAX &&
		    seconds_to_ns(r->attached[i]) > measured)
			measured = seconds_to_ns(r->attached[i]);
	}
	return measured;
}

/* Prefer the interval measured in the rows, because somebody may have set CLOCK_REALTIME. */
static int64_t interval_ns(const struct recording *r, int64_t wall_ns)
{
	int64_t measured = measured_ns(r);

	/* unless it is much shorter than the wall time: no tracepoint was always attached */
	if (measured && (wall_ns <= 0 || measured + NSEC_PER_SEC / 20 > wall_ns))
		return measured;
	if (wall_ns > 0 && wall_ns < seconds_to_ns(INTERVAL_MAX))
		return wall_ns;
	return seconds_to_ns(r->source.host.delay_s);
}

/*
 * How long a replay waits for the snapshot. If only CLOCK_REALTIME exceeds the requested interval,
 * the clock was set or the program was stopped: do not wait for that.
 */
static int64_t pace_ns(const struct recording *r)
{
	int64_t longest = seconds_to_ns(r->source.host.delay_s), measured = measured_ns(r);

	if (measured > longest)
		longest = measured;
	return r->interval_ns < longest ? r->interval_ns : longest;
}

/* All rows were read: derive what they do not contain. */
static void complete_snapshot(struct recording *r)
{
	int64_t wall_ns = r->last_wall_ns ? timespec_to_ns(&r->now.wall) - r->last_wall_ns : 0;
	int i;

	r->interval_ns = interval_ns(r, r->first ? 0 : wall_ns);
	/* so that the spans of a graph begin at the same times wherever reading began */
	if (!r->last_wall_ns && timespec_to_ns(&r->now.wall) > r->interval_ns)
		r->now.mono_ns = (uint64_t)(timespec_to_ns(&r->now.wall) - r->interval_ns);
	r->last_wall_ns = timespec_to_ns(&r->now.wall);
	r->last_seq = r->now.seq;
	if (r->first && r->gap) /* time between two runs */
		r->now.mono_ns += wall_ns > r->interval_ns ? (uint64_t)(wall_ns - r->interval_ns)
							   : NSEC_PER_SEC;
	for (i = 0; i < TP_COUNT; i++) {
		struct tp_count *tp = &r->now.tp[i];
		double seconds = r->attached[i];

		r->before[i] = *tp;
		r->before[i].events -= r->delta[i] < tp->events ? r->delta[i] : tp->events;
		if (seconds >= INTERVAL_MAX)
			tp->on_ns += (uint64_t)r->interval_ns;
		else if (seconds > 0)
			tp->on_ns += (uint64_t)seconds_to_ns(seconds);
	}
	recording_sort_rows(r);
	/* the last snapshot of a run has every series, unless sampling failed */
	if (r->started && (r->renewed || (recording_has_end(r) &&
					  strcmp(r->reader.record.reason, "failed") != 0)))
		recording_series_keep_current(r->series);
	r->renewed = false;
	r->complete = true;
	r->number++;
}

/* There can be many namespaces, and nothing else needs them. */
static void move_rows(struct snapshot *to, struct snapshot *from, int source)
{
	struct snapshot_rows unused = to->rows[source];

	to->rows[source] = from->rows[source];
	from->rows[source] = unused;
	from->rows[source].n = 0;
}

static void copy_snapshot(struct recording *r, struct snapshot *to, bool before)
{
	int64_t wall_ns = timespec_to_ns(&r->now.wall) - r->interval_ns;

	to->seq = before ? 0 : r->now.seq;
	to->wall = r->now.wall;
	to->mono_ns = r->now.mono_ns;
	to->cpus_online = r->source.host.cpus_online;
	to->page_size = r->source.host.page_size;
	to->kernel = kernel_version(r->source.host.kernel);
	to->netns_unreadable = r->source.host.netns_unreadable;
	to->netdevs_left_out = r->source.host.netdevs_left_out;
	memcpy(to->tp, before ? r->before : r->now.tp, sizeof(to->tp));
	if (before) {
		to->gap = r->gap;
		to->wall = ns_to_timespec(wall_ns);
	}
	for (size_t i = 0; i < r->now.n_event && !before; i++)
		*snapshot_add_event(to) = r->now.event[i];
	for (size_t i = 0; i < r->now.n_followed && !before; i++)
		*snapshot_add_followed(to) = r->now.followed[i];
	for (int i = 0; i < DATA_SOURCE_COUNT; i++)
		if (before)
			move_rows(to, &r->was, i);
		else
			snapshot_copy_rows(to, &r->now, (enum data_source_id)i);
	recording_series_copy(r->series, to, before);
}

static struct recording *recording_of(struct source *s)
{
	return (struct recording *)s;
}

/* Time until the complete snapshot is due; 0 or less = now. */
static int64_t due_ns(const struct recording *r)
{
	if (r->first || !(r->source.speed > 0) || r->source.seeking)
		return 0;
	return (int64_t)((double)pace_ns(r) / r->source.speed) -
	       (int64_t)(clock_ns() - r->given_ns);
}

/* A complete snapshot waits for its time, not for input. */
static void set_fd(struct recording *r)
{
	r->source.fd = r->complete || r->ended || r->reader.lines.waits ? -1 : r->reader.lines.fd;
}

/* Whether the pending row belongs to a snapshot after the span. */
static bool is_beyond(const struct recording *r)
{
	const struct record *row = &r->reader.record;

	return r->row_pending && row->type != RECORD_HEADER && row->type != RECORD_END &&
	       timespec_to_ns(&row->time) > r->to_ns;
}

static int end_span(struct recording *r)
{
	r->complete = false;
	r->ended = true;
	r->source.end_reason = "count";
	return 1;
}

/* No snapshot is as late as the requested time. A screen gets the last one. */
static int end_search(struct recording *r)
{
	int err;

	if (r->batch)
		return -ENODATA;
	r->wanted_ns = r->last_wall_ns;
	err = recording_jump_to_wanted(r);
	return err ? err : -EAGAIN;
}

/* Read until a snapshot is complete. Skip snapshots before the target of seek(). */
static int read_wanted(struct recording *r)
{
	int err;

	r->reader.lines.end_ns = clock_ns() + RECORDING_CALL_NS;
	err = r->rewound ? recording_read_header(r) : 0;
	if (err)
		return err;
	for (;;) {
		err = r->complete ? 0 : recording_read_snapshot(r);
		if (!err && !r->complete)
			complete_snapshot(r);
		if (err == 1 && r->source.seeking && r->last_wall_ns)
			return end_search(r);
		if (err)
			return err;
		if (r->last_wall_ns > r->to_ns)
			return end_span(r);
		if (!r->source.seeking || r->last_wall_ns >= r->wanted_ns)
			return 0;
		r->now.mono_ns += (uint64_t)r->interval_ns;
		recording_begin_snapshot(r);
		recording_keep_rows(r);
	}
}

static int recording_sample(struct source *s, struct snapshot *to)
{
	struct recording *r = recording_of(s);
	int err = read_wanted(r);

	set_fd(r);
	s->at = recording_at(r);
	/* a script must learn that the output is incomplete; a screen continues */
	if (err == 1 && r->foreign && r->batch)
		return -EPROTONOSUPPORT;
	if (err == 1 && (r->reader.damaged || r->was_damaged) && r->batch)
		return -EIO;
	if (err)
		return err;
	if (r->first) {
		r->gap = r->gap || s->seeking;
		copy_snapshot(r, to, true);
		if (s->seeking)
			s->host.read_from = to->wall;
		r->first = false;
		r->gap = false;
		r->given_ns = clock_ns();
		return 0;
	}
	if (due_ns(r) > 0)
		return -EAGAIN;
	r->now.mono_ns += (uint64_t)r->interval_ns;
	copy_snapshot(r, to, false);
	r->given_ns = clock_ns();
	r->given_wall_ns = r->last_wall_ns;
	s->number = r->number;
	if (s->grows && r->last_wall_ns > s->last_ns)
		s->last_ns = r->last_wall_ns;
	s->seeking = false;
	s->last = r->ended || recording_has_end(r) || is_beyond(r);
	recording_begin_snapshot(r);
	set_fd(r);
	return err;
}

static int recording_due(struct source *s)
{
	const struct recording *r = recording_of(s);
	int64_t ns;

	if (r->complete)
		ns = due_ns(r);
	else if (r->reader.lines.waits)
		ns = r->started ? RECORDING_IDLE_FILE_NS : RECORDING_IDLE_NS / 2;
	else if (r->regular || r->ended)
		ns = 0;
	else if (r->started || r->has_previous_rows)
		ns = (int64_t)recording_idle_ns(r) - (int64_t)(clock_ns() - r->read_ns);
	else
		return -1;
	if (ns <= 0)
		return 0;
	/* round up, so that the timeout does not end early */
	return ns / NSEC_PER_MSEC > 3600000 ? 3600000 : (int)(ns / NSEC_PER_MSEC) + 1;
}

static int recording_seek(struct source *s, const struct timespec *to)
{
	struct recording *r = recording_of(s);
	int err;

	r->wanted_ns = timespec_to_ns(to);
	err = recording_jump_to_wanted(r);
	if (err)
		return err;
	recording_keep_rows(r);
	r->first = true;
	s->seeking = r->wanted_ns > 0;
	s->last = false;
	set_fd(r);
	return 0;
}

static int recording_find(struct source *s, int64_t before_ns, int64_t *found_ns)
{
	struct recording *r = recording_of(s);

	return r->regular ? finder_search(&r->finder, &r->files, before_ns, found_ns) : -ESPIPE;
}

static int recording_incidents(struct source *s, bool again, struct timeline **t)
{
	struct recording *r = recording_of(s);
	int64_t from_ns = r->span.range ? s->first_ns : INT64_MIN;

	*t = &r->timeline.timeline;
	r->timeline.timeline.pipe = !r->regular;
	if (!r->regular)
		return -ESPIPE;
	r->timeline.netns = s->netns;
	r->timeline.timeline.first_ns = s->first_ns;
	r->timeline.timeline.last_ns = s->last_ns;
	if (again && s->grows)
		segments_more(&r->files);
	return timeline_read(&r->timeline, &r->files, from_ns, r->to_ns, again && s->grows);
}

static int recording_toggle(struct source *s, unsigned int tracepoint, int on)
{
	return -EOPNOTSUPP;
}

static void recording_close(struct source *s)
{
	struct recording *r = recording_of(s);

	recording_report_bad_lines(r);
	for (int i = 0; i < DATA_SOURCE_COUNT; i++)
		hash_index_free(&r->rows[i].index);
	segments_free(&r->files);
	finder_free(&r->finder);
	timeline_reader_free(&r->timeline);
	record_reader_free(&r->reader);
	snapshot_free(&r->now);
	snapshot_free(&r->was);
	recording_series_free(r->series);
	netns_names_free(s->netns);
	free(r);
}

static const struct source_ops recording_ops = {
	.sample = recording_sample,
	.toggle = recording_toggle,
	.due = recording_due,
	.seek = recording_seek,
	.find = recording_find,
	.incidents = recording_incidents,
	.close = recording_close,
};

/* Command that decompresses the file, by its magic; NULL = not compressed, or a pipe. */
static const char *find_decompressor(const struct recording *r)
{
	static const struct {
		const char *begin, *command;
	} compressed[] = {
		{ "\x1f\x8b", "zcat" },
		{ "\xfd"
		  "7zXZ",
		  "xzcat" },
		{ "BZh", "bzcat" },
	};
	char begin[8] = "";

	if (pread(r->reader.lines.fd, begin, sizeof(begin), 0) < (ssize_t)sizeof(begin))
		return NULL;
	for (size_t i = 0; i < sizeof(compressed) / sizeof(compressed[0]); i++) {
		if (!memcmp(begin, compressed[i].begin, strlen(compressed[i].begin)))
			return compressed[i].command;
	}
	return NULL;
}

static int read_header(struct recording *r, struct error *error)
{
	struct pollfd fd = { .fd = r->reader.lines.fd, .events = POLLIN };
	int err;

	/* a pipe may have nothing for long, and a file gigabytes of blank lines */
	for (;;) {
		r->reader.lines.end_ns = clock_ns() + RECORDING_CALL_NS;
		err = record_reader_next(&r->reader);
		if (err != -EAGAIN)
			break;
		if (event_loop_ends())
			return -ECANCELED;
		poll(&fd, 1, RECORDING_IDLE_FILE_NS / NSEC_PER_MSEC);
	}
	if (err < 0 && err != -EBADMSG)
		return error_set(error, err, "%s: %s; give a file that xdptop -o json has written",
				 r->name, strerror(-err));
	if (err && r->reader.damaged)
		return error_set(error, -EINVAL, "%s: %s", r->name, r->reader.error.text);
	if (err && find_decompressor(r))
		return error_set(error, -EINVAL, "%s: it is compressed; use %s FILE | xdptop -r -",
				 r->name, find_decompressor(r));
	if (err || r->reader.record.type != RECORD_HEADER)
		return error_set(error, -EINVAL,
				 "%s: not an xdptop recording; make one with xdptop -o json",
				 r->name);
	if (r->reader.record.schema != RECORD_SCHEMA)
		return error_set(error, -EINVAL,
				 "%s: schema %" PRIu64
				 " of xdptop %s cannot be read, only schema %d; use that version",
				 r->name, r->reader.record.schema, r->reader.record.host.version,
				 RECORD_SCHEMA);
	recording_begin_run(r);
	return 0;
}

int recording_open(struct source **s, const struct recording_config *config, struct error *error)
{
	struct recording *r = memory_new(1, sizeof(*r));
	int err;

	error->exit_code = EXIT_FILE;
	r->source.ops = &recording_ops;
	r->source.netns = netns_names_new();
	r->series = recording_series_new();
	snapshot_init(&r->now);
	r->now.mono_ns = NSEC_PER_SEC;
	r->batch = config->batch;
	r->quiet = config->quiet;
	r->source.speed = config->step ? 0 : config->speed > 0 ? config->speed : r->batch ? 0 : 1;
	err = span_split(config->path, &r->span, error);
	if (!err)
		err = recording_open_files(r, config->output, error);
	/* the recording's namespaces are not this machine's */
	netns_names_set(r->source.netns, 0, NULL, 0);
	if (err) {
		recording_close(&r->source);
		return err;
	}
	*s = &r->source;
	return 0;
}

int recording_begin(struct source *s, struct error *error)
{
	struct recording *r = recording_of(s);
	int err = r->files.directory ? 0 : read_header(r, error);

	error->exit_code = EXIT_FILE;
	if (!err)
		err = recording_begin_span(r, error);
	if (err == -ECANCELED) {
		error->exit_code = EXIT_FAILED;
		error_set(error, err, "%s: a signal came before it was read", r->span.shown);
	}
	if (err)
		r->quiet = true; /* *error has the message */
	else
		set_fd(r);
	return err;
}
