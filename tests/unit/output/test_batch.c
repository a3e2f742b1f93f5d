// SPDX-License-Identifier: GPL-2.0-or-later
/* The batch loop over a counting source: how it ends, and what it has written by then. */
#include <stdlib.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "output/batch.h"
#include "unit/fake.h"
#include "unit/test.h"

/* Rows per snapshot of a source that fills a pipe. */
#define MANY 3000

struct counting {
	struct source source;
	uint64_t n;         /* samples taken */
	uint64_t signal_at; /* raise it at this sample */
	int signal;
	uint64_t fail_at;
	size_t series; /* additional series, for much output */
	int tell;      /* fd that gets a byte for each sample; -1 = none */
	bool stopped, resumed;
};

static int counting_sample(struct source *source, struct snapshot *to)
{
	struct counting *c = (struct counting *)source;

	if (c->tell >= 0)
		assert_int_equal(write(c->tell, "s", 1), 1);
	if (c->fail_at && c->n == c->fail_at)
		return -EIO;
	fake_snapshot(to, c->n);
	for (size_t i = 0; i < c->series; i++) {
		struct series *series = fake_series(to, TP_XDP_EXCEPTION,
						    (struct series_counters){ .events = 3 * c->n });

		series->key.ifindex = (uint32_t)i + 100;
	}
	if (c->series && c->n == 1)
		to->n_event = 0;
	if (c->series)
		fake_event(to);
	to->seq = 0; /* set by the loop */
	if (c->signal && c->n == c->signal_at)
		raise(c->signal);
	c->n++;
	return 0;
}

static struct counting counting(void)
{
	static const struct source_ops ops = { .sample = counting_sample };
	struct counting c = { .source = { .ops = &ops, .live = true, .fd = -1 }, .tell = -1 };

	c.source.host = fake_host();
	return c;
}

struct run_config {
	struct output_config output;
	struct batch_config batch;
};

static struct run_config run_config(const char *to)
{
	return (struct run_config){
		.output = { .format = &output_json, .to = to, .sort = -1, .sort_descending = -1 },
		.batch = { .delay_s = 0.01, .quiet = true },
	};
}

static int run_here(struct source *source, const struct run_config *config)
{
	struct sink sink;
	int code = batch_sink(&sink, &config->output);

	if (!code)
		code = batch_run(source, &sink, NULL, NULL, &config->output, &config->batch);
	sink_close(&sink);
	return code;
}

/* Writes to a file, in a child process, which takes the signals. Returns the exit code. */
static int run(struct counting *c, const struct run_config *config, int out)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		alarm(60); /* in case the loop does not end */
		dup2(null, STDERR_FILENO);
		if (out >= 0)
			dup2(out, STDOUT_FILENO);
		_exit(run_here(&c->source, config));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status))
		print_error("ended by signal %d\n", WTERMSIG(status));
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static char *read_all(int fd)
{
	size_t size = 1 << 16, used = 0;
	char *text = malloc(size + 1);
	ssize_t n;

	while ((n = read(fd, text + used, size - used)) > 0) {
		used += (size_t)n;
		if (used == size)
			text = realloc(text, (size *= 2) + 1);
	}
	assert_int_equal(n, 0);
	text[used] = '\0';
	return text;
}

static char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	char *text;

	assert_true(fd >= 0);
	text = read_all(fd);
	close(fd);
	return text;
}

static void temp_path(char *path)
{
	strcpy(path, "/tmp/xdptop-test.XXXXXX");
	close(mkstemp(path));
}

static uint64_t number(const char *line, const char *name)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\":", name);
	at = strstr(line, key);
	assert_non_null(at);
	return strtoull(at + strlen(key), NULL, 10);
}

