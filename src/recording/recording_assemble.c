// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording_assemble.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/followed.h"
#include "model/netns_names.h"

#define NAMED_LINES 10    /* bad lines reported one by one */
#define EVENTS_MAX  49152 /* per snapshot */
#define ROWS_KEPT   4096  /* with more rows, forget gone ones */

/* Reports an unusable line; if a screen is shown, only after the screen has ended. */
static void bad_line(struct recording *r, const char *cause)
{
	char text[256];

	snprintf(text, sizeof(text), "line %" PRIu64 ": %s; it is skipped", r->reader.lines.number,
		 cause);
	if (!r->bad_lines++)
		memcpy(r->first_bad, text, sizeof(text));
	if (r->batch && !r->quiet && r->bad_lines <= NAMED_LINES)
		message("%s: %s", r->name, text);
}

void recording_report_bad_lines(const struct recording *r)
{
	if (!r->bad_lines || r->quiet)
		return;
	if (!r->batch)
		message("%s: %s", r->name, r->first_bad);
	if (r->bad_lines > (r->batch ? NAMED_LINES : 1))
		message("%s: %u lines were skipped", r->name, r->bad_lines);
}

/* Read the next row into r->reader.record. 0; 1 = no more, -EAGAIN = no input now. */
static int read_row(struct recording *r)
{
	uint64_t bytes = r->reader.lines.bytes;
	int err = -EBADMSG;

	while (err == -EBADMSG) {
		err = r->ended ? 1 : record_reader_next(&r->reader);
		if (err == -EBADMSG)
			bad_line(r, r->reader.error.text);
		if (err == -EAGAIN && r->reader.lines.waits)
			recording_await(r);
		if (err == 1 && !r->ended && recording_go_on(r))
			err = -EBADMSG;
	}
	r->ended = err == 1;
	r->source.grows &= !r->ended;
	r->row_pending = !err;
	if (!err || r->reader.lines.bytes != bytes)
		r->read_ns = clock_ns();
	return err;
}

uint64_t recording_idle_ns(const struct recording *r)
{
	return r->reader.lines.waits ? RECORDING_IDLE_FILE_NS
	       : r->batch            ? RECORDING_IDLE_BATCH_NS
				     : RECORDING_IDLE_NS;
}

/*
 * A writer writes a snapshot in one go, so if it idles at the end of a line, the snapshot is
 * probably complete. A network may stall as well: see belongs_to_previous().
 */
static bool writer_idle(const struct recording *r)
{
	return !line_reader_inside(&r->reader.lines) &&
	       clock_ns() - r->read_ns > recording_idle_ns(r);
}

void recording_begin_snapshot(struct recording *r)
{
	int i;

	r->started = false;
	r->has_previous_rows = false;
	r->complete = false;
	r->seen = 0;
	r->now.n_event = 0;
	r->now.n_followed = 0;
	snapshot_clear(&r->was);
	r->restored = false;
	recording_series_next(r->series);
	netns_names_next(r->source.netns);
	for (i = 0; i < TP_COUNT; i++) {
		r->delta[i] = 0;
		r->attached[i] = -1;
	}
}

static void set_host(struct recording *r)
{
	const struct timespec read_from = r->source.host.read_from;

	r->source.host = r->reader.record.host;
	r->source.host.read_from = read_from;
	if (!(r->source.host.delay_s >= SOURCE_INTERVAL_MIN &&
	      r->source.host.delay_s <= SOURCE_INTERVAL_MAX))
		r->source.host.delay_s = 1;
}

static void forget_rows(struct recording *r)
{
	for (int i = 0; i < DATA_SOURCE_COUNT; i++) {
		r->now.rows[i].n = 0;
		r->rows[i].n_gone = 0;
		hash_index_clear(&r->rows[i].index);
	}
}

