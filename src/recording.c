// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "names.h"
#include "record_reader.h"
#include "replay_series.h"

#define NAMED_LINES  10          /* bad lines named one by one */
#define EVENTS_MAX   65536       /* of one snapshot */
#define DEVICES_MAX  4096        /* known at a time */
#define INTERVAL_MAX 1e7         /* seconds; longer ones are no measurement */
#define QUIET_NS     200000000LL /* a writer that paused so long has written all of a snapshot */
#define CALL_NS      500000000LL /* longest time in one call of sample() */
#define NS           1000000000LL

struct recording {
	struct source source; /* first: a source is what the callers hold */
	const char *name;
	bool own_fd;
	struct record_reader reader;
	bool have_row; /* its record is not taken yet: the snapshot before is given first */
	bool regular;  /* a file: never waits */
	bool ended;    /* no line is left */
	bool foreign;  /* a run in a schema that is not known ended it */

	/* the snapshot that rows are taken into */
	struct snapshot now; /* its series are in `series` */
	struct replay_series *series;
	uint64_t delta[TP_COUNT];         /* events of its interval */
	double attached[TP_COUNT];        /* seconds of it; < 0 = not said, INFINITY = all */
	struct tp_count before[TP_COUNT]; /* the state before it */
	int64_t interval_ns;
	int64_t last_wall_ns; /* when the snapshot before was taken, 0 = there is none */
	uint64_t last_seq;    /* of the snapshot before, 0 = there is none */
	uint32_t seen;        /* tracepoints whose row it has: bits 1 << id */
	bool started;         /* it has a row */
	bool complete;        /* it has all, and waits until it is due */
	bool first;      /* of a run: the state before its interval is given as a snapshot, too */
	bool gap;        /* a new run began in the middle of the file */
	int64_t read_ns; /* when something came last */

	double speed; /* 0 = no pace */
	int64_t given_ns;
	bool batch, quiet;
	unsigned int bad_lines;
	char first_bad[256];
	char end_reason[16];
};

static int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS + now.tv_nsec;
}

static int64_t timespec_ns(const struct timespec *t)
{
	return t->tv_sec * NS + t->tv_nsec;
}

/*
 * A line that cannot be used. Under a screen nothing may be printed: the first one is told when it
 * has gone.
 */
static void bad_line(struct recording *r, const char *cause)
{
	char text[256];

	snprintf(text, sizeof(text), "line %" PRIu64 ": %s; it is skipped", r->reader.lines.number,
		 cause);
	if (!r->bad_lines++)
		memcpy(r->first_bad, text, sizeof(text));
	if (r->batch && !r->quiet && r->bad_lines <= NAMED_LINES)
		fprintf(stderr, "xdptop: %s: %s\n", r->name, text);
}

static void tell_bad_lines(const struct recording *r)
{
	if (!r->bad_lines || r->quiet)
		return;
	if (!r->batch)
		fprintf(stderr, "xdptop: %s: %s\n", r->name, r->first_bad);
	if (r->bad_lines > (r->batch ? NAMED_LINES : 1))
		fprintf(stderr, "xdptop: %s: %u lines were skipped\n", r->name, r->bad_lines);
}

/* The next row into r->reader.record. 0 = done, 1 = there is none any more, -EAGAIN = not now. */
static int read_row(struct recording *r)
{
	int64_t end = monotonic_ns() + CALL_NS;
	uint64_t bytes = r->reader.lines.bytes;
	int err = -EBADMSG;

	while (err == -EBADMSG) {
		err = r->ended ? 1 : record_reader_next(&r->reader);
		if (err == -EBADMSG)
			bad_line(r, r->reader.why);
		if (err == -EBADMSG && monotonic_ns() > end)
			err = -EAGAIN;
	}
	r->ended = err == 1;
	r->have_row = !err;
	if (!err || r->reader.lines.bytes != bytes)
		r->read_ns = monotonic_ns();
	return err;
}

/* Rows come in one go: a pause behind a whole line is as good as the next snapshot's first row. */
static bool is_quiet(const struct recording *r)
{
	return !line_reader_inside(&r->reader.lines) && monotonic_ns() - r->read_ns > QUIET_NS;
}

static void begin_snapshot(struct recording *r)
{
	int i;

	r->started = false;
	r->complete = false;
	r->seen = 0;
	r->now.n_event = 0;
	replay_series_next(r->series);
	for (i = 0; i < TP_COUNT; i++) {
		r->delta[i] = 0;
		r->attached[i] = -1;
	}
}

/* A header: the counts begin anew. */
static void begin_run(struct recording *r)
{
	int i;

	r->source.host = r->reader.record.host;
	if (!(r->source.host.delay_s >= 0.1 && r->source.host.delay_s <= 3600))
		r->source.host.delay_s = 1;
	r->source.end_reason = NULL;
	for (i = 0; i < TP_COUNT; i++)
		r->now.tp[i].events = 0;
	r->now.n_device = 0;
	replay_series_clear(r->series);
	r->last_seq = 0;
	r->first = true;
	begin_snapshot(r);
}

