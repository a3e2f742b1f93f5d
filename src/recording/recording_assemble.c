// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording_assemble.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "model/netns_names.h"

#define NAMED_LINES  10    /* bad lines named one by one */
#define EVENTS_MAX   65536 /* of one snapshot */
#define DEVICES_MAX  65536 /* known at a time: what a monitor's own table holds */
#define DEVICES_KEPT 4096  /* from here on those that are gone are forgotten */

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

void recording_tell_bad_lines(const struct recording *r)
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
	uint64_t end = clock_ns() + RECORDING_CALL_NS;
	uint64_t bytes = r->reader.lines.bytes;
	int err = -EBADMSG;

	while (err == -EBADMSG) {
		err = r->ended ? 1 : record_reader_next(&r->reader);
		if (err == -EBADMSG)
			bad_line(r, r->reader.why);
		if (err == -EBADMSG && clock_ns() > end)
			err = -EAGAIN;
	}
	r->ended = err == 1;
	r->have_row = !err;
	if (!err || r->reader.lines.bytes != bytes)
		r->read_ns = clock_ns();
	return err;
}

uint64_t recording_quiet_ns(const struct recording *r)
{
	return r->batch ? RECORDING_QUIET_BATCH_NS : RECORDING_QUIET_NS;
}

/*
 * Rows come in one go: a pause behind a whole line is nearly as good as the next snapshot's first
 * row. Nearly: a network can pause, too, see is_late().
 */
static bool is_quiet(const struct recording *r)
{
	return !line_reader_inside(&r->reader.lines) &&
	       clock_ns() - r->read_ns > recording_quiet_ns(r);
}

void recording_begin_snapshot(struct recording *r)
{
	int i;

	r->started = false;
	r->late = false;
	r->complete = false;
	r->seen = 0;
	r->now.n_event = 0;
	recording_series_next(r->series);
	netns_names_next(r->source.netns);
	for (i = 0; i < TP_COUNT; i++) {
		r->delta[i] = 0;
		r->attached[i] = -1;
	}
}

void recording_begin_run(struct recording *r)
{
	int i;

	r->source.host = r->reader.record.host;
	if (!(r->source.host.delay_s >= SOURCE_INTERVAL_MIN &&
	      r->source.host.delay_s <= SOURCE_INTERVAL_MAX))
		r->source.host.delay_s = 1;
	r->source.end_reason = NULL;
	for (i = 0; i < TP_COUNT; i++)
		r->now.tp[i].events = 0;
	r->now.rows[DATA_SOURCE_NETDEVS].n = 0;
	r->netdev_cap = DEVICES_KEPT;
	recording_series_clear(r->series);
	r->last_seq = 0;
	r->split = false;
	r->first = true;
	recording_begin_snapshot(r);
}

static int take_tracepoint(struct recording *r, bool late)
{
	const struct record *row = &r->reader.record;
	struct tp_count *tp = &r->now.tp[row->tracepoint];
	uint64_t on_ns = tp->on_ns;

	if (r->seen & (1u << row->tracepoint))
		return -EEXIST;
	if (!late)
		r->seen |= 1u << row->tracepoint;
	*tp = row->tp;
	tp->on_ns = on_ns;
	r->delta[row->tracepoint] = row->tp_events;
	r->attached[row->tracepoint] = row->seconds;
	return 0;
}

/* None is news, too: the inode may have become another namespace's. */
static int take_netns_name(struct recording *r, uint32_t inode)
{
	const char *name = r->reader.record.netns_name;

	return netns_names_set(r->source.netns, inode, name[0] ? name : NULL);
}

static int take_sample(struct recording *r, bool late)
{
	const struct record *row = &r->reader.record;
	struct tp_count *tp = &r->now.tp[row->tracepoint];
	int err = 0;

	if (!tp->name[0])
		snprintf(tp->name, sizeof(tp->name), "%s", row->tp.name);
	r->attached[row->tracepoint] = row->seconds;
	if (row->series.key.netns)
		err = take_netns_name(r, row->series.key.netns);
	return err ? err : recording_series_take(r->series, row, late);
}

