// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/batch.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>
#include "base/event_loop.h"
#include "model/timeline.h"
#include "output/out_follow.h"

#define GRACE_MS 2000 /* for a slow reader after a signal */

struct batch {
	struct source *source;
	const struct batch_config *config;
	const struct output_format *format;
	struct output out;
	struct sink *sink;
	struct http_server *server; /* NULL = none */
	struct recorder *recorder;  /* NULL = none */
	struct event_loop loop;
	struct netns_names *netns; /* of this machine */
	struct snapshot snapshots[2];
	struct snapshot *from, *to; /* from: the one written last */
	struct rates rates;
	struct findings findings;
	struct event_log events;
	struct follow_run follow;
	uint64_t begun_ns;   /* CLOCK_MONOTONIC of the first snapshot */
	uint64_t sampled;    /* snapshots, except the base */
	uint64_t skipped;    /* snapshots since the last one written */
	uint64_t unwritten;  /* snapshots since the file was last replaced */
	bool gap;            /* stopped (^Z, SIGSTOP) since the last one written */
	bool last;           /* the last snapshot is written */
	bool sampling_broke; /* sampling failed after the first snapshot */
	bool closed;         /* the output has no reader */
	bool signalled;      /* wait GRACE_MS at most for a slow reader */
	const char *reason;  /* why the run ends */
	/* pids for source_process_ended() */
	uint32_t process[PROCESSES];
};

/* A write failed. Prints no message if the reader is gone. Returns the exit code. */
static int output_failed(struct batch *b, int err)
{
	/* stdio only reports that it failed; the sink has the cause */
	if (b->sink->err)
		err = b->sink->err;
	if (err == -EPIPE) {
		b->closed = true;
		return EXIT_DONE;
	}
	if (err == -EINTR)
		message("%s: the reader stopped reading; the output ends within a snapshot",
			b->sink->name);
	else
		message("%s: %s; no more can be written to it", b->sink->name,
			sink_why(b->sink, err));
	return EXIT_FILE;
}

static int sampling_failed(struct batch *b, int err)
{
	/* earlier snapshots are complete, so they still get their end */
	b->sampling_broke = b->sampled > 0;
	if (b->sampling_broke)
		b->reason = "failed";
	if (!b->source->live) {
		message("%s: %s; the replay ends here", b->config->recording,
			err == -ENODATA ? "nothing was recorded from that time on"
					: strerror(-err));
		return EXIT_FILE;
	}
	message("sampling: %s; start xdptop again, with --verbose to see more", strerror(-err));
	return EXIT_FAILED;
}

/* Whether the requested number of snapshots or seconds is reached. */
static bool is_over(const struct batch *b)
{
	const struct batch_config *config = b->config;
	double seconds = ns_to_seconds(b->to->mono_ns - b->begun_ns);

	return (config->seconds > 0 && seconds >= config->seconds) ||
	       (!b->out.config->follows && b->sampled == config->iterations);
}

/* With --follow: keeps the requested events; *last = it has the last of them. */
static void choose_followed(struct batch *b, bool *last)
{
	if (!b->out.config->follows)
		return;
	follow_run_choose(&b->follow, b->to);
	*last |= follow_run_cut(&b->follow, b->to, b->config->iterations);
}

/*
 * A full disk does not end a run that replaces its file: counters are totals, so the next file has
 * everything. The old file's age shows it (node_exporter: node_textfile_mtime_seconds).
 */
static int commit_snapshot(struct batch *b)
{
	int err = b->recorder ? recorder_commit(b->recorder, false) : sink_commit(b->sink);

	if (err && (!b->sink->replace || b->sink->err))
		return err;
	if (err && !b->unwritten++)
		message("%s: %s; snapshots are skipped until it can be written", b->sink->name,
			sink_why(b->sink, err));
	if (err || !b->unwritten)
		return 0;
	if (!b->config->quiet)
		message("%s: writing resumed; %" PRIu64 " snapshots were skipped", b->sink->name,
			b->unwritten);
	b->unwritten = 0;
	return 0;
}

/* Writes the header, with a recorder at the start of each frame. */
static int print_header(struct batch *b, const struct snapshot *s)
{
	int due = b->recorder ? recorder_begin(b->recorder, &b->source->host, s) : b->out.first;

	b->out.first |= due > 0;
	return due > 0 && b->format->begin ? b->format->begin(&b->out) : due < 0 ? due : 0;
}

