// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text, CSV and Prometheus: widths and order, cells that spreadsheets would execute, sets of
 * labels.
 */
#include <stdlib.h>
#include "base/format.h"
#include "source/sockets.h"
#include "unit/fake.h"
#include "unit/test.h"

static int lines(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* The whole line that begins with this. */
static const char *find_line(const char *text, const char *begin)
{
	size_t len = strlen(begin);

	for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL) {
		if (!strncmp(text, begin, len))
			return text;
	}
	return NULL;
}

static void assert_widths(const char *text, int width)
{
	while (*text) {
		char line[2048];
		size_t len = strcspn(text, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		if (format_width(line) > width)
			print_error("wider than %d: %s\n", width, line);
		assert_true(format_width(line) <= width);
		assert_true(!len || line[len - 1] != ' ');
		text += len + (text[len] == '\n');
	}
}

TEST(test_text)
{
	static const char *const widths[] = { "40", "60", "80", "100", "132", "200", "500" };

	for (int view = 0; view < VIEW_COUNT; view++) {
		for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
			for (int per_cpu = 0; per_cpu <= 1; per_cpu++) {
				struct fake_out o;

				setenv("COLUMNS", widths[i], 1);
				fake_out_open(&o, "text");
				o.config.view = (enum view_id)view;
				o.config.per_cpu = per_cpu;
				/* its text is not part of the table and not truncated */
				assert_widths(fake_out_write(&o, 1, 2, false), atoi(widths[i]));
				fake_out_close(&o);
			}
		}
	}
	unsetenv("COLUMNS");
}

TEST(test_text_snapshots)
{
	struct fake_out o;
	const char *text, *second;

	setenv("COLUMNS", "80", 1);
	setenv("TZ", "UTC", 1);
	fake_out_open(&o, "text");
	o.config.view = VIEW_TRACEPOINTS;
	text = fake_out_write(&o, 1, 2, false);
	assert_memory_equal(
		text, "xdptop - 2026-11-21 09:15:02  host  6.18.44  snapshot 2  interval 1.000 s\n",
		70);
	assert_non_null(strstr(text, "  off: xdp_redirect  missed: 2  overflow: 7  "
				     "events lost: 4064\n\nKEY"));
	assert_non_null(find_line(text, "2   xdp_redirect_err"));
	text = fake_out_write(&o, 2, 3, false);
	/* a blank line between them, and the same columns in both */
	second = strstr(text, "\n\nxdptop - 2026-11-21 09:15:03");
	assert_non_null(second);
	assert_int_equal(lines(text), 2 * lines(second + 2) + 1);
	fake_out_close(&o);
	unsetenv("COLUMNS");
}

TEST(test_text_sort)
{
	struct fake_out o;
	const char *text;

	setenv("COLUMNS", "80", 1);
	fake_out_open(&o, "text");
	o.config.view = VIEW_TRACEPOINTS;
	o.config.sort = COL_EVENTS_RATE;
	text = fake_out_write(&o, 1, 2, false);
	assert_true(find_line(text, "2 ") < find_line(text, "6 "));
	assert_true(find_line(text, "6 ") < find_line(text, "1 "));
	fake_out_close(&o);
	fake_out_open(&o, "text");
	o.config.view = VIEW_TRACEPOINTS;
	o.config.sort = COL_EVENTS_RATE;
	o.config.sort_descending = 0;
	text = fake_out_write(&o, 1, 2, false);
	assert_true(find_line(text, "2 ") > find_line(text, "6 "));
	fake_out_close(&o);
	fake_out_open(&o, "text");
	o.config.view = VIEW_TRACEPOINTS;
	strcpy(o.config.filter, "tracepoint=xdp_exception");
	text = fake_out_write(&o, 1, 2, false);
	assert_non_null(strstr(text, "filter: tracepoint=xdp_exception"));
	assert_non_null(find_line(text, "1   xdp_exception"));
	assert_null(find_line(text, "2 "));
	fake_out_close(&o);
	fake_out_open(&o, "text");
	o.config.view = VIEW_TRACEPOINTS;
	strcpy(o.config.filter, "nowhere");
	assert_non_null(
		strstr(fake_out_write(&o, 1, 2, false), "rows are hidden by the filter.\n"));
	fake_out_close(&o);
	/* a tracepoint is of no device */
	fake_out_open(&o, "text");
	o.config.view = VIEW_TRACEPOINTS;
	strcpy(o.config.filter, "tracepoint=xdp_exception ifname=nowhere");
	text = fake_out_write(&o, 1, 2, false);
	assert_non_null(find_line(text, "1   xdp_exception"));
	assert_null(find_line(text, "2 "));
	assert_non_null(
		find_line(text, "The filter on ifname does not apply: a tracepoint counts"));
	fake_out_close(&o);
	fake_out_open(&o, "text");
	o.config.view = VIEW_FLOWS;
	strcpy(o.config.filter, "netns=us-");
	assert_non_null(find_line(fake_out_write(&o, 1, 2, false),
				  "netns=us- matches only that text. Use netns=us-* for all that "
				  "begin with it."));
	fake_out_close(&o);
	unsetenv("COLUMNS");
}

