// SPDX-License-Identifier: GPL-2.0-or-later
/* The output of -o json is read back as the same snapshots; damage is named and skipped. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "recording/recording_assemble.h"
#include "unit/recording/made_recording.h"
#include "unit/test.h"

/* All snapshots of a source as JSON again. free() it. */
static char *play(struct source *source, bool per_cpu)
{
	struct snapshot snapshots[2] = { 0 };
	struct snapshot *from = &snapshots[0], *to = &snapshots[1];
	struct rates rates = { 0 };
	struct fake_out o;
	char *copy;
	int err;

	fake_out_open(&o, "json");
	o.config.per_cpu = per_cpu;
	o.host = source->host;
	netns_names_free(o.out.netns);
	o.out.netns = source->netns;
	err = sample_next(source, from);
	assert_int_equal(from->seq, 0);
	o.format->begin(&o.out);
	while (!err && !(err = sample_next(source, to))) {
		struct snapshot *swap = from;

		rates_set(&rates, from, to, NULL);
		assert_int_equal(o.format->snapshot(&o.out, &rates, source->last), 0);
		o.out.first = false;
		from = to;
		to = swap;
		snapshot_clear(to);
	}
	assert_int_equal(err, 1);
	if (source->end_reason)
		o.format->end(&o.out, from, source->end_reason);
	fflush(o.out.file);
	copy = strdup(o.text);
	o.out.netns = NULL;
	fake_out_close(&o);
	rates_free(&rates);
	snapshot_free(from);
	snapshot_free(to);
	return copy;
}

/* All snapshots of a recording, the same twice. free() it; NULL = it cannot be opened. */
static char *replay(const char *text, bool per_cpu)
{
	struct source *source = NULL;
	struct recording_config config;
	char path[64], *copy, *again;
	struct error error = { 0 };
	int err;

	put_file(path, text, strlen(text));
	config = replay_of(path);
	config.quiet = true;
	err = open_recording(&source, &config, &error);
	unlink(path);
	if (err) {
		assert_int_equal(error.exit_code, EXIT_FILE);
		assert_true(error.text[0]);
		return NULL;
	}
	assert_false(source->live);
	copy = play(source, per_cpu);
	assert_int_equal(source->ops->seek(source, &(struct timespec){ 0 }), 0);
	/* init, which a row's target may name before it has its own row */
	assert_null(netns_names_get(source->netns, 4026531840u));
	again = play(source, per_cpu);
	assert_string_equal(again, copy);
	free(again);
	source->ops->close(source);
	return copy;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts in place; returns text. */
static char *sort_lines(char *text)
{
	size_t n = 0, len = strlen(text);
	char *copy = strdup(text), **lines = calloc(len + 1, sizeof(*lines)), *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		lines[n++] = line;
	qsort(lines, n, sizeof(*lines), compare_lines);
	text[0] = '\0';
	for (size_t i = 0, at = 0; i < n; i++)
		at += (size_t)sprintf(text + at, "%s\n", lines[i]);
	free(lines);
	free(copy);
	return text;
}

/*
 * The same lines in any order: a recording lacks series that have not changed yet, so their
 * position is unknown until they do.
 */
static void assert_replay(const char *text, bool per_cpu, const char *expected)
{
	char *again = replay(text, per_cpu), *same = strdup(expected);

	assert_non_null(again);
	assert_string_equal(sort_lines(again), sort_lines(same));
	free(again);
	free(same);
}

TEST(test_same_again)
{
	for (int per_cpu = 0; per_cpu <= 1; per_cpu++) {
		for (uint64_t n = 1; n <= 3; n++) {
			char *text = record_seconds(n, per_cpu);

			assert_replay(text, per_cpu, text);
			free(text);
		}
	}
}

static char *join(const char *one, size_t len, const char *two, const char *three)
{
	char *all = calloc(1, len + strlen(two) + strlen(three) + 1);

	memcpy(all, one, len);
	strcat(all, two);
	strcat(all, three);
	return all;
}

TEST(test_bad_lines)
{
	static const char *const bad[] = {
		"{\"type\":\"sample\",\"seq\"\n",
		"junk\n",
		"\n",
		"[1,2]\n",
		"7\n",
		"\xff\xfe\n",
		"{\"seq\":1}\n",
		"{\"type\":\"comet\",\"tail\":[1,{\"a\":2}]}\n",
		"{\"type\":\"finding\",\"seq\":2,\"next\":[\"ip link\"]}\n",
		"{\"type\":\"sample\",\"seq\":1,\"tracepoint\":7}\n",
		"{\"type\":\"sample\",\"seq\":1,\"tracepoint\":\"xdp_redirect\"}\n",
		"{\"type\":\"sample\",\"seq\":1,\"time\":\"2026-11-21T09:15:01.123456Z\","
		"\"tracepoint\":\"xdp_redirect\",\"ifindex\":-1}\n",
		"{\"type\":\"sample\",\"seq\":1,\"time\":\"2026-11-21T09:15:01.123456Z\","
		"\"tracepoint\":\"xdp_redirect\",\"events\":1e400}\n",
		"{\"type\":\"sample\",\"seq\":1,\"time\":\"2026-11-21T09:15:01.123456Z\","
		"\"tracepoint\":\"xdp_redirect\",\"events\":99999999999999999999}\n",
	};
	char *text = record_seconds(2, false);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *rest = after_line(text, 3);
		char *all = join(text, (size_t)(rest - text), bad[i], rest);

		assert_replay(all, false, text);
		free(all);
	}
	free(text);
}