/* With a server, the format is printed only on request. */
static int print_snapshot(struct batch *b, bool last)
{
	int err = b->recorder ? print_header(b, b->to) : 0;

	if (!err)
		err = b->format->snapshot(&b->out, &b->rates, last);
	b->out.first = false;
	if (b->server) {
		http_server_renew(b->server);
		return err;
	}
	if (!err && b->format->print)
		err = b->format->print(&b->out, b->to);
	return err ? err : commit_snapshot(b);
}

/* Answers a request with the last snapshot. */
static int print_answer(void *ctx, FILE *to, bool open_metrics)
{
	struct batch *b = ctx;

	if (b->out.first)
		return -EAGAIN;
	b->out.file = to;
	b->out.open_metrics = open_metrics;
	return b->format->print(&b->out, b->from);
}

static int write_snapshot(struct batch *b, bool last)
{
	struct snapshot *written = b->to;
	int err;

	if (b->skipped && !b->config->quiet)
		message("%s: %" PRIu64 " snapshots were skipped", b->sink->name, b->skipped);
	if (b->recorder)
		recorder_leave_out(b->recorder, b->skipped);
	b->skipped = 0;
	/* totals include what fired since attaching */
	if (b->source->live && b->out.first)
		array_replace(b->to->event, b->to->n_event, b->to->cap_event, 0, 0, b->from->event,
			      b->from->n_event);
	rates_set(&b->rates, b->from, b->to, NULL);
	err = findings_update(&b->findings, &b->rates, b->out.netns);
	event_log_clear(&b->events);
	event_log_take(&b->events, b->to);
	b->to->gap = b->to->gap || b->gap;
	b->gap = false;
	if (!err)
		err = print_snapshot(b, last);
	/* the pending signal ends the run */
	if (err == -ECANCELED)
		return EXIT_DONE;
	if (err)
		return output_failed(b, err);
	b->to = b->from;
	b->from = written;
	b->last = last;
	return EXIT_DONE;
}

/* Ends the run if no more events can come. Returns the exit code. */
static int follow_ended(struct batch *b)
{
	const struct tp_count *tp = &b->from->tp[TP_FOLLOW];

	if (!b->out.config->follows || !tp->name[0] || tp->state == TP_ON || tp->pending)
		return EXIT_DONE;
	message("--follow: %s: %s%s", tp_state_name(tp->state), tp->reason,
		tp->state == TP_SHED ? "; --budget 0 sets no limit" : "");
	b->sampling_broke = true;
	b->reason = "failed";
	return EXIT_FAILED;
}

/* Samples and writes the next snapshot; `last` ends the run. Returns the exit code. */
static int sample_snapshot(struct batch *b, bool last)
{
	bool counted;
	int err;

	snapshot_clear(b->to);
	err = b->source->ops->sample(b->source, b->to);
	if (err)
		return sampling_failed(b, err);
	b->to->seq = ++b->sampled;
	if (b->sink->is_disk_full)
		err = recorder_pump(b->recorder);
	if (err)
		return output_failed(b, err);
	/* the last one is written however full the disk is */
	counted = is_over(b);
	if (!last && !counted && sink_full(b->sink)) {
		/* no count is lost: the next interval begins at the last one */
		if (!b->skipped++ && !b->config->quiet)
			message("%s: the disk is full; snapshots are skipped", b->sink->name);
		return EXIT_DONE;
	}
	choose_followed(b, &counted);
	if (counted)
		b->reason = "count";
	last |= counted;
	err = write_snapshot(b, last);
	return err == EXIT_DONE && !last ? follow_ended(b) : err;
}

static int follow_begin(struct batch *b)
{
	struct error error = { 0 };
	int err;

	if (!b->out.config->follows)
		return EXIT_DONE;
	err = follow_run_begin(&b->follow, b->out.config->follow, b->source, b->out.netns, b->from,
			       &error);
	if (!err)
		return EXIT_DONE;
	message("--follow: %s", error_text(&error));
	return err == -EINVAL ? EXIT_USAGE : EXIT_NO_TRACEPOINT;
}