/*
 * Those that are gone make room: no row says when the monitor forgot them. When that is not much,
 * more are kept before it is done again. False = there is no room.
 */
static bool make_device_room(struct recording *r)
{
	struct snapshot *s = &r->now;
	size_t kept = 0;

	if (snapshot_n_netdevs(s) < r->netdev_cap)
		return true;
	for (size_t i = 0; i < snapshot_n_netdevs(s); i++)
		if (!snapshot_netdevs(s)[i].gone)
			snapshot_netdevs(s)[kept++] = snapshot_netdevs(s)[i];
	s->rows[DATA_SOURCE_NETDEVS].n = kept;
	while (kept > r->netdev_cap / 2 && r->netdev_cap < DEVICES_MAX)
		r->netdev_cap *= 2;
	return kept < DEVICES_MAX;
}

static bool is_before(const struct netdev *a, const struct netdev *b)
{
	return a->netns < b->netns || (a->netns == b->netns && a->ifindex < b->ifindex);
}

static int add_device(struct snapshot *s, const struct netdev *new)
{
	struct netdev *d = snapshot_add_netdev(s);

	if (!d)
		return -ENOMEM;
	*d = *new;
	/* most come in order */
	if (snapshot_n_netdevs(s) > 1 && is_before(d, d - 1))
		snapshot_sort_netdevs(s);
	return 0;
}

static int take_device(struct recording *r)
{
	const struct record *row = &r->reader.record;
	const struct netdev *known;

	if (take_netns_name(r, row->device.netns))
		return -ENOMEM;
	known = snapshot_find_netdev(&r->now, row->device.netns, row->device.ifindex);
	if (!known)
		return make_device_room(r) ? add_device(&r->now, &row->device) : -ENOSPC;
	snapshot_netdevs(&r->now)[known - snapshot_netdevs(&r->now)] = row->device;
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
	event->key = r->reader.record.series.key;
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
	int64_t row_ns = timespec_to_ns(&row->time);

	if (r->started)
		return row->seq < r->now.seq && row_ns <= timespec_to_ns(&r->now.wall);
	return r->last_seq && row->seq <= r->last_seq && row_ns <= r->last_wall_ns;
}

/*
 * Whether the row in hand is the rest of the snapshot before, which was given too early. It counts
 * in the next one, whose interval is that much longer for it; a row of its own would be told twice.
 */
static bool is_late(const struct recording *r)
{
	const struct record *row = &r->reader.record;

	return r->split && !r->started && row->seq == r->last_seq &&
	       timespec_to_ns(&row->time) == r->last_wall_ns;
}

/* A row of a snapshot: 0, -ESTALE, -EEXIST, -ENOSPC or -ENOMEM. */
static int take_snapshot_row(struct recording *r, enum record_type type)
{
	const struct record *row = &r->reader.record;
	bool late = is_late(r);

	if (!late && is_stale(r))
		return -ESTALE;
	r->late |= late;
	if (!late) {
		r->started = true;
		r->split = false;
		r->now.seq = row->seq;
		r->now.wall = row->time;
	}
	if (type == RECORD_TRACEPOINT)
		return take_tracepoint(r, late);
	return type == RECORD_DEVICE ? take_device(r) : take_sample(r, late);
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
		recording_begin_run(r);
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

	if (type == RECORD_EVENT)
		return false;
	if (type == RECORD_HEADER || type == RECORD_END)
		return r->started || r->late;
	return r->started && r->reader.record.seq != r->now.seq && !is_stale(r);
}

int recording_read_snapshot(struct recording *r)
{
	for (;;) {
		int err = r->have_row ? 0 : read_row(r);

		if (err == 1)
			return r->started || r->late ? 0 : 1;
		if (err == -EAGAIN && (r->started || r->late) && is_quiet(r)) {
			r->split = true;
			return 0;
		}
		if (err || is_behind(r))
			return err;
		err = take_row(r);
		if (err < 0)
			return err;
	}
}

bool recording_has_end(const struct recording *r)
{
	return r->have_row && r->reader.record.object == &record_objects[RECORD_END];
}