static int take_tracepoint(struct recording *r)
{
	const struct record *row = &r->reader.record;
	struct tp_count *tp = &r->now.tp[row->tracepoint];
	uint64_t on_ns = tp->on_ns;

	if (r->seen & (1u << row->tracepoint))
		return -EEXIST;
	r->seen |= 1u << row->tracepoint;
	*tp = row->tp;
	tp->on_ns = on_ns;
	r->delta[row->tracepoint] = row->tp_events;
	r->attached[row->tracepoint] = row->seconds;
	return 0;
}

static int take_sample(struct recording *r)
{
	const struct record *row = &r->reader.record;
	struct tp_count *tp = &r->now.tp[row->tracepoint];
	int err = 0;

	if (!tp->name[0])
		snprintf(tp->name, sizeof(tp->name), "%s", row->tp.name);
	r->attached[row->tracepoint] = row->seconds;
	if (row->series.key.netns && row->netns_name[0])
		err = netns_names_set(r->source.netns, row->series.key.netns, row->netns_name);
	return err ? err : replay_series_take(r->series, row);
}

static int take_device(struct recording *r)
{
	const struct record *row = &r->reader.record;
	const struct device *known =
		snapshot_find_device(&r->now, row->device.netns, row->device.ifindex);
	struct device *d = known ? &r->now.device[known - r->now.device] : NULL;

	if (row->netns_name[0] &&
	    netns_names_set(r->source.netns, row->device.netns, row->netns_name))
		return -ENOMEM;
	if (!d && r->now.n_device == DEVICES_MAX)
		return -ENOSPC;
	if (!d)
		d = snapshot_add_device(&r->now);
	if (!d)
		return -ENOMEM;
	*d = row->device;
	if (!known)
		snapshot_sort_devices(&r->now);
	return 0;
}

static int take_event(struct recording *r)
{
	struct event *event;

	if (r->now.n_event == EVENTS_MAX)
		return -ENOSPC;
	event = snapshot_add_event(&r->now);
	if (!event)
		return -ENOMEM;
	*event = r->reader.record.event;
	event->tracepoint = r->reader.record.tracepoint;
	return 0;
}

/*
 * Whether the row in hand is of a snapshot before. A smaller seq alone does not say so: a seq that
 * was damaged must not make all that follows look old.
 */
static bool is_stale(const struct recording *r)
{
	const struct record *row = &r->reader.record;
	int64_t row_ns = timespec_ns(&row->time);

	if (r->started)
		return row->seq < r->now.seq && row_ns <= timespec_ns(&r->now.wall);
	return r->last_seq && row->seq <= r->last_seq && row_ns <= r->last_wall_ns;
}

/* A row of a snapshot: 0, -ESTALE, -EEXIST, -ENOSPC or -ENOMEM. */
static int take_snapshot_row(struct recording *r, enum record_type type)
{
	const struct record *row = &r->reader.record;

	if (is_stale(r))
		return -ESTALE;
	r->started = true;
	r->now.seq = row->seq;
	r->now.wall = row->time;
	if (type == RECORD_TRACEPOINT)
		return take_tracepoint(r);
	return type == RECORD_DEVICE ? take_device(r) : take_sample(r);
}

/* The row into the snapshot. 0 or -ENOMEM. */
static int take_row(struct recording *r)
{
	enum record_type type = record_reader_type(&r->reader);
	const struct record *row = &r->reader.record;
	int err = 0;

	r->have_row = false;
	if (type == RECORD_HEADER && row->schema != RECORD_SCHEMA) {
		bad_line(r, "its schema is not known, and so is what follows");
		r->ended = true;
		r->foreign = true;
	} else if (type == RECORD_HEADER) {
		r->gap = true;
		begin_run(r);
	} else if (type == RECORD_END) {
		memcpy(r->end_reason, r->reader.record.reason, sizeof(r->end_reason));
		r->source.end_reason = r->end_reason;
	} else if (type == RECORD_EVENT) {
		err = take_event(r);
	} else {
		err = take_snapshot_row(r, type);
	}
	if (err == -ENOSPC)
		bad_line(r, "more than can be kept");
	else if (err == -EEXIST)
		bad_line(r, "its snapshot has such a row already");
	else if (err == -ESTALE)
		bad_line(r, "it is out of order, behind a later snapshot");
	return err == -ENOMEM ? err : 0;
}