/* The run of the last header continues: the first snapshot after this one has all rows. */
static void renew_run(struct recording *r)
{
	uint64_t left_out = r->source.host.snapshots_left_out;

	set_host(r);
	left_out = r->source.host.snapshots_left_out - left_out;
	r->next_seq = r->last_seq + 1 + left_out;
	r->renewed = true;
	forget_rows(r);
}

void recording_begin_run(struct recording *r)
{
	int i;

	set_host(r);
	r->source.end_reason = NULL;
	r->renewed = false;
	for (i = 0; i < TP_COUNT; i++)
		r->now.tp[i].events = 0;
	/* the recording's xdptop may not know it */
	for (i = 0; i < TP_OTHER; i++) {
		r->now.tp[i].state = TP_MISSING;
		r->now.tp[i].ns_per_event = r->now.tp[i].cpu_percent = -1;
		snprintf(r->now.tp[i].reason, sizeof(r->now.tp[i].reason), "not in this recording");
	}
	forget_rows(r);
	recording_series_clear(r->series);
	r->last_seq = 0;
	r->given_early = false;
	r->first = true;
	recording_begin_snapshot(r);
	r->restored = true;
}

static int add_tracepoint(struct recording *r, bool previous)
{
	const struct record *row = &r->reader.record;
	struct tp_count *tp = &r->now.tp[row->tracepoint];
	uint64_t on_ns = tp->on_ns;

	if (r->seen & BIT(row->tracepoint))
		return -EEXIST;
	if (!previous)
		r->seen |= BIT(row->tracepoint);
	*tp = row->tp;
	tp->on_ns = on_ns;
	r->delta[row->tracepoint] = row->tp_events;
	r->attached[row->tracepoint] = row->seconds;
	return 0;
}

/*
 * The pid in a name "COMM/PID" or "COMM/PID@CONTAINER"; 0 = none. Recordings have it nowhere else.
 */
static int netns_name_pid(const char *name)
{
	const char *slash = strrchr(name, '/');
	char *end;
	long pid = slash ? strtol(slash + 1, &end, 10) : 0;

	return pid > 0 && pid <= INT_MAX && (!*end || *end == '@') ? (int)pid : 0;
}

/* Sets even an empty name, because the kernel reuses the inodes of namespaces. */
static void set_netns_name(struct recording *r, uint32_t inode)
{
	const char *name = r->reader.record.netns_name;

	netns_names_set(r->source.netns, inode, name[0] ? name : NULL, netns_name_pid(name));
}

static int add_sample(struct recording *r, bool previous)
{
	const struct record *row = &r->reader.record;
	struct tp_count *tp = &r->now.tp[row->tracepoint];
	int err = recording_series_add(r->series, row, previous);

	if (err)
		return err;
	if (!tp->name[0])
		snprintf(tp->name, sizeof(tp->name), "%s", row->tp.name);
	r->attached[row->tracepoint] = row->seconds;
	if (row->series.key.netns)
		set_netns_name(r, row->series.key.netns);
	return 0;
}

static uint32_t hash_row(const struct data_source *source, const void *row)
{
	return (uint32_t)hash_add_words(hash_seed(), row, source->key_size);
}

/* After rows have moved. */
static void index_again(struct recording *r, enum data_source_id id)
{
	struct hash_index *index = &r->rows[id].index;

	hash_index_clear(index);
	for (size_t i = 0; i < r->now.rows[id].n; i++)
		hash_index_add(index,
			       hash_row(data_sources[id], data_source_row_at(&r->now, id, i)), i);
}

static void drop_gone(struct recording *r, enum data_source_id id)
{
	const struct data_source *source = data_sources[id];
	size_t n = r->now.rows[id].n, kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!data_source_is_gone(source, data_source_row_at(&r->now, id, i)))
			memmove(data_source_row_at(&r->now, id, kept++),
				data_source_row_at(&r->now, id, i), source->row_size);
	r->now.rows[id].n = kept;
	r->rows[id].n_gone = 0;
	index_again(r, id);
}