/* Writes the header, after the base was sampled. */
static int output_begin(struct batch *b)
{
	int err = follow_begin(b);

	if (err != EXIT_DONE)
		return err;
	b->begun_ns = b->from->mono_ns;
	b->from->seq = 0;
	/* an empty recording has no snapshot, but its end needs a time */
	if (!b->from->wall.tv_sec)
		b->from->wall = b->source->host.start;
	err = print_header(b, b->from);
	if (!err && b->format->begin)
		err = b->recorder ? recorder_commit(b->recorder, false) : sink_commit(b->sink);
	return err ? output_failed(b, err) : EXIT_DONE;
}

/* ^Z: detach while the program cannot sample. */
static void batch_stop(struct batch *b)
{
	if (b->source->ops->suspend)
		b->source->ops->suspend(b->source, true);
	raise(SIGSTOP);
	if (b->source->ops->suspend)
		b->source->ops->suspend(b->source, false);
	/*
	 * the deadline has passed, and without this the next interval would be a few milliseconds
	 */
	if (b->source->live)
		event_loop_set(&b->loop, b->config->delay_s);
}

/* Whether a signal ends the run; sets b->reason. */
static bool ends_run(struct batch *b, int signal)
{
	switch (signal) {
	case SIGINT:
	case SIGTERM:
	case SIGQUIT:
		b->reason = "signal";
		break;
	case SIGHUP:
		b->reason = "terminal";
		break;
	case SIGTSTP:
		batch_stop(b);
		return false;
	case SIGCONT:
		b->gap = b->source->live;
		return false;
	default:
		return false;
	}
	b->signalled = true;
	return true;
}

/* 0, 1 = a signal ends the run, -EAGAIN or -errno. */
static int wait_event(struct batch *b, int timeout_ms, enum loop_event *what)
{
	int signal, err = event_loop_wait(&b->loop, timeout_ms, what, &signal);

	if (err)
		return err;
	b->closed = *what == LOOP_CLOSED;
	return *what == LOOP_SIGNAL && ends_run(b, signal);
}

/*
 * For the sink. The kernel continues to count, and the next snapshot covers the longer interval.
 * After a signal a slow reader has GRACE_MS for each piece; another signal ends that.
 */
static int await_reader(void *ctx)
{
	struct batch *b = ctx;
	const int output = b->loop.output;
	bool was_signalled, first;
	enum loop_event what;
	int err;

	b->loop.output = b->sink->fd;
	b->loop.want_room = true;
	do {
		was_signalled = b->signalled;
		err = wait_event(b, was_signalled ? GRACE_MS : -1, &what);
		first = err > 0 && !was_signalled;
	} while (first || (!err && what == LOOP_SIGNAL));
	b->loop.want_room = false;
	b->loop.output = output;
	return err ? -EINTR : 0;
}

static void say_process_ended(struct batch *b)
{
	const char *why = source_process_ended(b->source, b->process);

	if (why)
		message("%s; dmesg may say why; start xdptop again", why);
}

static int run_live(struct batch *b)
{
	enum loop_event what;
	int err, code;

	err = b->source->ops->sample(b->source, b->from);
	/* sampling may have waited, so make the first interval as long as the others */
	err = err ?: event_loop_set(&b->loop, b->config->delay_s);
	if (err)
		return sampling_failed(b, err);
	code = output_begin(b);
	while (code == EXIT_DONE && !b->last && !b->closed) {
		say_process_ended(b);
		/* a signal may have arrived while xdptop waited for the reader */
		err = b->signalled
			      ? 1
			      : wait_event(b, source_look_ms(b->source, b->out.config->follows),
					   &what);
		if (err == -EAGAIN) {
			b->source->ops->look(b->source);
			continue;
		}
		if (err < 0)
			return sampling_failed(b, err);
		if (err || what == LOOP_INTERVAL)
			code = sample_snapshot(b, err);
	}
	return code;
}

/* Waits for input (-1 = none), a signal, or the end of the output's reader. */
static int wait_replay(struct batch *b, int timeout_ms, int input)
{
	enum loop_event what;
	int err;

	b->loop.input = input;
	err = wait_event(b, timeout_ms, &what);
	b->loop.input = -1;
	b->last |= err > 0;
	return err < 0 && err != -EAGAIN ? sampling_failed(b, err) : EXIT_DONE;
}