/* Sum of a field over the rows of a series, and the last value of another field. */
static uint64_t sum_rows(const char *text, const char *part, const char *name,
			 const char *last_name, uint64_t *last)
{
	uint64_t sum = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = strndup(text, len);

		/* whole lines only */
		assert_int_equal(text[len], '\n');
		assert_int_equal(line[0], '{');
		assert_int_equal(line[len - 1], '}');
		if (strstr(line, "\"type\":\"sample\"") && strstr(line, part)) {
			sum += number(line, name);
			*last = number(line, last_name);
		}
		free(line);
		text += len + 1;
	}
	return sum;
}

TEST(test_count)
{
	struct counting c = counting();
	struct run_config config;
	char path[64], *text;
	uint64_t total = 0;

	temp_path(path);
	config = run_config(path);
	config.batch.iterations = 3;
	assert_int_equal(run(&c, &config, -1), EXIT_DONE);
	text = read_file(path);
	assert_memory_equal(text, "{\"type\":\"header\",", 17);
	assert_non_null(strstr(text, "\"seq\":1,"));
	assert_non_null(strstr(text, "\"seq\":3,"));
	assert_null(strstr(text, "\"seq\":0,"));
	assert_null(strstr(text, "\"seq\":4,"));
	assert_non_null(strstr(text, "{\"type\":\"end\",\"seq\":3,"));
	assert_non_null(strstr(text, "\"reason\":\"count\""));
	assert_int_equal(sum_rows(text, "\"errname\":\"EOPNOTSUPP\"", "events", "events_total",
				  &total),
			 360);
	assert_int_equal(total, 360);
	free(text);
	unlink(path);
}