/* Whether the row in hand belongs behind the snapshot that is being filled. */
static bool is_behind(const struct recording *r)
{
	enum record_type type = record_reader_type(&r->reader);

	if (!r->started || type == RECORD_EVENT)
		return false;
	if (type == RECORD_HEADER || type == RECORD_END)
		return true;
	return r->reader.record.seq != r->now.seq && !is_stale(r);
}

/* Read until a snapshot has all its rows: 0; or as read_row(). */
static int read_snapshot(struct recording *r)
{
	for (;;) {
		int err = r->have_row ? 0 : read_row(r);

		if (err == 1)
			return r->started ? 0 : 1;
		if (err == -EAGAIN && r->started && is_quiet(r))
			return 0;
		if (err || is_behind(r))
			return err;
		err = take_row(r);
		if (err < 0)
			return err;
	}
}

/*
 * The interval as it was measured, when the rows say it; the clock of the day has only been read
 * beside it, and may have been set.
 */
static int64_t interval_ns(const struct recording *r, int64_t wall_ns)
{
	int64_t measured = 0;
	int i;

	for (i = 0; i < TP_COUNT; i++) {
		if (r->attached[i] > 0 && r->attached[i] < INTERVAL_MAX &&
		    llround(r->attached[i] * 1e9) > measured)
			measured = llround(r->attached[i] * 1e9);
	}
	/* much shorter than the time that passed: nothing was attached all the time */
	if (measured && (wall_ns <= 0 || measured + NS / 20 > wall_ns))
		return measured;
	if (wall_ns > 0 && wall_ns < (int64_t)(INTERVAL_MAX * 1e9))
		return wall_ns;
	return llround(r->source.host.delay_s * 1e9);
}

/* All rows are there: what they do not say themselves. */
static void complete_snapshot(struct recording *r)
{
	int64_t wall_ns = r->last_wall_ns ? timespec_ns(&r->now.wall) - r->last_wall_ns : 0;
	int i;

	r->interval_ns = interval_ns(r, r->first ? 0 : wall_ns);
	r->last_wall_ns = timespec_ns(&r->now.wall);
	r->last_seq = r->now.seq;
	if (r->first && r->gap) /* the time between two runs */
		r->now.mono_ns += wall_ns > 0 ? (uint64_t)wall_ns : NS;
	for (i = 0; i < TP_COUNT; i++) {
		struct tp_count *tp = &r->now.tp[i];
		double seconds = r->attached[i];

		r->before[i] = *tp;
		r->before[i].events -= r->delta[i] < tp->events ? r->delta[i] : tp->events;
		if (seconds >= INTERVAL_MAX)
			tp->on_ns += (uint64_t)r->interval_ns;
		else if (seconds > 0)
			tp->on_ns += (uint64_t)llround(seconds * 1e9);
	}
	r->complete = true;
}

static int give_snapshot(struct recording *r, struct snapshot *to, bool before)
{
	int64_t wall_ns = timespec_ns(&r->now.wall) - r->interval_ns;
	size_t i;

	to->seq = before ? 0 : r->now.seq;
	to->wall = r->now.wall;
	to->mono_ns = r->now.mono_ns;
	to->cpus_online = r->source.host.cpus_online;
	memcpy(to->tp, before ? r->before : r->now.tp, sizeof(to->tp));
	if (before) {
		to->gap = r->gap;
		to->wall.tv_sec = wall_ns / NS;
		to->wall.tv_nsec = wall_ns % NS;
	}
	for (i = 0; i < r->now.n_event && !before; i++) {
		struct event *event = snapshot_add_event(to);

		if (!event)
			return -ENOMEM;
		*event = r->now.event[i];
	}
	for (i = 0; i < r->now.n_device; i++) {
		struct device *device = snapshot_add_device(to);

		if (!device)
			return -ENOMEM;
		*device = r->now.device[i];
	}
	return replay_series_give(r->series, to, before);
}

static struct recording *of(struct source *s)
{
	return (struct recording *)s;
}

static bool is_due(const struct recording *r)
{
	return r->speed <= 0 ||
	       (double)(monotonic_ns() - r->given_ns) * r->speed >= (double)r->interval_ns;
}

/* What to wait for changes with what is there. */
static void set_fd(struct recording *r)
{
	r->source.fd = r->complete || r->ended ? -1 : r->reader.lines.fd;
}

static int recording_sample(struct source *s, struct snapshot *to)
{
	struct recording *r = of(s);
	int err = r->complete ? 0 : read_snapshot(r);

	if (!err && !r->complete)
		complete_snapshot(r);
	set_fd(r);
	/* a script must know that it has not got all; a screen goes on showing what there was */
	if (err == 1 && r->foreign && r->batch)
		return -EPROTONOSUPPORT;
	if (err)
		return err;
	if (r->first) {
		err = give_snapshot(r, to, true);
		r->first = false;
		r->gap = false;
		r->given_ns = monotonic_ns();
		return err;
	}
	if (!is_due(r))
		return -EAGAIN;
	r->now.mono_ns += (uint64_t)r->interval_ns;
	err = give_snapshot(r, to, false);
	r->given_ns = monotonic_ns();
	s->last =
		r->ended || (r->have_row && r->reader.record.object == &record_objects[RECORD_END]);
	begin_snapshot(r);
	set_fd(r);
	return err;
}