/* Longer than the reader's limit: skipped, and the following line is read. */
TEST(test_long_line)
{
	char *text = record_seconds(2, false), *rest = after_line(text, 3);
	char *line = malloc(10 << 20), *all;

	memset(line, 'x', 10 << 20);
	line[(10 << 20) - 2] = '\n';
	line[(10 << 20) - 1] = '\0';
	all = join(text, (size_t)(rest - text), line, rest);
	assert_replay(all, false, text);
	free(all);
	free(line);
	free(text);
}

/* A listed failure has the key of the series that counted it. */
TEST(test_event_key)
{
	static const char event[] =
		"{\"type\":\"event\",\"time\":\"2026-11-21T09:15:00.500000Z\","
		"\"tracepoint\":\"xdp_redirect_err\",\"cpu\":1,\"netns\":7,\"ifindex\":3,"
		"\"prog_id\":42,\"to_netns\":8,\"to_ifindex\":4,\"to_ifname\":\"eth4\","
		"\"map_type\":\"devmap\",\"map_id\":5,\"act\":\"REDIRECT\",\"err\":-100,"
		"\"errname\":\"ENETDOWN\",\"text\":\"ENETDOWN to eth4\"}\n";
	const struct series_key key = { .netns = 7,
					.ifindex = 3,
					.to_netns = 8,
					.target = 4,
					.prog_id = 42,
					.map_type = SERIES_MAP_DEVMAP,
					.map_id = 5,
					.code = -ENETDOWN };
	char *text = record_seconds(1, false), *end = strstr(text, "{\"type\":\"end\""), *all;
	char path[64];
	struct error error = { 0 };
	struct recording_config config = replay_of(path);
	struct snapshot to = { 0 };
	struct source *source = NULL;

	all = join(text, (size_t)(end - text), event, end);
	put_file(path, all, strlen(all));
	assert_int_equal(open_recording(&source, &config, &error), 0);
	unlink(path);
	for (int i = 0; i < 2; i++) {
		snapshot_clear(&to);
		assert_int_equal(sample_next(source, &to), 0);
	}
	assert_true(to.n_event > 0);
	assert_memory_equal(&to.event[to.n_event - 1].key, &key, sizeof(key));
	assert_string_equal(to.event[to.n_event - 1].to_ifname, "eth4");
	source->ops->close(source);
	snapshot_free(&to);
	free(all);
	free(text);
}