TEST(test_text_events)
{
	struct fake_out o;

	setenv("TZ", "UTC", 1);
	fake_out_open(&o, "text");
	o.config.view = VIEW_ERRORS;
	assert_non_null(find_line(fake_out_write(&o, 0, 1, false),
				  "09:15:01 bpf_xdp_link_attach_failed myxdp[812]: Underlying "
				  "driver does not support XDP in native mode\n"));
	fake_out_close(&o);
	fake_out_open(&o, "text");
	o.config.view = VIEW_STACK;
	assert_null(strstr(fake_out_write(&o, 0, 1, false), "Underlying"));
	fake_out_close(&o);
}

TEST(test_csv)
{
	const struct record_object *sample = &record_objects[RECORD_SAMPLE];
	struct fake_out o;
	char titles[1024] = "";
	const char *text, *row;
	size_t len;

	for (size_t i = 0; i < sample->n_fields; i++)
		sprintf(titles + strlen(titles), "%s%s", i ? "," : "", sample->fields[i].name);
	strcat(titles, "\r\n");
	fake_out_open(&o, "csv");
	assert_int_equal(o.format->begin(&o.out), 0);
	text = fake_out_write(&o, 1, 2, true);
	assert_memory_equal(text, titles, strlen(titles));
	assert_non_null(strstr(
		text, "\r\nsample,2,2026-11-21T09:15:02.123456Z,1,xdp_redirect_err,"
		      "4026531840,init,3,eth0,,999999,,,42,xdp_fwd,,,,REDIRECT,-95,"
		      "EOPNOTSUPP,,120,120,120,,,,,,240,240,240,,120,120,120,,,,,,,,,,\r\n"));
	/* a name that is a formula, with a quote and a comma: ="a",\\\x1b[2J */
	row = strstr(text, ",8,\"'=a\"\",\\\\\\x1b[2J\",");
	assert_non_null(row);
	len = strlen(text);
	assert_string_equal(text + len - 2, "\r\n");
	assert_int_equal(lines(text), 1 + 6);
	text = fake_out_write(&o, 2, 3, true);
	assert_null(strstr(text + len, "tracepoint"));
	fake_out_close(&o);
}