/* A signal: a last snapshot, with every series. */
TEST(test_signals)
{
	static const struct {
		int signal;
		const char *reason;
	} cases[] = {
		{ SIGINT, "\"reason\":\"signal\"" },
		{ SIGTERM, "\"reason\":\"signal\"" },
		{ SIGHUP, "\"reason\":\"terminal\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct counting c = counting();
		struct run_config config;
		char path[64], *text, *last;

		temp_path(path);
		config = run_config(path);
		c.signal = cases[i].signal;
		c.signal_at = 2;
		assert_int_equal(run(&c, &config, -1), EXIT_DONE);
		text = read_file(path);
		assert_non_null(strstr(text, cases[i].reason));
		assert_non_null(strstr(text, "{\"type\":\"end\",\"seq\":3,"));
		last = strstr(text, "{\"type\":\"sample\",\"seq\":3,");
		assert_non_null(last);
		assert_non_null(strstr(last, "\"tracepoint\":\"net_dev_queue\""));
		free(text);
		unlink(path);
	}
}

/* nohup: the signal stays ignored. */
TEST(test_nohup)
{
	struct counting c = counting();
	struct run_config config;
	char path[64], *text;

	temp_path(path);
	config = run_config(path);
	config.batch.iterations = 4;
	c.signal = SIGHUP;
	c.signal_at = 2;
	signal(SIGHUP, SIG_IGN);
	assert_int_equal(run(&c, &config, -1), EXIT_DONE);
	signal(SIGHUP, SIG_DFL);
	text = read_file(path);
	assert_non_null(strstr(text, "\"seq\":4,"));
	assert_non_null(strstr(text, "\"reason\":\"count\""));
	free(text);
	unlink(path);
}

TEST(test_sampling_fails)
{
	struct counting c = counting();
	struct run_config config;
	char path[64], *text;

	temp_path(path);
	config = run_config(path);
	c.fail_at = 2;
	assert_int_equal(run(&c, &config, -1), EXIT_FAILED);
	text = read_file(path);
	/* earlier output is complete */
	assert_non_null(strstr(text, "\"seq\":1,"));
	assert_int_equal(text[strlen(text) - 1], '\n');
	free(text);
	unlink(path);
}

TEST(test_output_fails)
{
	struct counting c = counting();
	struct run_config config = run_config("/dev/full");

	assert_int_equal(run(&c, &config, -1), EXIT_FILE);
	config.output.to = "/nonexistent/file";
	assert_int_equal(run(&c, &config, -1), EXIT_FILE);
	config.output.format = &output_prometheus;
	assert_int_equal(run(&c, &config, -1), EXIT_FILE);
}

/* The reader is gone: ends quietly, even if nothing is written for an hour. */
TEST(test_closed_pipe)
{
	struct run_config config = run_config(NULL);
	int fds[2];

	for (int idle = 0; idle <= 1; idle++) {
		struct counting c = counting();

		assert_int_equal(pipe(fds), 0);
		close(fds[0]);
		/* CSV writes only its header, text nothing at the start */
		config.output.format = idle ? &output_text : &output_json;
		config.batch.delay_s = idle ? 3600 : 0.01;
		assert_int_equal(run(&c, &config, fds[1]), EXIT_DONE);
		close(fds[1]);
	}
}

struct child {
	pid_t pid;
	int out, tell; /* its output, and a byte for each sample */
};

/* A run whose output is not read during this many samples. */
static struct child start(struct counting *c, const struct run_config *config, uint64_t samples)
{
	char byte;
	struct child child;
	int out[2], tell[2];

	assert_int_equal(pipe(out) | pipe(tell), 0);
	c->tell = tell[1];
	child = (struct child){ fork(), out[0], tell[0] };
	if (!child.pid) {
		alarm(120);
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		close(out[1]);
		_exit(run_here(&c->source, config));
	}
	close(out[1]);
	close(tell[1]);
	while (samples--)
		assert_int_equal(read(tell[0], &byte, 1), 1);
	return child;
}

/* Its output after it has ended successfully; *more = samples since then. */
static char *end(const struct child *child, uint64_t *more)
{
	char *text = read_all(child->out), byte;
	int status;

	for (*more = 0; read(child->tell, &byte, 1) == 1; (*more)++)
		;
	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	assert_int_equal(status, EXIT_DONE);
	close(child->out);
	close(child->tell);
	return text;
}

/* A sleeping reader blocks the writer. Nothing is skipped, and no rare event is lost. */
TEST(test_slow_reader)
{
	struct counting c = counting();
	struct run_config config = run_config(NULL);
	uint64_t total = 0, more, events = 0;
	struct child child;
	char *text;

	config.batch.iterations = 5;
	c.series = MANY;
	child = start(&c, &config, 2);
	text = end(&child, &more);
	assert_int_equal(more, 4);
	assert_int_equal(sum_rows(text, "\"ifindex\":101,", "events", "events_total", &total), 15);
	assert_int_equal(total, 15);
	/* one per snapshot, including the base */
	for (const char *at = text; (at = strstr(at, "{\"type\":\"event\"")); at++)
		events++;
	assert_int_equal(events, 6);
	assert_non_null(strstr(text, "\"reason\":\"count\""));
	free(text);
}

/* Or it has ended. */
static bool is_asleep(pid_t pid)
{
	char path[32], *text, state;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	text = read_file(path);
	state = strrchr(text, ')')[2];
	free(text);
	return state == 'S' || state == 'Z';
}

/* While the writer is blocked: signals end it at once, and ^Z and SIGCONT do not. */
TEST(test_signal_while_blocked)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct counting c = counting();
		struct run_config config = run_config(NULL);
		struct child child;
		int status;

		c.series = MANY;
		child = start(&c, &config, 2);
		while (!is_asleep(child.pid))
			sched_yield();
		kill(child.pid, SIGTSTP);
		assert_int_equal(waitpid(child.pid, &status, WUNTRACED), child.pid);
		assert_true(WIFSTOPPED(status));
		kill(child.pid, SIGCONT);
		kill(child.pid, signals[i]);
		assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
		assert_int_equal(status, W_EXITCODE(EXIT_FILE, 0));
		close(child.out);
		close(child.tell);
	}
}

/* A reader that never wakes up, and a signal before the pipe is full: the run ends anyway. */
TEST(test_dead_reader)
{
	struct counting c = counting();
	struct run_config config = run_config(NULL);
	int out[2];

	assert_int_equal(pipe(out), 0);
	c.series = MANY;
	c.signal = SIGTERM;
	c.signal_at = 1;
	assert_int_equal(run(&c, &config, out[1]), EXIT_FILE);
	close(out[0]);
	close(out[1]);
}