static int recording_due(struct source *s)
{
	const struct recording *r = of(s);
	int64_t ns;

	if (r->complete)
		ns = r->first || r->speed <= 0 ? 0
					       : (int64_t)((double)r->interval_ns / r->speed) -
							 (monotonic_ns() - r->given_ns);
	else if (r->regular || r->ended)
		ns = 0;
	else if (r->started)
		ns = QUIET_NS - (monotonic_ns() - r->read_ns);
	else
		return -1;
	if (ns <= 0)
		return 0;
	/* up, or it would be looked at just before */
	return ns / 1000000 > 3600000 ? 3600000 : (int)(ns / 1000000) + 1;
}

static int recording_toggle(struct source *s, unsigned int tracepoint, int on)
{
	return -EOPNOTSUPP;
}

static void recording_close(struct source *s)
{
	struct recording *r = of(s);

	tell_bad_lines(r);
	if (r->own_fd)
		close(r->reader.lines.fd);
	record_reader_free(&r->reader);
	snapshot_free(&r->now);
	replay_series_free(r->series);
	netns_names_free(s->netns);
	free(r);
}

static const struct source_ops recording_ops = {
	.sample = recording_sample,
	.toggle = recording_toggle,
	.due = recording_due,
	.close = recording_close,
};

/* Wait for the first line: it must be a header that this version knows. */
static int read_header(struct recording *r, char *why, size_t size)
{
	struct pollfd fd = { .fd = r->reader.lines.fd, .events = POLLIN };
	int err;

	do {
		err = record_reader_next(&r->reader);
	} while (err == -EAGAIN && (poll(&fd, 1, -1) >= 0 || errno == EINTR));
	if (err < 0 && err != -EBADMSG) {
		snprintf(why, size, "%s: %s; give a file that xdptop -o json has written", r->name,
			 strerror(-err));
		return err;
	}
	if (err || record_reader_type(&r->reader) != RECORD_HEADER) {
		snprintf(why, size,
			 "%s: it does not begin with a recording's header; make one with xdptop "
			 "-o json",
			 r->name);
		return -EINVAL;
	}
	if (r->reader.record.schema != RECORD_SCHEMA) {
		snprintf(why, size,
			 "%s: schema %" PRIu64 " of xdptop %s; this one reads schema %d: use that "
			 "version",
			 r->name, r->reader.record.schema, r->reader.record.host.version,
			 RECORD_SCHEMA);
		return -EINVAL;
	}
	begin_run(r);
	return 0;
}

static int open_file(struct recording *r, const char *path, char *why, size_t size)
{
	struct stat st;
	int fd = STDIN_FILENO;

	r->name = path;
	if (!strcmp(path, "-")) {
		r->name = "stdin";
	} else {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		r->own_fd = fd >= 0;
	}
	record_reader_init(&r->reader, fd);
	if (fd < 0 || fstat(fd, &st) < 0) {
		int err = -errno;

		snprintf(why, size, "%s: %s; give a file that xdptop -o json has written", r->name,
			 strerror(-err));
		return err;
	}
	r->regular = S_ISREG(st.st_mode);
	return 0;
}

int recording_open(struct source **s, const struct options *options, int *exit_code, char *why,
		   size_t why_size)
{
	struct recording *r = calloc(1, sizeof(*r));
	int err;

	*exit_code = EXIT_FILE;
	snprintf(why, why_size, "%s: %s; close other programs", options->read, strerror(ENOMEM));
	if (!r)
		return -ENOMEM;
	r->source.ops = &recording_ops;
	r->source.netns = netns_names_new();
	r->series = replay_series_new();
	snapshot_init(&r->now);
	r->now.mono_ns = NS;
	r->batch = options->batch || !isatty(STDOUT_FILENO);
	r->quiet = options->quiet;
	r->speed = options->step ? 0 : options->speed > 0 ? options->speed : r->batch ? 0 : 1;
	err = r->series && r->source.netns ? 0 : -ENOMEM;
	if (!err)
		err = open_file(r, options->read, why, why_size);
	/* no name of this machine's namespaces means anything here */
	if (!err)
		err = netns_names_set(r->source.netns, 0, NULL);
	if (!err)
		err = read_header(r, why, why_size);
	if (err) {
		r->quiet = true; /* why says it all */
		recording_close(&r->source);
		return err;
	}
	set_fd(r);
	*s = &r->source;
	return 0;
}