/* Each row has as many cells as the header. */
TEST(test_csv_cells)
{
	struct fake_out o;
	size_t cells = 1;
	bool quoted = false;

	fake_out_open(&o, "csv");
	o.config.per_cpu = true;
	o.format->begin(&o.out);
	for (const char *p = fake_out_write(&o, 1, 2, true); *p; p++) {
		if (*p == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		cells += *p == ',';
		if (*p == '\n') {
			assert_int_equal(cells, record_objects[RECORD_SAMPLE].n_fields);
			cells = 1;
		}
	}
	assert_false(quoted);
	fake_out_close(&o);
}

/* The value after the last occurrence of this metric and labels; -1 = none. */
static long long metric(const char *text, const char *name)
{
	const char *line = find_line(text, name);

	if (!line || line[strlen(name)] != ' ')
		return -1;
	return atoll(line + strlen(name));
}

TEST(test_prometheus)
{
	struct fake_out o;
	const char *text;

	fake_out_open(&o, "prometheus");
	assert_true(o.format->whole_file);
	text = fake_out_write(&o, 1, 2, false);
	assert_int_equal(metric(text, "xdptop_build_info{version=\"0.1.0\"}"), 1);
	assert_int_equal(metric(text, "xdptop_tracepoint_on{tracepoint=\"xdp_exception\"}"), 1);
	assert_int_equal(metric(text, "xdptop_tracepoint_on{tracepoint=\"xdp_redirect\"}"), 0);
	assert_int_equal(metric(text, "xdptop_events_total{tracepoint=\"xdp_redirect\"}"), 0);
	assert_int_equal(metric(text, "xdptop_events_total{tracepoint=\"xdp_redirect_err\"}"), 247);
	/* not in this kernel: unknown, not zero */
	assert_int_equal(metric(text, "xdptop_events_total{tracepoint=\"mem_disconnect\"}"), -1);
	assert_int_equal(metric(text, "xdptop_missed_total{tracepoint=\"xdp_redirect_err\"}"), 2);
	/* it includes counts before the first interval */
	assert_int_equal(metric(text, "xdptop_redirect_errors_total{device=\"eth0\","
				      "to_ifindex=\"999999\",netns=\"init\",prog=\"xdp_fwd\","
				      "errno=\"EOPNOTSUPP\"}"),
			 240);
	/* without identity */
	assert_int_equal(metric(text, "xdptop_redirect_errors_total"), 7);
	assert_int_equal(metric(text, "xdptop_exceptions_total{device=\"eth0\",netns=\"init\","
				      "prog=\"xdp_fwd\",act=\"UNKNOWN(77)\"}"),
			 10);
	assert_int_equal(metric(text, "xdptop_devmap_xmit_packets_total{device=\"eth0\","
				      "to_device=\"eth1\",netns=\"init\"}"),
			 200);
	assert_int_equal(metric(text, "xdptop_cpumap_kthread_xdp_pass_total{to_cpu=\"0\","
				      "map_id=\"9\"}"),
			 30);
	/* escaped: backslashes of the printable name are doubled again */
	assert_int_equal(metric(text, "xdptop_net_dev_queue_bytes_total{device=\"=a\\\",\\\\\\\\"
				      "\\\\x1b[2J\",netns=\"init\"}"),
			 4500);
	fake_out_close(&o);
}

/* The author of a recording can choose them. */
TEST(test_prometheus_escapes)
{
	struct snapshot s = { .mono_ns = 1000000000 };
	struct rates rates = { 0 };
	struct fake_out o;

	fake_out_open(&o, "prometheus");
	strcpy(o.host.version, "1\"} 2\n\\");
	strcpy(s.tp[TP_OTHER].name, "x\"y");
	s.tp[TP_OTHER].state = TP_ON;
	rates_set(&rates, NULL, &s, NULL);
	assert_int_equal(o.format->snapshot(&o.out, &rates, false), 0);
	assert_int_equal(o.format->print(&o.out, rates.to), 0);
	fflush(o.out.file);
	assert_int_equal(metric(o.text, "xdptop_build_info{version=\"1\\\"} 2\\n\\\\\"}"), 1);
	assert_int_equal(metric(o.text, "xdptop_tracepoint_on{tracepoint=\"x\\\"y\"}"), 1);
	fake_out_close(&o);
	rates_free(&rates);
}

/* Every name once, with HELP and TYPE before its values; no duplicate set of labels. */
TEST(test_prometheus_form)
{
	struct fake_out o;
	char seen[256][256], name[128] = "", *text, *line, *save = NULL;
	size_t n = 0;

	fake_out_open(&o, "prometheus");
	o.config.per_cpu = true;
	text = strdup(fake_out_write(&o, 1, 2, false));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *end = strrchr(line, ' ');

		if (!strncmp(line, "# TYPE ", 7)) {
			snprintf(name, sizeof(name), "%.*s", (int)strcspn(line + 7, " "), line + 7);
			continue;
		}
		if (line[0] == '#') {
			assert_memory_equal(line, "# HELP ", 7);
			continue;
		}
		assert_memory_equal(line, name, strlen(name));
		assert_true(line[strlen(name)] == '{' || line[strlen(name)] == ' ');
		assert_int_equal(strspn(end + 1, "0123456789"), strlen(end + 1));
		*end = '\0';
		assert_true(n < 256);
		for (size_t i = 0; i < n; i++)
			assert_string_not_equal(seen[i], line);
		snprintf(seen[n++], sizeof(seen[0]), "%s", line);
	}
	/* with -C the CPUs, without their sum */
	assert_int_equal(metric(o.text, "xdptop_devmap_xmit_packets_total{device=\"eth0\","
					"to_device=\"eth1\",netns=\"init\",cpu=\"2\"}"),
			 18);
	assert_int_equal(metric(o.text, "xdptop_devmap_xmit_packets_total{device=\"eth0\","
					"to_device=\"eth1\",netns=\"init\"}"),
			 -1);
	free(text);
	fake_out_close(&o);
}

/*
 * Two devices with the same name in a namespace, one after the other: one set of labels, which
 * continues to grow after the first series has gone, and goes with the second.
 */
