// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/event_loop.h"
#include "base/locale.h"
#include "base/memory.h"
#include "base/privilege.h"
#include "base/version.h"
#include "explain/explain.h"
#include "output/diff.h"
#include "source/live_source.h"
#include "table/filter_capture.h"
#include "tracing/filter_compiler.h"
#include "ui/screen_run.h"
#include "ui/settings.h"

/* Events that rings hold. A screen shows only the last ones, but a list should have all. */
#define FOLLOW_SCREEN 32768
#define FOLLOW_BATCH  131072
#define FOLLOW_CPU    512 /* minimum per CPU; rings are read every 20 ms */

/*
 * With stdin, stdout or stderr closed, the next file opened would get that number, and messages
 * written into it. /dev/null is opened the wrong way round, so that using it still fails.
 */
static void fill_standard_fds(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	}
}

/* The exit code after something was printed with stdio. */
static int printed(int err)
{
	if (!err && fflush(stdout))
		err = -errno;
	if (!err || err == -EPIPE)
		return EXIT_DONE;
	message("stdout: %s; the output is incomplete", strerror(-err));
	return EXIT_FILE;
}

static int run_list(const struct options *options)
{
	struct tp_count tp[TP_COUNT];
	struct snapshot_host host = { 0 };
	struct error error = { 0 };

	memset(tp, 0, sizeof(tp));
	if (live_source_list(tp, &host, &options->trace, &error))
		return error_print(&error);
	return batch_list(tp, &host, &options->output);
}

static int capability_check(void *ctx)
{
	struct source *source = ctx;

	return source->ops->capability_check ? source->ops->capability_check(source) : 0;
}