/* A replayed snapshot has everything that the written one had. */
TEST(test_identity)
{
	char *text = record_seconds(2, true), path[64];
	struct error error = { 0 };
	struct recording_config config = replay_of(path);
	struct snapshot expected = { 0 }, to = { 0 };
	struct source *source = NULL;

	put_file(path, text, strlen(text));
	assert_int_equal(open_recording(&source, &config, &error), 0);
	unlink(path);
	for (uint64_t n = 0; n <= 2; n++) {
		fake_snapshot(&expected, n);
		snapshot_clear(&to);
		assert_int_equal(sample_next(source, &to), 0);
		assert_int_equal(to.seq, n);
		assert_int_equal(to.wall.tv_sec, expected.wall.tv_sec);
		assert_int_equal(to.wall.tv_nsec, expected.wall.tv_nsec);
		assert_int_equal(to.n_series, expected.n_series);
		assert_int_equal(to.n_event, expected.n_event);
		for (size_t i = 0; i < to.n_series; i++) {
			const struct series *a = &to.series[i], *b = &expected.series[i];

			assert_int_equal(a->tracepoint, b->tracepoint);
			assert_int_equal(a->overflow, b->overflow);
			assert_memory_equal(&a->key, &b->key, sizeof(a->key));
			assert_memory_equal(&a->total, &b->total, sizeof(a->total));
			assert_string_equal(a->ifname, b->ifname);
			assert_string_equal(a->to_ifname, b->to_ifname);
			assert_string_equal(a->prog_name, b->prog_name);
			assert_string_equal(a->map_name, b->map_name);
			assert_int_equal(a->n_cpu, b->n_cpu);
		}
		for (size_t i = 0; i < to.n_event; i++)
			assert_memory_equal(&to.event[i].key, &expected.event[i].key,
					    sizeof(to.event[i].key));
		for (int i = 0; i < TP_COUNT; i++) {
			assert_string_equal(to.tp[i].name, expected.tp[i].name);
			if (!*to.tp[i].name)
				continue;
			assert_int_equal(to.tp[i].state, expected.tp[i].state);
			assert_int_equal(to.tp[i].events, expected.tp[i].events);
		}
	}
	source->ops->close(source);
	snapshot_free(&to);
	snapshot_free(&expected);
	free(text);
}

#define HEADER                                                                        \
	"{\"type\":\"header\",\"schema\":1,\"time\":\"2026-11-21T09:15:00.000000Z\"," \
	"\"delay_s\":0.5}\n"
#define SAMPLE(seq, time, interval, total)                                            \
	"{\"type\":\"sample\",\"seq\":" seq ",\"time\":\"2026-11-21T09:15:" time      \
	"Z\",\"interval_s\":" interval ",\"tracepoint\":\"mem_connect\",\"netns\":1," \
	"\"ifindex\":2,\"events\":5,\"events_total\":" total "}\n"

/* Devices unknown at the time of recording are unknown in a replay. */
TEST(test_netdev_coverage)
{
	static const char text[] =
		"{\"type\":\"header\",\"schema\":1,\"time\":\"2026-11-21T09:15:00.000000Z\","
		"\"delay_s\":0.5,\"devices\":\"start\",\"namespaces_left_out\":2,\"devices_left_"
		"out\":9}\n" SAMPLE("1", "01.000000", "0.5", "5");
	struct source *source = NULL;
	struct snapshot s = { 0 };
	char path[64];
	struct error error = { 0 };
	struct recording_config config = replay_of(path);

	put_file(path, text, strlen(text));
	assert_int_equal(open_recording(&source, &config, &error), 0);
	unlink(path);
	assert_int_equal(source->host.devices, NETDEVS_AT_START);
	assert_int_equal(sample_next(source, &s), 0);
	assert_int_equal(s.netns_unreadable, 2);
	assert_int_equal(s.netdevs_left_out, 9);
	source->ops->close(source);
	snapshot_free(&s);
}

