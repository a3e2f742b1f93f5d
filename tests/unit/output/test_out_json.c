// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON Lines byte by byte: rows, their order, null, numbers and escapes. */
#include "source/data_source.h"
#include "unit/fake.h"
#include "unit/test.h"

/* The line that begins with this, without its newline; static. */
static const char *line(const char *text, const char *begin, int skip)
{
	static char found[4096];

	while (text && *text) {
		size_t len = strcspn(text, "\n");

		if (!strncmp(text, begin, strlen(begin)) && !skip--) {
			snprintf(found, sizeof(found), "%.*s", (int)len, text);
			return found;
		}
		text += len + (text[len] == '\n');
	}
	return NULL;
}

static int count(const char *text, const char *part)
{
	int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

TEST(test_header)
{
	struct fake_out o;

	fake_out_open(&o, "json");
	assert_int_equal(o.format->begin(&o.out), 0);
	fflush(o.out.file);
	assert_string_equal(o.text,
			    "{\"type\":\"header\",\"schema\":1,\"version\":\"0.1.0\","
			    "\"hostname\":\"host\",\"kernel\":\"6.18.44\","
			    "\"time\":\"2026-11-21T09:15:00.123456Z\",\"cpus_possible\":4,"
			    "\"cpus_online\":3,\"backend\":\"btf\",\"delay_s\":1,"
			    "\"devices\":null,\"namespaces_left_out\":0,\"devices_left_out\":0,"
			    "\"page_size\":4096}\n");
	fake_out_close(&o);
}

TEST(test_header_with_verdicts)
{
	struct snapshot_host host = {
		.process[PROCESS_VERDICTS] = { .pid = 812, .caps = 1ull << 39 },
	};
	struct fake_out o;

	fake_out_open(&o, "json");
	o.out.host = &host;
	assert_int_equal(o.format->begin(&o.out), 0);
	fflush(o.out.file);
	assert_non_null(strstr(o.text, ",\"verdicts_pid\":812,\"verdicts_caps\":\"CAP_BPF\"}\n"));
	fake_out_close(&o);
}

TEST(test_tracepoints)
{
	struct fake_out o;
	const char *text;

	fake_out_open(&o, "json");
	o.format->begin(&o.out);
	text = fake_out_write(&o, 1, 2, false);
	assert_int_equal(count(text, "{\"type\":\"tracepoint\""), TP_VERDICTS);
	assert_string_equal(
		line(text, "{\"type\":\"tracepoint\"", 1),
		"{\"type\":\"tracepoint\",\"seq\":2,\"time\":\"2026-11-21T09:15:02.123456Z\","
		"\"tracepoint\":\"xdp_redirect_err\",\"state\":\"on\",\"reason\":null,"
		"\"events\":120,\"events_total\":247,\"events_per_s\":120,\"missed_total\":2,"
		"\"overflow_total\":7,\"ns_per_event\":36.4,\"cpu_percent\":0.25,"
		"\"events_lost_total\":0}");
	assert_string_equal(
		line(text, "{\"type\":\"tracepoint\"", 2),
		"{\"type\":\"tracepoint\",\"seq\":2,\"time\":\"2026-11-21T09:15:02.123456Z\","
		"\"tracepoint\":\"xdp_redirect\",\"state\":\"off\",\"reason\":null,\"events\":0,"
		"\"events_total\":0,\"events_per_s\":0,\"missed_total\":0,\"overflow_total\":0,"
		"\"ns_per_event\":null,\"cpu_percent\":null,\"events_lost_total\":0}");
	assert_string_equal(
		line(text, "{\"type\":\"tracepoint\"", 11),
		"{\"type\":\"tracepoint\",\"seq\":2,\"time\":\"2026-11-21T09:15:02.123456Z\","
		"\"tracepoint\":\"mem_disconnect\",\"state\":\"missing\","
		"\"reason\":\"not in this kernel\",\"events\":null,\"events_total\":null,"
		"\"events_per_s\":null,\"missed_total\":null,\"overflow_total\":null,"
		"\"ns_per_event\":null,\"cpu_percent\":null,\"events_lost_total\":null}");
	fake_out_close(&o);
}

TEST(test_samples)
{
	struct fake_out o;
	const char *text;

	fake_out_open(&o, "json");
	o.format->begin(&o.out);
	text = fake_out_write(&o, 0, 2, false);
	assert_string_equal(
		line(text, "{\"type\":\"sample\"", 0),
		"{\"type\":\"sample\",\"seq\":2,\"time\":\"2026-11-21T09:15:02.123456Z\","
		"\"interval_s\":2,\"tracepoint\":\"xdp_redirect_err\",\"netns\":4026531840,"
		"\"netns_name\":\"init\",\"ifindex\":3,\"ifname\":\"eth0\",\"to_netns\":null,"
		"\"to_ifindex\":999999,\"to_ifname\":null,\"to_cpu\":null,\"prog_id\":42,"
		"\"prog_name\":\"xdp_fwd\",\"map_type\":null,\"map_id\":null,\"map_index\":null,"
		"\"act\":\"REDIRECT\",\"err\":-95,\"errname\":\"EOPNOTSUPP\",\"cpu\":null,"
		"\"events\":240,\"packets\":240,\"drops\":240,\"bytes\":null,\"sched\":null,"
		"\"xdp_pass\":null,\"xdp_drop\":null,\"xdp_redirect\":null,\"events_total\":240,"
		"\"packets_total\":240,\"drops_total\":240,\"bytes_total\":null,"
		"\"events_per_s\":120,\"packets_per_s\":120,\"drops_per_s\":120,"
		"\"bytes_per_s\":null,\"map_name\":null,\"to_prog_id\":null,"
		"\"to_prog_name\":null}");
	assert_string_equal(
		line(text, "{\"type\":\"sample\"", 4),
		"{\"type\":\"sample\",\"seq\":2,\"time\":\"2026-11-21T09:15:02.123456Z\","
		"\"interval_s\":2,\"tracepoint\":\"xdp_cpumap_kthread\",\"netns\":null,"
		"\"netns_name\":null,\"ifindex\":null,\"ifname\":null,\"to_netns\":null,"
		"\"to_ifindex\":null,\"to_ifname\":null,\"to_cpu\":0,\"prog_id\":null,"
		"\"prog_name\":null,\"map_type\":\"cpumap\",\"map_id\":9,\"map_index\":null,"
		"\"act\":\"REDIRECT\",\"err\":null,\"errname\":null,\"cpu\":null,\"events\":4,"
		"\"packets\":32,\"drops\":0,\"bytes\":null,\"sched\":2,\"xdp_pass\":30,"
		"\"xdp_drop\":0,\"xdp_redirect\":2,\"events_total\":4,\"packets_total\":32,"
		"\"drops_total\":0,\"bytes_total\":null,\"events_per_s\":2,\"packets_per_s\":16,"
		"\"drops_per_s\":0,\"bytes_per_s\":null,\"map_name\":\"cpus\",\"to_prog_id\":null,"
		"\"to_prog_name\":null}");
	fake_out_close(&o);
}

/* Only changed rows; all at the start and end, and always with -a. */
TEST(test_which)
{
	struct fake_out o;
	size_t before;

	fake_out_open(&o, "json");
	o.format->begin(&o.out);
	assert_int_equal(count(fake_out_write(&o, 0, 1, false), "{\"type\":\"sample\""), 6);
	before = strlen(o.text);
	assert_int_equal(count(fake_out_write(&o, 1, 2, false) + before, "{\"type\":\"sample\""),
			 4);
	before = strlen(o.text);
	assert_int_equal(count(fake_out_write(&o, 2, 3, true) + before, "{\"type\":\"sample\""), 6);
	/* the overflow row has no identity */
	assert_non_null(strstr(o.text + before,
			       "\"tracepoint\":\"xdp_redirect_err\",\"netns\":null,"
			       "\"netns_name\":null,\"ifindex\":null,"));
	/* a quote and a backslash in a name are escaped again, the rest is unchanged */
	assert_non_null(strstr(o.text + before, "\"ifname\":\"=a\\\",\\\\\\\\\\\\x1b[2J\""));
	o.config.all = true;
	before = strlen(o.text);
	assert_int_equal(count(fake_out_write(&o, 3, 4, false) + before, "{\"type\":\"sample\""),
			 6);
	fake_out_close(&o);
}

TEST(test_cpus)
{
	struct fake_out o;
	const char *text, *all, *cpu0, *cpu2;

	fake_out_open(&o, "json");
	o.config.per_cpu = true;
	o.format->begin(&o.out);
	text = fake_out_write(&o, 1, 2, false);
	assert_int_equal(count(text, "\"cpu\":0,"), 1);
	assert_int_equal(count(text, "\"cpu\":1,"), 0);
	assert_int_equal(count(text, "\"cpu\":2,"), 1);
	all = strstr(text, "\"cpu\":null,\"events\":10,\"packets\":100,\"drops\":3,");
	cpu0 = strstr(text, "\"cpu\":0,\"events\":9,\"packets\":91,\"drops\":2,");
	cpu2 = strstr(text, "\"cpu\":2,\"events\":1,\"packets\":9,\"drops\":1,");
	assert_true(all && cpu0 && cpu2 && all < cpu0 && cpu0 < cpu2);
	assert_non_null(strstr(cpu2, "\"events_total\":2,\"packets_total\":18,\"drops_total\":2,"));
	fake_out_close(&o);
}

TEST(test_event_and_end)
{
	struct fake_out o;
	struct snapshot last = { 0 };
	const char *text;

	fake_out_open(&o, "json");
	o.format->begin(&o.out);
	text = fake_out_write(&o, 0, 1, true);
	assert_string_equal(
		line(text, "{\"type\":\"event\"", 0),
		"{\"type\":\"event\",\"time\":\"2026-11-21T09:15:01.123456Z\","
		"\"tracepoint\":\"bpf_xdp_link_attach_failed\",\"cpu\":1,\"netns\":4026531840,"
		"\"ifindex\":null,\"ifname\":null,\"prog_id\":null,\"prog_name\":null,"
		"\"pid\":812,\"comm\":\"myxdp\","
		"\"text\":\"Underlying driver does not support XDP in native "
		"mode\",\"left_out\":0,\"to_netns\":null,\"to_ifindex\":null,\"to_ifname\":null,"
		"\"to_cpu\":null,\"map_type\":null,\"map_id\":null,\"map_index\":null,"
		"\"act\":null,\"err\":null,\"errname\":null}");
	fake_snapshot(&last, 1);
	o.format->end(&o.out, &last, "count");
	fflush(o.out.file);
	assert_string_equal(line(o.text, "{\"type\":\"end\"", 0),
			    "{\"type\":\"end\",\"seq\":1,\"time\":\"2026-11-21T09:15:01.123456Z\","
			    "\"reason\":\"count\",\"missed_total\":2,\"overflow_total\":7,"
			    "\"events_lost_total\":4064}");
	/* one object per line, nothing between them */
	assert_int_equal(count(o.text, "\n"), count(o.text, "{\"type\":"));
	assert_int_equal(count(o.text, "\n{"), count(o.text, "\n") - 1);
	snapshot_free(&last);
	fake_out_close(&o);
}

TEST(test_list)
{
	struct tp_count tp[TP_COUNT] = { 0 };
	struct fake_out o;

	strcpy(tp[TP_XDP_EXCEPTION].name, "xdp_exception");
	tp[TP_XDP_EXCEPTION].state = TP_FAILED;
	strcpy(tp[TP_XDP_EXCEPTION].reason, "not permitted");
	fake_out_open(&o, "json");
	assert_int_equal(o.format->list(&o.out, tp), 0);
	fflush(o.out.file);
	assert_int_equal(count(o.text, "\n"), 1);
	assert_non_null(strstr(o.text, "{\"type\":\"tracepoint\",\"tracepoint\":\"xdp_exception\","
				       "\"state\":\"failed\",\"reason\":\"not permitted\","
				       "\"key\":\"1\",\"default\":\"on\","));
	fake_out_close(&o);
}

/* A full disk is an error, not a short file. */
TEST(test_write_error)
{
	struct fake_out o;
	FILE *memory;

	fake_out_open(&o, "json");
	memory = o.out.file;
	o.out.file = fopen("/dev/full", "w");
	setvbuf(o.out.file, NULL, _IONBF, 0);
	assert_int_not_equal(o.format->begin(&o.out), 0);
	fclose(o.out.file);
	o.out.file = memory;
	fake_out_close(&o);
}

/* For sources with says_gone: a row that disappeared is reported once. */
TEST(test_gone)
{
	struct fake_rates f;
	struct fake_out o;
	int gone = 0;

	fake_rates(&f, 1, 2);
	fake_out_open(&o, "json");
	o.format->begin(&o.out);
	for (int i = 0; i < DATA_SOURCE_COUNT; i++) {
		uint32_t *row = data_sources[i]->says_gone
					? snapshot_add_row(&f.from, (enum data_source_id)i,
							   data_sources[i]->row_size)
					: NULL;

		if (row)
			*row = 7;
	}
	assert_int_equal(o.format->snapshot(&o.out, &f.rates, false), 0);
	fflush(o.out.file);
	for (int i = 0; i < DATA_SOURCE_COUNT; i++) {
		char begin[64];

		if (!data_sources[i]->says_gone)
			continue;
		snprintf(begin, sizeof(begin), "{\"type\":\"%s\",", data_sources[i]->record->type);
		assert_int_equal(count(o.text, begin), 1);
		assert_non_null(strstr(line(o.text, begin, 0), ",\"state\":\"gone\","));
		gone++;
	}
	assert_true(gone);
	fake_rates_free(&f);
	fake_out_close(&o);
}