/*
 * If there are many rows, remove gone ones, because no line says when the monitor forgot a device.
 * That checks all rows, so do it only if a quarter is gone. 0 or -ENOSPC.
 */
static int make_room(struct recording *r, enum data_source_id id)
{
	size_t n = r->now.rows[id].n;

	if (n < ROWS_KEPT || r->rows[id].n_gone < n / 4)
		return n < data_sources[id]->max_rows ? 0 : -ENOSPC;
	drop_gone(r, id);
	return 0;
}

/* Restore the row before the interval, unless it appeared or is gone since. */
static void add_row_before(struct recording *r, enum data_source_id id)
{
	const struct data_source *source = data_sources[id];
	const struct record *record = &r->reader.record;
	char *row;

	/* gone rows make room, also for themselves */
	if (r->was.rows[id].n == source->max_rows ||
	    (source->n_counters && !record->has_interval) ||
	    (source->says_gone && data_source_is_gone(source, record->row)))
		return;
	row = snapshot_add_row(&r->was, id, source->row_size);
	memcpy(row, record->row, source->row_size);
	if (source->forget)
		source->forget(row);
	for (size_t i = 0; i < source->n_counters; i++) {
		size_t at = source->counters + i * sizeof(uint64_t);
		const uint64_t *grown = (const uint64_t *)((const char *)record->row_before + at);
		uint64_t *total = (uint64_t *)(row + at);

		*total -= *grown < *total ? *grown : *total;
	}
}

static int add_source_row(struct recording *r)
{
	enum data_source_id id = (enum data_source_id)r->reader.source;
	const struct data_source *source = data_sources[id];
	const void *row = r->reader.record.row;
	uint32_t hash = hash_row(source, row);
	size_t at = hash_index_find(&r->rows[id].index, hash, i,
				    !data_source_compare(source, data_source_row_at(&r->now, id, i),
							 row));

	if (at == HASH_INDEX_NONE) {
		int err = make_room(r, id);

		if (err)
			return err;
		at = r->now.rows[id].n;
		hash_index_add(&r->rows[id].index, hash, at);
		snapshot_add_row(&r->now, id, source->row_size);
		if (r->restored)
			add_row_before(r, id);
	}
	r->rows[id].n_gone += data_source_is_gone(source, row) -
			      data_source_is_gone(source, data_source_row_at(&r->now, id, at));
	memcpy(data_source_row_at(&r->now, id, at), row, source->row_size);
	if (source->has_netns)
		set_netns_name(r, data_source_netns(source, row));
	return 0;
}

void recording_sort_rows(struct recording *r)
{
	for (int i = 0; i < DATA_SOURCE_COUNT; i++) {
		if (data_sources[i]->says_gone && r->rows[i].n_gone)
			drop_gone(r, (enum data_source_id)i);
		if (data_source_sort(&r->now, (enum data_source_id)i))
			index_again(r, (enum data_source_id)i);
		data_source_sort(&r->was, (enum data_source_id)i);
	}
}

void recording_keep_rows(struct recording *r)
{
	for (int i = 0; i < DATA_SOURCE_COUNT; i++)
		snapshot_copy_rows(&r->was, &r->now, (enum data_source_id)i);
}

static int add_event(struct recording *r)
{
	const struct record *row = &r->reader.record;

	if (row->is_followed ? r->now.n_followed == FOLLOWED_MAX : r->now.n_event == EVENTS_MAX)
		return -ENOSPC;
	if (row->is_followed)
		*snapshot_add_followed(&r->now) = row->followed;
	else
		*snapshot_add_event(&r->now) = row->followed.event;
	if (row->netns_name[0])
		set_netns_name(r, row->series.key.netns);
	return 0;
}

/*
 * Whether the row is older than the snapshot, by both seq and time, because a single damaged seq
 * must not make all later rows look old.
 */