/* Waits, or reads and writes one snapshot. Returns the exit code. */
static int replay(struct batch *b, bool *begun)
{
	struct snapshot *to = *begun ? b->to : b->from;
	bool last;
	int err;

	snapshot_clear(to);
	err = b->source->ops->sample(b->source, to);
	if (err == -EAGAIN)
		return wait_replay(b, b->source->ops->due ? b->source->ops->due(b->source) : -1,
				   b->source->fd);
	if (err < 0)
		return sampling_failed(b, err);
	if (err > 0) {
		/* a truncated recording ends like a pipe without a writer */
		b->reason = b->source->end_reason ? b->source->end_reason : "pipe";
		b->last = true;
		return EXIT_DONE;
	}
	if (!*begun) {
		*begun = true;
		return output_begin(b);
	}
	b->sampled++;
	last = is_over(b);
	choose_followed(b, &last);
	if (last)
		b->reason = "count";
	err = write_snapshot(b, b->source->last || last);
	/* the source may still have an end row, with the reason */
	b->last = last;
	/* checks for signals and a closed output even without pauses */
	return err ? err : wait_replay(b, 0, -1);
}

/* Reads until everything was read, or a signal comes. Returns the exit code. */
static int read_timeline(struct batch *b)
{
	struct timeline *t;
	bool says = !b->config->quiet && isatty(STDERR_FILENO);
	int err, code = EXIT_DONE;

	while ((err = b->source->ops->incidents(b->source, false, &t)) == -EAGAIN &&
	       code == EXIT_DONE && !b->signalled && !b->closed) {
		if (says)
			message_progress(b->config->recording, (int)t->percent);
		code = wait_replay(b, 0, -1);
	}
	if (says)
		message_progress(b->config->recording, -1);
	b->out.timeline = t;
	if (code != EXIT_DONE || err == 0 || err == -EAGAIN)
		return code;
	message("%s: %s", b->config->recording,
		err == -ESPIPE ? "a timeline needs a file or a directory, not a pipe"
			       : strerror(-err));
	return EXIT_FILE;
}

/* In place of snapshots. Returns the exit code, which says whether something was not read. */
static int run_timeline(struct batch *b)
{
	int err, code = read_timeline(b);
	char gaps[160];

	if (code != EXIT_DONE)
		return code;
	b->from->wall = b->to->wall =
		b->source->last_ns > 0 ? ns_to_timespec(b->source->last_ns) : b->source->host.start;
	code = output_begin(b);
	if (code != EXIT_DONE)
		return code;
	rates_set(&b->rates, b->from, b->to, NULL);
	b->rates.is_cancelled = NULL;
	err = b->format->snapshot(&b->out, &b->rates, true);
	if (err)
		return output_failed(b, err);
	b->reason = b->signalled ? "signal" : "count";
	if (!timeline_gaps_text(b->out.timeline, gaps, sizeof(gaps)))
		return EXIT_DONE;
	if (!b->config->quiet)
		message("%s: %s", b->config->recording, gaps);
	b->sampling_broke = true;
	return b->out.timeline->damaged     ? EXIT_FILE
	       : !b->out.timeline->complete ? EXIT_FAILED
					    : EXIT_DONE;
}

static bool wants_timeline(const struct batch *b)
{
	const struct output_config *output = b->out.config;

	return output->check ? b->source->segments
			     : output->view == VIEW_TIMELINE && !output->follows;
}

static int run_replay(struct batch *b)
{
	bool begun = false;
	int code = EXIT_DONE;

	if (wants_timeline(b))
		return run_timeline(b);
	while (code == EXIT_DONE && !b->last && !b->closed && !b->signalled)
		code = replay(b, &begun);
	/* an empty recording also gets a header */
	if (code == EXIT_DONE && !begun && !b->closed)
		code = output_begin(b);
	/* do not serve a pipe that has ended, because its writer stopped counting */
	while (code == EXIT_DONE && b->server && b->source->size && !b->signalled &&
	       b->sampled != b->config->iterations)
		code = wait_replay(b, -1, -1);
	return code;
}

/* Returns the exit code. */
static int batch_finish(struct batch *b)
{
	int err = 0;

	if (b->format->end)
		err = b->format->end(&b->out, b->from, b->reason);
	if (!err && b->recorder)
		err = recorder_commit(b->recorder, true);
	else if (!err && !b->sink->replace && !b->server)
		err = sink_end(b->sink);
	if (!err && b->sink->is_disk_full)
		err = b->sink->err = -ENOSPC;
	return err ? output_failed(b, err) : EXIT_DONE;
}

static const struct output_format *format_of(const struct output_config *output)
{
	return output->format ? output->format : output_formats[0];
}