/* Replaced by rename: a reader never sees an incomplete file, whatever the umask. */
TEST(test_replaced_file)
{
	struct counting c = counting();
	struct run_config config;
	char dir[] = "/tmp/xdptop-test.XXXXXX", path[64], *text;
	struct stat st;
	mode_t mask = umask(077);

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x.prom", dir);
	config = run_config(path);
	config.output.format = &output_prometheus;
	config.batch.iterations = 2;
	assert_int_equal(run(&c, &config, -1), EXIT_DONE);
	umask(mask);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	text = read_file(path);
	assert_memory_equal(text, "# HELP ", 7);
	assert_non_null(strstr(text, "\"xdp_exception\"} 10\n"));
	free(text);
	/* no temporary file is left in the directory */
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

/* -r: immediately, from the first to the last snapshot, with the recording's own end. */
TEST(test_replay)
{
	struct counting c = counting();
	struct run_config config;
	char path[64], *text;

	temp_path(path);
	config = run_config(path);
	c.source.live = false;
	config.batch.iterations = 2;
	/* a source that never ends, and is not a recording: the count ends it */
	assert_int_equal(run(&c, &config, -1), EXIT_DONE);
	text = read_file(path);
	assert_non_null(strstr(text, "\"reason\":\"count\""));
	free(text);
	unlink(path);
}

TEST(test_list)
{
	struct snapshot_host host = { .refused[ITER_INSTALLS] = { REFUSED_LOAD, 1 } };
	struct tp_count tp[TP_COUNT] = { 0 };
	struct run_config config;
	char path[64], *text;

	temp_path(path);
	config = run_config(path);
	config.output.format = NULL;
	for (int i = 0; i < TP_VERDICTS; i++)
		strcpy(tp[i].name, tracepoints[i].name);
	tp[TP_XDP_BULK_TX].state = TP_MISSING;
	strcpy(tp[TP_XDP_BULK_TX].reason, "not in this kernel");
	assert_int_equal(batch_list(tp, &host, &config.output), EXIT_DONE);
	text = read_file(path);
	assert_non_null(strstr(text, "\n7   xdp_bulk_tx                missing on      not in this "
				     "kernel\n"));
	assert_non_null(strstr(text, "\nxdp_redirect_map_err: silent since 5.6"));
	assert_non_null(strstr(text, "has a message for it: the kernel refuses to load BPF "
				     "program xdp_install (fexit/dev_xdp_install): EPERM.\n"));
	free(text);
	/* a format without its own list */
	config.output.format = &output_csv;
	assert_int_equal(batch_list(tp, &host, &config.output), EXIT_DONE);
	config.output.to = "/dev/full";
	assert_int_equal(batch_list(tp, &host, &config.output), EXIT_FILE);
	unlink(path);
}

/* A late reader gets the complete list. */
TEST(test_list_for_a_slow_reader)
{
	struct snapshot_host host = { 0 };
	struct tp_count tp[TP_COUNT] = { { .name = "xdp_exception" } };
	struct run_config config = run_config(NULL);
	static char before[4096];
	int out[2], status;
	char *text;
	pid_t pid;

	assert_int_equal(pipe(out), 0);
	assert_int_equal(fcntl(out[1], F_SETPIPE_SZ, sizeof(before)), sizeof(before));
	memset(before, '.', sizeof(before));
	assert_int_equal(write(out[1], before, sizeof(before)), sizeof(before));
	pid = fork();
	if (!pid) {
		alarm(60);
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		_exit(batch_list(tp, &host, &config.output));
	}
	close(out[1]);
	while (!is_asleep(pid))
		sched_yield();
	text = read_all(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, EXIT_DONE);
	assert_memory_equal(text + sizeof(before), "{\"type\":\"tracepoint\",", 21);
	free(text);
	close(out[0]);
}