TEST(test_prometheus_grows)
{
	static const char set[] = "xdptop_net_dev_queue_skbs_total{device=\"eth0\",netns=\"init\"}";
	struct snapshot s[4] = { 0 };
	struct rates rates = { 0 };
	struct fake_out o;
	size_t at = 0;

	for (uint64_t i = 0; i < 4; i++) {
		s[i].mono_ns = 1000000000ull * (i + 1);
		if (i == 3)
			continue;
		fake_series(&s[i], TP_NET_DEV_QUEUE,
			    (struct series_counters){ .events = i < 2 ? 100 * (i + 1) : 5 });
		s[i].series[0].id = i < 2 ? 1 : 2;
		s[i].series[0].key.ifindex = i < 2 ? 3 : 4;
	}
	fake_out_open(&o, "prometheus");
	for (int i = 1; i < 4; i++) {
		static const long long expected[] = { 0, 200, 205, -1 };

		rates_set(&rates, &s[i - 1], &s[i], NULL);
		assert_int_equal(o.format->snapshot(&o.out, &rates, false), 0);
		assert_int_equal(o.format->print(&o.out, rates.to), 0);
		o.out.first = false;
		fflush(o.out.file);
		assert_int_equal(metric(o.text + at, set), expected[i]);
		at = strlen(o.text);
	}
	fake_out_close(&o);
	rates_free(&rates);
	for (int i = 0; i < 4; i++)
		snapshot_free(&s[i]);
}

static struct xdp_socket *made_socket(struct snapshot *s, uint32_t inode, uint32_t ifindex,
				      uint32_t queue, uint64_t received)
{
	struct xdp_socket *socket = snapshot_add_row(s, DATA_SOURCE_SOCKETS, sizeof(*socket));

	assert_non_null(socket);
	*socket = (struct xdp_socket){ .inode = inode,
				       .netns = 4026531840u,
				       .ifindex = ifindex,
				       .queue = queue,
				       .state = ifindex ? XDP_SOCKET_BOUND : XDP_SOCKET_UNBOUND,
				       .received = received };
	snprintf(socket->ifname, sizeof(socket->ifname), "%s", ifindex ? "eth0" : "");
	return socket;
}

/* Sockets of a queue share one set, which continues when one is closed and another opened. */
TEST(test_prometheus_sockets)
{
	static const char queue_0[] = "xdptop_socket_received_total{device=\"eth0\","
				      "netns=\"init\",queue=\"0\"}";
	static const char queue_1[] = "xdptop_socket_received_total{device=\"eth0\","
				      "netns=\"init\",queue=\"1\"}";
	/* its sockets share the counter of their fill ring */
	static const char empty_0[] = "xdptop_socket_rx_fill_ring_empty_total{device=\"eth0\","
				      "netns=\"init\",queue=\"0\"}";
	static const long long expected[][3] = { { 110, 5, 40 }, { 135, -1, 70 }, { -1, -1, -1 } };
	struct snapshot s[4] = { 0 };
	struct rates rates = { 0 };
	struct fake_out o;
	size_t at = 0;

	for (int i = 0; i < 4; i++)
		s[i].mono_ns = 1000000000ull * (uint64_t)(i + 1);
	made_socket(&s[0], 7, 3, 0, 90)->rx_fill_ring_empty = 30;
	made_socket(&s[1], 7, 3, 0, 100)->rx_fill_ring_empty = 40;
	made_socket(&s[1], 8, 3, 0, 10)->rx_fill_ring_empty = 40;
	made_socket(&s[1], 9, 3, 1, 5);
	made_socket(&s[2], 8, 3, 0, 15)->rx_fill_ring_empty = 70;
	made_socket(&s[2], 10, 3, 0, 20)->rx_fill_ring_empty = 70;
	made_socket(&s[2], 11, 0, 0, 1);
	fake_out_open(&o, "prometheus");
	for (int i = 1; i < 4; i++) {
		rates_set(&rates, &s[i - 1], &s[i], NULL);
		assert_int_equal(o.format->snapshot(&o.out, &rates, false), 0);
		assert_int_equal(o.format->print(&o.out, rates.to), 0);
		o.out.first = false;
		fflush(o.out.file);
		assert_int_equal(metric(o.text + at, queue_0), expected[i - 1][0]);
		assert_int_equal(metric(o.text + at, queue_1), expected[i - 1][1]);
		assert_int_equal(metric(o.text + at, empty_0), expected[i - 1][2]);
		/* an unbound socket has no queue */
		assert_int_equal(metric(o.text + at, "xdptop_socket_received_total"), -1);
		at = strlen(o.text);
	}
	fake_out_close(&o);
	rates_free(&rates);
	for (int i = 0; i < 4; i++)
		snapshot_free(&s[i]);
}

TEST(test_formats)
{
	/* the first format is the default */
	assert_string_equal(output_formats[0]->name, "text");
	for (size_t i = 0; i < n_output_formats; i++)
		assert_true(output_formats[i]->snapshot && output_formats[i]->help[0]);
}
