// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/diff.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include "base/clock.h"
#include "base/exit_code.h"
#include "base/message.h"
#include "output/diff_changes.h"
#include "output/diff_rows.h"
#include "recording/recording.h"
#include "recording/span.h"

int diff_open(struct diff_side *d, const struct output_config *output, struct error *error)
{
	struct recording_config config = { .path = d->arg, .output = output->to, .batch = true };
	struct span span;
	int err = span_split(d->arg, &span, error);

	if (err)
		return err;
	memcpy(d->shown, span.shown, sizeof(d->shown));
	return recording_open(&d->source, &config, error);
}

void diff_close(struct diff_side *d)
{
	if (d->source)
		d->source->ops->close(d->source);
	snapshot_free(&d->first);
	snapshot_free(&d->last);
	rates_free(&d->rates);
	findings_free(&d->findings);
	event_log_free(&d->events);
}

/* The next snapshot, however long it takes. Returns what sample() returns. */
static int wait_sample(struct source *s, struct snapshot *to)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLIN };
	int err;

	while ((err = s->ops->sample(s, to)) == -EAGAIN) {
		fd.fd = s->fd;
		poll(&fd, 1, s->ops->due(s));
	}
	return err;
}

static void swap(struct snapshot *a, struct snapshot *b)
{
	struct snapshot other = *a;

	*a = *b;
	*b = other;
}

static int add_interval(struct diff_side *d, const struct snapshot *from, struct rates *rates,
			const struct snapshot *to)
{
	int err = rates_set(rates, from, to, NULL);

	d->intervals++;
	event_log_take(&d->events, to);
	for (size_t i = 0; i < to->n_event; i++)
		if (to->event[i].change)
			d->changes += 1 + to->event[i].left_out;
	return err ? err : findings_update(&d->findings, rates, d->source->netns);
}

/*
 * Reads from the last snapshot at or before FROM to the last at or before TO, where the source
 * ends, in the file's last run.
 */
static int read_span(struct diff_side *d)
{
	const int64_t from_ns = d->source->start_ns;
	struct snapshot now = { 0 };
	struct rates rates = { 0 };
	bool started = false;
	int err;

	while (!(err = wait_sample(d->source, &now))) {
		if (!started || now.gap || timespec_to_ns(&now.wall) <= from_ns) {
			swap(&d->first, &now);
			findings_free(&d->findings);
			event_log_clear(&d->events);
			d->intervals = d->changes = 0;
			started = true;
		} else {
			err = add_interval(d, d->intervals ? &d->last : &d->first, &rates, &now);
			swap(&d->last, &now);
		}
		if (err)
			break;
		snapshot_clear(&now);
	}
	if (err >= 0 && d->intervals)
		err = rates_set(&d->rates, &d->first, &d->last, NULL);
	rates_free(&rates);
	snapshot_free(&now);
	return err < 0 && err != -ENODATA ? err : 0;
}

/* Returns the exit code. */
static int read_side(struct diff_side *d)
{
	struct error error = { 0 };
	int err;

	if (recording_begin(d->source, &error))
		return error_print(&error);
	err = read_span(d);
	if (err) {
		message("%s: %s; the recording could not be read to its end", d->arg,
			strerror(-err));
		return EXIT_FILE;
	}
	if (d->intervals)
		return EXIT_DONE;
	message("%s: no interval between two snapshots; give another recording, or a longer span",
		d->arg);
	return EXIT_FILE;
}

int diff_run(struct diff_side sides[2], struct sink *sink, const struct output_config *output)
{
	struct diff_rows rows = { 0 };
	int code = EXIT_DONE, err;

	for (int i = 0; i < 2 && !code; i++)
		code = read_side(&sides[i]);
	if (code)
		return code;
	err = diff_rows_make(&rows, sides, output);
	if (err) {
		message("memory: not enough to compare the recordings");
		code = EXIT_FAILED;
	}
	if (!err)
		err = sink_begin(sink);
	if (!err)
		err = diff_rows_write(&rows, sides, output, sink->file);
	if (!err)
		err = diff_changes_write(sides, output, sink->file);
	if (!err)
		err = sink_end(sink);
	if (!err)
		err = sink_drain(sink);
	if (sink->err)
		err = sink->err;
	if (!code && err && err != -EPIPE) {
		message("%s: %s; the output is missing or incomplete", sink->name,
			sink_why(sink, err));
		code = EXIT_FILE;
	}
	if (!code && rows.n)
		code = EXIT_FINDINGS;
	diff_rows_free(&rows);
	return code;
}