static bool is_out_of_order(const struct recording *r)
{
	const struct record *row = &r->reader.record;
	int64_t row_ns = timespec_to_ns(&row->time);

	if (r->started)
		return row->seq < r->now.seq && row_ns <= timespec_to_ns(&r->now.wall);
	return r->last_seq && row->seq <= r->last_seq && row_ns <= r->last_wall_ns;
}

/*
 * Whether the row came late, after the previous snapshot was copied. Its counts go into the next
 * snapshot, whose interval covers them.
 */
static bool belongs_to_previous(const struct recording *r)
{
	const struct record *row = &r->reader.record;

	return r->given_early && !r->started && row->seq == r->last_seq &&
	       timespec_to_ns(&row->time) == r->last_wall_ns;
}

static int add_snapshot_row(struct recording *r, enum record_type type)
{
	const struct record *row = &r->reader.record;
	bool previous = belongs_to_previous(r);

	if (!previous && is_out_of_order(r))
		return -ESTALE;
	r->has_previous_rows |= previous;
	/* snapshots are missing: the interval of this one begins later than the last one ended */
	if (!previous && !r->started && r->renewed && row->seq != r->next_seq) {
		r->first = true;
		r->gap = true;
		r->restored = true;
		snapshot_clear(&r->was);
	}
	if (!previous) {
		r->started = true;
		r->given_early = false;
		r->now.seq = row->seq;
		r->now.wall = row->time;
	}
	if (type == RECORD_TRACEPOINT)
		return add_tracepoint(r, previous);
	return type == RECORD_ROW ? add_source_row(r) : add_sample(r, previous);
}

static bool is_same_run(const struct snapshot_host *a, const struct snapshot_host *b)
{
	return a->boot_id[0] && !strcmp(a->boot_id, b->boot_id) && a->started_ns == b->started_ns;
}

static void add_row(struct recording *r)
{
	enum record_type type = r->reader.record.type;
	const struct record *row = &r->reader.record;
	int err = 0;

	r->row_pending = false;
	if (type == RECORD_HEADER && row->schema != RECORD_SCHEMA) {
		bad_line(r, "its schema is unknown, so the rest cannot be read");
		r->ended = true;
		r->foreign = true;
	} else if (type == RECORD_HEADER && r->last_seq &&
		   is_same_run(&row->host, &r->source.host)) {
		renew_run(r);
	} else if (type == RECORD_HEADER) {
		r->gap = true;
		recording_begin_run(r);
	} else if (type == RECORD_END) {
		memcpy(r->end_reason, r->reader.record.reason, sizeof(r->end_reason));
		r->reader.lines.grows = false;
		r->source.end_reason = r->end_reason;
	} else if (type == RECORD_EVENT) {
		err = add_event(r);
	} else {
		err = add_snapshot_row(r, type);
	}
	if (err == -ENOSPC)
		bad_line(r, "more than can be kept");
	else if (err == -EEXIST)
		bad_line(r, "its snapshot already has this row");
	else if (err == -ESTALE)
		bad_line(r, "it is out of order: a later snapshot came before it");
}

static bool is_of_next(const struct recording *r)
{
	enum record_type type = r->reader.record.type;

	if (type == RECORD_EVENT)
		return false;
	if (type == RECORD_HEADER || type == RECORD_END)
		return r->started || r->has_previous_rows;
	return r->started && r->reader.record.seq != r->now.seq && !is_out_of_order(r);
}

int recording_read_snapshot(struct recording *r)
{
	for (;;) {
		int err = r->row_pending ? 0 : read_row(r);

		if (err == 1)
			return r->started || r->has_previous_rows ? 0 : 1;
		if (err == -EAGAIN && (r->started || r->has_previous_rows) && writer_idle(r)) {
			r->given_early = true;
			return 0;
		}
		if (err || is_of_next(r))
			return err;
		add_row(r);
	}
}

bool recording_has_end(const struct recording *r)
{
	return r->row_pending && r->reader.record.type == RECORD_END;
}