/* Returns the exit code. */
static int sink_opened(const struct sink *sink, int err)
{
	if (!err)
		return EXIT_DONE;
	message("%s: %s; give a path that can be written with --to", sink->name,
		sink_why(sink, err));
	return EXIT_FILE;
}

int batch_sink(struct sink *sink, const struct output_config *output)
{
	return sink_opened(sink, sink_open(sink, output->to, format_of(output)->whole_file));
}

static int batch_open(struct batch *b, struct source *source, struct sink *sink,
		      struct http_server *server, struct recorder *recorder,
		      const struct output_config *output, const struct batch_config *config)
{
	const struct view *view = NULL;
	int err = sink_begin(sink);

	if (err)
		return sink_opened(sink, err);
	memset(b, 0, sizeof(*b));
	b->source = source;
	b->config = config;
	b->sink = sink;
	b->server = server;
	b->recorder = recorder;
	b->format = format_of(output);
	b->from = &b->snapshots[0];
	b->to = &b->snapshots[1];
	b->netns = netns_names_new();
	/* a live run ends with a last snapshot, which is whole */
	b->rates.is_cancelled = source->live ? NULL : event_loop_ends;
	b->out = (struct output){
		.file = b->sink->file,
		.config = output,
		.host = recorder ? &recorder->host : &source->host,
		.netns = source->netns ? source->netns : b->netns,
		.events = &b->events,
		.findings = &b->findings,
		.live = source->live,
		.quiet = config->quiet,
		.first = true,
	};
	if (b->format->of_view && output->view != VIEW_OVERVIEW)
		view = &views[output->view];
	b->out.filter = sample_filter_new(output->filter, view);
	err = event_loop_open(&b->loop, source->live ? config->delay_s : 0, -1);
	if (err) {
		netns_names_free(b->netns);
		sample_filter_free(b->out.filter);
		return sampling_failed(b, err);
	}
	if (b->sink->fd >= 0 && !recorder)
		sink_await(b->sink, await_reader, b);
	/* --to may be a pipe, and its hangup ends the run */
	b->loop.output = b->format->only_end || recorder ? -1 : b->sink->fd;
	if (server) {
		http_server_set(server, print_answer, b);
		b->loop.poll = http_server_poll;
		b->loop.ctx = server;
	}
	return EXIT_DONE;
}

static void batch_close(struct batch *b)
{
	if (b->format->free)
		b->format->free(&b->out);
	sample_filter_free(b->out.filter);
	event_loop_close(&b->loop);
	netns_names_free(b->netns);
	rates_free(&b->rates);
	follow_run_end(&b->follow);
	findings_free(&b->findings);
	event_log_free(&b->events);
	snapshot_free(&b->snapshots[0]);
	snapshot_free(&b->snapshots[1]);
}

int batch_run(struct source *source, struct sink *sink, struct http_server *server,
	      struct recorder *recorder, const struct output_config *output,
	      const struct batch_config *config)
{
	struct batch b;
	int code = batch_open(&b, source, sink, server, recorder, output, config);

	if (code != EXIT_DONE)
		return code;
	code = source->live ? run_live(&b) : run_replay(&b);
	if (!b.closed && (code == EXIT_DONE || b.sampling_broke)) {
		int end = batch_finish(&b);

		code = code == EXIT_DONE ? end : code;
	}
	if (code == EXIT_DONE && b.unwritten)
		code = EXIT_FILE;
	if (code == EXIT_DONE)
		code = b.out.status;
	batch_close(&b);
	return code;
}

int batch_list(const struct tp_count tp[TP_COUNT], const struct snapshot_host *host,
	       const struct output_config *output)
{
	const struct output_format *format = format_of(output);
	struct output out = { .config = output, .host = host, .first = true };
	struct sink sink;
	int err;

	if (!format->list)
		format = output_formats[0];
	signal(SIGPIPE, SIG_IGN);
	err = sink_open(&sink, output->to, false);
	if (!err) {
		out.file = sink.file;
		err = sink_begin(&sink);
		if (!err)
			err = format->list(&out, tp);
		if (!err)
			err = sink_end(&sink);
		if (sink.err)
			err = sink.err;
	}
	if (format->free)
		format->free(&out);
	sink_close(&sink);
	if (!err || err == -EPIPE)
		return EXIT_DONE;
	message("%s: %s; the output is missing or incomplete", sink.name, sink_why(&sink, err));
	return EXIT_FILE;
}