/* The directory where the screen writes new files; -1 at /, which would allow all files. */
static int working_directory(void)
{
	struct stat own, top;

	if (stat(".", &own) || stat("/", &top) ||
	    (own.st_dev == top.st_dev && own.st_ino == top.st_ino))
		return -1;
	return open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int open_recorder(struct recorder *r, const struct options *options)
{
	struct error error = { 0 };
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	if (!recorder_open(r, &options->record, options->batch.quiet, &wall, clock_ns(), &error))
		return EXIT_DONE;
	message("--record %s: %s", options->record.path, error_text(&error));
	return EXIT_FILE;
}

/* The directory in which files are removed, for the drop of privileges. */
static int writable_directory(const struct recorder *r, struct sink *sink, bool batch)
{
	if (r->dir >= 0)
		return fcntl(r->dir, F_DUPFD_CLOEXEC, 0);
	return batch ? sink_directory(sink) : settings_directory();
}

/* Resolves what to capture, and creates the file. Returns the exit code. */
static int open_capture(struct capture_file **f, struct capture_filter *filter,
			struct source *source, const struct options *options)
{
	const struct capture_config *config = &options->capture;
	struct error error = { 0 };
	char what[CAPTURE_TEXT];
	int err;

	if (options->trace.needs_captures)
		*filter = capture_filter_all((uint32_t)config->rate);
	if (!config->path[0])
		return EXIT_DONE;
	err = filter_capture_parse(options->output.filter, source->netns, filter, &error);
	if (err) {
		message("--capture: --filter: %s", error_text(&error));
		return err == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	}
	filter->acts = config->acts;
	filter->rate = (uint32_t)config->rate;
	filter->code = config->code;
	if (capture_file_open(f, config, &source->host, &error)) {
		message("--capture %s: %s", config->path, error_text(&error));
		return EXIT_FILE;
	}
	if (!options->batch.quiet)
		message("--capture %s: packets are read: %s", config->path,
			capture_text(config, what, sizeof(what)));
	return EXIT_DONE;
}

/*
 * Drops the privileges, and begins to read names that others chose. 0, or -errno and *error:
 * -ECANCELED after a signal.
 */
static int begin(struct privilege_needs *needs, struct source *source,
		 const struct options *options, struct error *error)
{
	int err = privilege_drop(needs, error);

	return err || !options->recording.path ? err : recording_begin(source, error);
}

/* Returns the exit code. A signal is not a failure, but what was not read must not look healthy. */
static int begin_failed(int err, const struct options *options, const struct error *error)
{
	bool judges = options->output.check || options->output.view == VIEW_TIMELINE;

	return err == -ECANCELED && !(judges && options->recording.batch) ? EXIT_DONE
									  : error_print(error);
}

/* Opens the outputs, drops the privileges, and runs to the end. */
static int run_monitor(struct source *source, const struct options *options)
{
	struct privilege_needs needs = {
		.works = capability_check,
		.ctx = source,
		.perf_events = !strcmp(source->host.backend, "classic"),
		.listens = options->listen.any.sa_family,
		.passes = options->trace.verdicts || options->trace.later_namespaces,
	};
	bool batch = options->recording.batch;
	struct sink own = { .name = "--listen", .fd = -1 }, *sink = &own;
	struct recorder recorder = { .dir = -1 };
	struct http_server *server = NULL;
	struct capture_file *capture = NULL;
	struct capture_filter packets = { 0 };
	struct screen *screen = NULL;
	struct error error = { 0 };
	int code = EXIT_DONE, captured, err;

	if (privilege_lower(&error))
		return error_print(&error);
	if (needs.listens &&
	    http_server_open(&server, &options->listen, options->batch.quiet, &error))
		return error_print(&error);
	if (options->record.path) {
		code = open_recorder(&recorder, options);
		sink = &recorder.sink;
	} else if (batch && !server) {
		code = batch_sink(sink, &options->output);
	}
	code = code ?: open_capture(&capture, &packets, source, options);
	if (code)
		return code;
	if (!batch && screen_open(&screen, source, options, &error)) {
		capture_file_remove(capture);
		return error_print(&error);
	}
	needs.create = batch ? -1 : working_directory();
	needs.replace = writable_directory(&recorder, sink, batch);
	needs.renames = !options->record.path;
	err = begin(&needs, source, options, &error);
	if (!err && packets.acts)
		err = source->ops->capture(source, &packets,
					   capture ? capture_file_packet : packet_ignore, capture,
					   &error);
	if (err) {
		screen_close(screen);
		capture_file_remove(capture);
		capture = NULL;
		code = begin_failed(err, options, &error);
	} else if (batch) {
		code = batch_run(source, sink, server, options->record.path ? &recorder : NULL,
				 &options->output, &options->batch);
	} else {
		code = screen_run(screen);
	}
	if (capture)
		source->ops->capture(source, NULL, NULL, NULL, NULL);
	captured = capture_file_close(capture, source, options->batch.quiet);
	code = code ?: captured;
	http_server_close(server);
	if (options->record.path)
		recorder_close(&recorder);
	else
		sink_close(sink);
	return code;
}

/* Compares two recordings: opens all files before the drop, reads them after it. */
static int run_diff(const struct options *options)
{
	struct privilege_needs needs = { .create = -1, .replace = -1 };
	struct diff_side sides[2] = { { .arg = options->diff[0] }, { .arg = options->diff[1] } };
	struct sink sink = { .fd = -1 };
	struct error error = { 0 };
	int code, err = 0;

	for (int i = 0; i < 2 && !err; i++)
		err = diff_open(&sides[i], &options->output, &error);
	code = err || privilege_lower(&error) ? error_print(&error) : EXIT_DONE;
	if (!code)
		code = batch_sink(&sink, &options->output);
	if (!code && privilege_drop(&needs, &error))
		code = error_print(&error);
	if (!code)
		code = diff_run(sides, &sink, &options->output);
	for (int i = 0; i < 2; i++)
		diff_close(&sides[i]);
	sink_close(&sink);
	return code;
}

/* Says what keeps privileges, or why nothing does that was asked for. */
static void say_processes(const struct snapshot_host *host, const struct trace_config *trace)
{
	static const char *const option[PROCESSES] = { "--verdicts", "--later-namespaces" };
	static const char *const cannot[PROCESSES] = {
		"programs cannot be traced",
		"later network namespaces cannot be entered",
	};
	const bool asked[PROCESSES] = { trace->verdicts, trace->later_namespaces };
	char caps[160];

	for (int i = 0; i < PROCESSES; i++) {
		const struct snapshot_process *p = &host->process[i];

		if (p->pid)
			message("%s: process %u keeps %s while xdptop runs", option[i], p->pid,
				capability_names(p->caps, "CAP_", ", ", caps, sizeof(caps)));
		else if (asked[i])
			message("%s: %s: %s", option[i], cannot[i], p->reason);
	}
}

/* Compiles the filter of --capture. On the screen others may be asked for later. */
static int compile_filter(struct capture_config *c, bool later, struct error *error)
{
	int err;

	c->compiler = c->filter || later ? filter_compiler_start(error) : -1;
	if (!c->filter)
		return EXIT_DONE;
	err = c->compiler < 0 ? c->compiler
			      : filter_compile(c->compiler, c->filter, &c->code, error);
	if (err)
		message("--capture: filter '%s': %s", c->filter, error_text(error));
	return err == -EINVAL ? EXIT_USAGE : err ? EXIT_FAILED : EXIT_DONE;
}

static int monitor(struct options *options)
{
	struct source *source = NULL;
	struct error error = { 0 };
	int code, err;

	if (options->trace.needs_captures && getuid()) {
		message("%s needs root to read packets; start xdptop with sudo",
			options->capture.path[0] ? "--capture" : "--view packets");
		return EXIT_PRIVILEGE;
	}
	code = compile_filter(&options->capture,
			      options->trace.captures && !options->recording.batch, &error);
	if (code)
		return code;
	if (options->recording.path)
		err = recording_open(&source, &options->recording, &error);
	else
		err = live_source_open(&source, &options->trace, options->batch.delay_s, &error);
	if (err)
		return error_print(&error);
	/* not earlier, because a FIFO is opened when its writer comes */
	if (options->recording.path)
		event_loop_block_signals();
	/* the screen shows it in its header */
	if (options->recording.batch && !options->batch.quiet)
		say_processes(&source->host, &options->trace);
	code = run_monitor(source, options);
	source->ops->close(source);
	return code;
}

static uint32_t follow_events(uint32_t least)
{
	uint32_t all = FOLLOW_CPU * (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);

	return all > least ? all : least;
}

int main(int argc, char **argv)
{
	struct options options;
	struct error error = { .exit_code = EXIT_USAGE };
	int err;

	memory_begin();
	fill_standard_fds();
	privilege_clean_environment();
	if (options_parse(&options, argc, argv, &error))
		return error_print(&error);
	switch (options.run) {
	case RUN_HELP:
		return printed(options_help(options.help, stdout));
	case RUN_VERSION:
		puts("xdptop " XDPTOP_VERSION);
		return printed(0);
	case RUN_EXPLAIN:
		err = explain(options.explain);
		return err ? err : printed(0);
	case RUN_LIST:
	case RUN_DIFF:
	case RUN_MONITOR:
		break;
	}
	/*
	 * The width and the set of characters. Numbers stay as in C. Not before the options,
	 * because their names are ASCII, whose case some locales fold differently.
	 */
	locale_set();
	if (options.run == RUN_LIST)
		return run_list(&options);
	if (options.run == RUN_DIFF)
		return run_diff(&options);
	options.trace.ifname = options.output.ifname;
	options.recording.batch = options.recording.batch || !isatty(STDOUT_FILENO);
	if (options.recording.batch && options.output.view == VIEW_PACKETS &&
	    !options.recording.path)
		options.trace.captures = CAPTURES_AFTER, options.trace.needs_captures = true;
	/* on the screen, key y and the view packets ask for them */
	if (options.trace.verdicts && !options.recording.batch && !getuid() &&
	    !options.trace.captures)
		options.trace.captures = CAPTURES_AFTER;
	if (!options.recording.batch)
		options.trace.follow_events = follow_events(FOLLOW_SCREEN);
	else if (options.output.follows)
		options.trace.follow_events = follow_events(FOLLOW_BATCH);
	return monitor(&options);
}