/* Rates refer to the measured interval, not to the wall clock. */
TEST(test_interval)
{
	static const struct {
		const char *text;
		int64_t ns;       /* between the last two snapshots */
		int64_t attached; /* of that interval */
	} cases[] = {
		{ HEADER SAMPLE("1", "01.000000", "0.500021", "5")
			  SAMPLE("2", "01.500030", "0.500021", "10"),
		  500021000, 500021000 },
		/* the clock was set back, or forward */
		{ HEADER SAMPLE("1", "31.000000", "0.5", "5") SAMPLE("2", "11.000000", "0.5", "10"),
		  500000000, 500000000 },
		/* switched on within the interval */
		{ HEADER SAMPLE("1", "01.000000", "0.5", "5")
			  SAMPLE("2", "02.000000", "0.25", "10"),
		  1000000000, 250000000 },
		/* was off */
		{ HEADER SAMPLE("1", "01.000000", "0.5", "5") SAMPLE("2", "02.000000", "0", "10"),
		  1000000000, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct snapshot s[3] = { 0 };
		struct source *source = NULL;
		char path[64];
		struct error error = { 0 };
		struct recording_config config = replay_of(path);

		put_file(path, cases[i].text, strlen(cases[i].text));
		assert_int_equal(open_recording(&source, &config, &error), 0);
		unlink(path);
		for (int k = 0; k < 3; k++)
			assert_int_equal(sample_next(source, &s[k]), 0);
		assert_int_equal(s[2].mono_ns - s[1].mono_ns, cases[i].ns);
		assert_int_equal(s[2].tp[TP_MEM_CONNECT].on_ns - s[1].tp[TP_MEM_CONNECT].on_ns,
				 cases[i].attached);
		assert_int_equal(s[1].mono_ns - s[0].mono_ns, i ? 500000000 : 500021000);
		source->ops->close(source);
		for (int k = 0; k < 3; k++)
			snapshot_free(&s[k]);
	}
}

/* Wherever a file is truncated, the snapshots before are there, and nothing crashes. */
TEST(test_cut)
{
	char *text = record_seconds(2, true), *header_end = after_line(text, 1);
	char *second = strstr(text, "\"seq\":2,");
	size_t len;

	while (second[-1] != '\n')
		second--;
	for (len = strlen(text); len > (size_t)(header_end - text); len -= 7) {
		char *cut = strndup(text, len), *again = replay(cut, true);

		assert_non_null(again);
		/* the rows before the second snapshot are unchanged */
		if (text + len > second)
			assert_memory_equal(again, text, (size_t)(second - text));
		free(again);
		free(cut);
		if (len < 7)
			break;
	}
	free(text);
}

TEST(test_no_recording)
{
	static const char *const bad[] = {
		"",
		"\n\n",
		"hello\n",
		"{}\n",
		"{\"type\":\"sample\",\"seq\":1}\n",
		"{\"type\":\"header\",\"schema\":2,\"version\":\"9.9\"}\n",
		"{\"type\":\"header\"}\n",
		"{\"type\":\"header\",\"schema\":\"1\"}\n",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_null(replay(bad[i], false));
}

TEST(test_missing_file)
{
	struct recording_config config = replay_of("/nonexistent/file");
	struct source *source = NULL;
	struct error error = { 0 };

	assert_int_not_equal(open_recording(&source, &config, &error), 0);
	assert_int_equal(error.exit_code, EXIT_FILE);
	assert_non_null(strstr(error.text, "/nonexistent/file: No such file"));
	config.path = "/";
	assert_int_not_equal(open_recording(&source, &config, &error), 0);
	assert_non_null(strstr(error.text, "directory"));
}

/* A file that was appended to has two runs; the second counts from its own start. */
TEST(test_two_runs)
{
	char *one = record_seconds(2, false);
	char *two = join(one, strlen(one), one, "");
	char *again = replay(two, false), *second;

	assert_non_null(again);
	assert_memory_equal(again, one, (size_t)(strstr(one, "{\"type\":\"sample\"") - one));
	/* 240 events in two seconds, in both runs: not added up, and never negative */
	second = strstr(again, "\"seq\":0,");
	assert_non_null(second);
	assert_non_null(strstr(second, "\"tracepoint\":\"xdp_redirect_err\",\"state\":\"on\","
				       "\"reason\":null,\"events\":120,\"events_total\":247,"));
	free(again);
	free(two);
	free(one);
}

/* A series whose counts start again is another series: its events are not lost. */
TEST(test_recycled)
{
	char *text = record_seconds(1, false), *again, *end = strstr(text, "{\"type\":\"end\"");
	char *all = join(text, (size_t)(end - text),
			 "{\"type\":\"sample\",\"seq\":2,\"time\":\"2026-11-21T09:15:02.123456Z\","
			 "\"interval_s\":1,\"tracepoint\":\"xdp_exception\",\"netns\":4026531840,"
			 "\"netns_name\":\"init\",\"ifindex\":3,\"ifname\":\"eth0\",\"prog_id\":42,"
			 "\"prog_name\":\"xdp_fwd\",\"act\":\"UNKNOWN(77)\",\"events\":2,"
			 "\"events_total\":2}\n",
			 end);

	again = replay(all, false);
	assert_non_null(again);
	assert_non_null(strstr(again, "\"cpu\":null,\"events\":2,\"packets\":2,\"drops\":2,"));
	free(again);
	free(all);
	free(text);
}

/* A name from a later snapshot is not used for an earlier one, nor in a second replay. */
TEST(test_named_later)
{
	static const char row[] =
		"{\"type\":\"%s\",\"seq\":%d,\"time\":\"2026-11-21T09:15:0%d.123456Z\","
		"\"interval_s\":1,\"tracepoint\":\"%s\",\"state\":\"on\",\"netns\":4026532222,"
		"\"netns_name\":%s,\"ifindex\":3,\"events\":2,\"events_total\":%d}\n";
	char *text = record_seconds(1, false), *end = strstr(text, "{\"type\":\"end\"");
	char rows[2048], *all, *again;
	int len;

	len = snprintf(rows, sizeof(rows), row, "sample", 1, 1, "xdp_exception", "null", 2);
	len += snprintf(rows + len, sizeof(rows) - (size_t)len, row, "sample", 2, 2,
			"xdp_exception", "\"blue\"", 4);
	snprintf(rows + len, sizeof(rows) - (size_t)len, row, "tracepoint", 2, 2, "xdp_new", "null",
		 2);
	all = join(text, (size_t)(end - text), rows, end);
	again = replay(all, false);
	assert_non_null(again);
	assert_non_null(strstr(again, "\"netns_name\":\"blue\""));
	assert_non_null(strstr(again, "xdp_new"));
	free(again);
	free(all);
	free(text);
}

/* Tracepoints unknown to this version: there is room for four of them. */
TEST(test_unknown_tracepoints)
{
	char *text = record_seconds(1, false), *end = strstr(text, "{\"type\":\"end\"");
	char *again, rows[2048] = "";

	for (int i = 0; i < 6; i++)
		snprintf(rows + strlen(rows), sizeof(rows) - strlen(rows),
			 "{\"type\":\"tracepoint\",\"seq\":1,"
			 "\"time\":\"2026-11-21T09:15:01.123456Z\",\"tracepoint\":\"xdp_new%d\","
			 "\"state\":\"on\",\"events\":3,\"events_total\":3,\"events_per_s\":3}\n",
			 i);
	again = join(text, (size_t)(end - text), rows, end);
	free(text);
	text = again;
	again = replay(text, false);
	assert_non_null(again);
	assert_non_null(strstr(again,
			       "\"tracepoint\":\"xdp_new3\",\"state\":\"on\",\"reason\":null,"
			       "\"events\":3,\"events_total\":3,\"events_per_s\":3,"));
	assert_null(strstr(again, "xdp_new4"));
	free(again);
	free(text);
}

/* Names in a file are as untrusted as names of interfaces. */
TEST(test_names_made_printable)
{
	char *text = record_seconds(1, false), *again;
	char *name = strstr(text, "Underl");

	assert_non_null(name);
	memcpy(name, "\\u001b", 6);
	again = replay(text, false);
	assert_non_null(again);
	assert_non_null(strstr(again, "\"text\":\"\\\\x1bying driver"));
	free(again);
	free(text);
}

/* Empty lines before the header, which compressed can be gigabytes, are read by sample(). */
TEST(test_rewind)
{
	static char text[1 << 20];
	char *lines = record_seconds(2, false), path[64];
	struct error error = { 0 };
	struct source *source = NULL;
	struct snapshot to = { 0 };
	struct recording_config config;

	memset(text, '\n', sizeof(text));
	memcpy(text + sizeof(text) - strlen(lines), lines, strlen(lines));
	put_file(path, text, sizeof(text));
	config = replay_of(path);
	assert_int_equal(open_recording(&source, &config, &error), 0);
	unlink(path);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(sample_next(source, &to), 0);
		assert_int_equal(source->ops->seek(source, &(struct timespec){ 0 }), 0);
		assert_int_equal(((struct recording *)source)->reader.lines.bytes, 0);
		assert_int_equal(source->number, 0);
		snapshot_clear(&to);
	}
	assert_int_equal(sample_next(source, &to), 0);
	assert_int_equal(to.seq, 0);
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	assert_int_equal(to.seq, 1);
	source->ops->close(source);
	snapshot_free(&to);
	free(lines);
}
