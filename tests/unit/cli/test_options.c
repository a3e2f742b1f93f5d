// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line: defaults, every option, and messages of one line with name, cause and remedy.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/options.h"
#include "output/output.h"
#include "unit/test.h"

#define WORDS 16

/* Makes argv from words separated by single blanks. */
static int parse(struct options *o, const char *line, struct error *error)
{
	static char copy[512]; /* options point into it */
	char *argv[WORDS] = { (char *)"xdptop" }, *save = NULL, *word;
	int argc = 1;

	snprintf(copy, sizeof(copy), "%s", line);
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	error->text[0] = '\0';
	return options_parse(o, argc, argv, error);
}

static struct options good(const char *line)
{
	struct options o;
	struct error error = { 0 };
	int err = parse(&o, line, &error);

	if (err)
		print_error("%s: %s\n", line, error.text);
	assert_int_equal(err, 0);
	return o;
}

static void bad(const char *line, const char *expected)
{
	struct options o;
	struct error error = { 0 };

	if (!parse(&o, line, &error))
		print_error("accepted: %s\n", line);
	assert_true(error.text[0]);
	if (!strstr(error.text, expected))
		print_error("%s: %s\n", line, error.text);
	assert_non_null(strstr(error.text, expected));
	/* name: cause; remedy, on one line, or which options do not go together */
	assert_null(strchr(error.text, '\n'));
	assert_true(strchr(error.text, ';') || strstr(error.text, " cannot be used with --") ||
		    strstr(error.text, " needs ") || strstr(error.text, " only ") ||
		    strstr(error.text, " cannot compare "));
}

static const struct option_row *find(const char *name)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		if (!strcmp(option_rows[i].name, name))
			return &option_rows[i];
	}
	fail_msg("no option %s", name);
	return NULL;
}

/* Even the default value counts as given. */
TEST(test_given)
{
	struct options o = good("-d 1 --view overview");

	assert_true(option_given(&o, find("delay")));
	assert_true(option_given(&o, find("view")));
	assert_false(option_given(&o, find("tracepoints")));
	o = good("");
	for (size_t i = 0; i < n_option_rows; i++)
		assert_false(option_given(&o, &option_rows[i]));
}

TEST(test_defaults)
{
	struct options o = good("");
	uint32_t set = 0;
	char *wrong = NULL;

	tracepoint_parse_set("default", &set, &wrong);
	assert_false(o.recording.batch);
	assert_null(o.output.format);
	assert_int_equal(o.batch.iterations, 0);
	assert_true(o.batch.seconds == 0);
	assert_false(o.output.follows);
	assert_true(o.batch.delay_s == 1);
	assert_int_equal(o.output.view, VIEW_OVERVIEW);
	assert_int_equal(o.output.sort, -1);
	assert_int_equal(o.output.sort_descending, -1);
	assert_string_equal(o.output.filter, "");
	assert_int_equal(o.trace.tracepoints, set);
	assert_true(set);
	assert_true(o.trace.budget == 5);
	assert_int_equal(o.trace.max_series, 4096);
	assert_int_equal(o.trace.backend, BACKEND_AUTO);
	assert_int_equal(o.run, RUN_MONITOR);
}

TEST(test_listen)
{
	struct options o = good("--listen :9435 -i eth0");

	assert_true(o.recording.batch);
	assert_ptr_equal(o.output.format, &output_prometheus);
	assert_int_equal(o.listen.in.sin_family, AF_INET);
	assert_int_equal(o.listen.in.sin_port, htons(9435));
	assert_int_equal(good("").listen.any.sa_family, 0);
	/* without a server the format stays */
	assert_null(good("--diff a b --listen 1").output.format);
}

TEST(test_record)
{
	struct options o = good("--record dir");

	assert_string_equal(o.record.path, "dir");
	assert_true(o.recording.batch && o.batch.delay_s == 5 && !o.record.keep_s);
	assert_ptr_equal(o.output.format, &output_json);
	o = good("--record dir --keep 500M --keep 7d -d 0.5 -C");
	assert_true(o.record.keep_s == 7 * 86400 && o.record.keep_bytes == 500 << 20);
	assert_true(o.batch.delay_s == 0.5);
	o = good("--keep 1.5h --record dir --keep 1.5G");
	assert_true(o.record.keep_s == 5400 && o.record.keep_bytes == 3 << 29);
	bad("--keep 7d", "--keep needs --record DIR");
	for (const char *const *word =
		     (const char *const[]){ "7", "7D", "-1d", "1e9d", "9T5", "99999999T", "M", "d",
					    "infd", "0x1h", NULL };
	     *word; word++) {
		char line[64];

		snprintf(line, sizeof(line), "--record dir --keep %s", *word);
		bad(line, "is not a time or a size");
	}
	bad("--record dir --keep 59m", "'59m' is ambiguous (m is minutes, M is MiB)");
	bad("--record dir --keep 500m", "is ambiguous");
	bad("--record dir --keep 60s", "'60s' is too short; give at least 1h");
	bad("--record dir --keep 1023K", "'1023K' is too small; give at least 1h or 1M");
	bad("--record dir -o json", "--record cannot be used with --output");
	bad("--record dir --to a", "--record cannot be used with --to");
	bad("--record dir -r a", "--record cannot be used with --read");
	bad("--record dir --listen 1", "--record cannot be used with --listen");
	bad("--record dir --check", "--record cannot be used with --check");
	bad("--record dir --follow xdp_redirect", "--record cannot be used with --follow");
	bad("--record=", "the file name is empty");
}

TEST(test_good)
{
	struct filter *filter = NULL;
	struct options o;
	struct error error = { 0 };

	o = good("-b -n 18446744073709551615 -d 0.1 -v errors -s drops_per_s:asc -C -a -q");
	assert_true(o.recording.batch && o.output.per_cpu && o.output.all && o.batch.quiet);
	assert_true(o.batch.iterations == UINT64_MAX);
	assert_true(o.batch.delay_s == 0.1);
	assert_int_equal(o.output.view, VIEW_ERRORS);
	assert_int_equal(o.output.sort, COL_DROPS_RATE);
	assert_int_equal(o.output.sort_descending, 0);
	o = good("-o json --to file --delay=3600 --sort drops_per_s:desc");
	assert_true(o.recording.batch);
	assert_ptr_equal(o.output.format, &output_json);
	assert_string_equal(o.output.to, "file");
	assert_int_equal(o.output.sort_descending, 1);
	o = good("--to file");
	assert_true(o.recording.batch);
	o = good("-t none,+xdp_redirect");
	assert_int_equal(o.trace.tracepoints, 1u << TP_XDP_REDIRECT);
	assert_false(o.trace.verdicts);
	assert_true(good("--verdicts -b").trace.verdicts);
	assert_int_equal(good("--verdicts --help").run, RUN_HELP);
	o = good("-r - --speed 0.5");
	assert_string_equal(o.recording.path, "-");
	assert_true(o.recording.speed == 0.5);
	o = good("-r file --step --ascii --no-color --verbose");
	assert_true(o.recording.step && o.output.ascii && o.no_color && o.trace.verbose);
	o = good("--budget 0 --max-series 1 --backend classic");
	assert_true(o.trace.budget == 0);
	assert_int_equal(o.trace.max_series, 1);
	assert_int_equal(o.trace.backend, BACKEND_CLASSIC);
	o = good("-f drops_per_s>0");
	assert_string_equal(o.output.filter, "drops_per_s>0");
	o = good("-f drops_per_s>0 -f eth1 --filter= -f cpu=1");
	assert_string_equal(o.output.filter, "drops_per_s>0 eth1 cpu=1");
	o = good("-i eth* -f drops_per_s>0 --interface=eth1");
	assert_string_equal(o.output.filter, "ifname=eth* drops_per_s>0 ifname=eth1");
	assert_int_equal(option_set(&o, find("interface"), "a >b", &error), 0);
	assert_int_equal(filter_parse(o.output.filter, &filter, &error), 0);
	filter_free(filter);
	o = good("--check");
	assert_true(o.recording.batch && o.output.check);
	assert_int_equal(o.output.check_from, FINDING_WARNING);
	assert_ptr_equal(o.output.format, &output_check);
	assert_int_equal(o.batch.iterations, 3);
	o = good("--diff a b@+1..+2 -o json");
	assert_int_equal(o.run, RUN_DIFF);
	assert_string_equal(o.diff[0], "a");
	assert_string_equal(o.diff[1], "b@+1..+2");
	bad("--diff a", "--diff needs a second recording");
	bad("--diff a b c", "unexpected argument");
	bad("--diff a b -o prometheus", "text or json");
	/* findings about verdicts need 10 s */
	o = good("--check --verdicts");
	assert_int_equal(o.batch.iterations, 13);
	o = good("--check --verdicts -d 4");
	assert_int_equal(o.batch.iterations, 6);
	o = good("--check --verdicts -n 3");
	assert_int_equal(o.batch.iterations, 3);
	o = good("--check critical -n 5");
	assert_int_equal(o.output.check_from, FINDING_CRITICAL);
	assert_int_equal(o.batch.iterations, 5);
	o = good("--check=info -r file");
	assert_int_equal(o.output.check_from, FINDING_INFO);
	assert_int_equal(o.batch.iterations, 0);
	o = good("-n 2.5s");
	assert_true(o.batch.seconds == 2.5 && !o.batch.iterations);
	o = good("-n 2s -n 7");
	assert_true(o.batch.seconds == 0 && o.batch.iterations == 7);
	o = good("-n 2m");
	assert_true(o.batch.seconds == 120 && !o.batch.iterations);
	assert_true(good("-n 1.5h").batch.seconds == 5400);
	bad("-n 2x", "is not a count");
	bad("-n 0s", "is not a time");
	bad("-n 1e9s", "is not a time");
	o = good("--follow xdp_redirect");
	assert_true(o.recording.batch && o.output.follows);
	assert_string_equal(o.output.follow, "xdp_redirect");
	assert_ptr_equal(o.output.format, &output_follow);
	assert_true(o.batch.delay_s == 0.1);
	o = good("--follow xdp_redirect -o json -d 3");
	assert_ptr_equal(o.output.format, &output_json);
	assert_true(o.batch.delay_s == 3);
	bad("--follow lost_per_s>1", "lost_per_s is not a field of an event");
	bad("--follow xdp_redirect -o csv", "text or json");
	/* one rule for all formats */
	bad("--follow xdp_redirect -f a", "--follow cannot be used with --filter");
	bad("--follow xdp_redirect -f ifname=a -o json", "--follow cannot be used with --filter");
	bad("--follow xdp_redirect -i a -o json", "--follow cannot be used with --filter");
	assert_int_equal(good("-l").run, RUN_LIST);
	assert_string_equal(good("-h columns").help, "columns");
	assert_null(good("--help").help);
	assert_int_equal(good("-h").run, RUN_HELP);
	assert_int_equal(good("--version").run, RUN_VERSION);
	/* the last value counts */
	assert_true(good("-d 2 -d 3").batch.delay_s == 3);
	/* abbreviated long options */
	assert_true(good("--dela 2").batch.delay_s == 2);
}

TEST(test_explain)
{
	struct options o = good("-e ENOSPC");

	assert_int_equal(o.run, RUN_EXPLAIN);
	assert_string_equal(o.explain, "ENOSPC");
	o = good("--explain=ABORTED");
	assert_string_equal(o.explain, "ABORTED");
	o = good("-e -95");
	assert_string_equal(o.explain, "-95");
	o = good("-e");
	assert_null(o.explain);
	o = good("-e -q");
	assert_null(o.explain);
	assert_true(o.batch.quiet);
}

TEST(test_filter_length)
{
	char expr[FILTER_SIZE + 8];
	struct error error = { 0 };
	struct options o;

	options_default(&o);
	memset(expr, 'x', sizeof(expr));
	expr[FILTER_SIZE] = '\0';
	assert_int_equal(option_set(&o, find("filter"), expr, &error), -EINVAL);
	assert_non_null(strstr(error.text, "longer than"));
	assert_string_equal(o.output.filter, "");
	expr[FILTER_SIZE - 1] = '\0';
	assert_int_equal(option_set(&o, find("filter"), expr, &error), 0);
	assert_string_equal(o.output.filter, expr);
	assert_int_equal(option_set(&o, find("filter"), "x", &error), -EINVAL);
	assert_string_equal(o.output.filter, expr);
}

TEST(test_bad)
{
	static const char *const delays[] = { "0",   "0.09", "-1",  "3601", "1e9", "nan",
					      "inf", "0x10", "1s",  "",     ".",   "e",
					      "1e",  "--",   "1,5", "+-1",  "1e-9" };
	static const char *const counts[] = { "0",   "-1", "1.5", "junk", "18446744073709551616",
					      "0x5", "+",  "1k" };
	char line[64];

	for (size_t i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
		snprintf(line, sizeof(line), "--delay=%s", delays[i]);
		bad(line, "--delay: ");
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		snprintf(line, sizeof(line), "--iterations=%s", counts[i]);
		bad(line, "--iterations: ");
	}
	bad("-x", "no option -x; ");
	bad("-bx", "no option -x; ");
	bad("--delay 3 -\x1b", "no option -\\x1b; ");
	bad("--itrations 3", "no option 'itrations'; nearest: iterations");
	bad("--zzzzzzzz", "no option 'zzzzzzzz'; --help lists them");
	bad("--json", "no option 'json'; it is a format: -o json");
	bad("--batch=yes", "--batch takes no argument; ");
	bad("-d", "--delay: its argument is missing; give SECONDS");
	bad("--view", "--view: its argument is missing; give NAME");
	bad("-v flws", "--view: no view 'flws'; nearest: flows");
	bad("-s drops_per_s:up", "--sort: 'up' is not an order; give");
	bad("-s drops_pers", "--sort: no column 'drops_pers'; nearest: drops_per_s");
	bad("-s :asc", "--sort: no column ''; ");
	bad("-o jsn", "--output: no format 'jsn'; nearest: json");
	bad("-t xdp_redirct", "--tracepoints: no tracepoint 'xdp_redirct'; nearest: xdp_redirect");
	bad("-t +xdp_redirct", "no tracepoint 'xdp_redirct'; ");
	bad("-f nothing=1", "--filter: ");
	bad("--interface=", "--interface: the name is empty; ");
	bad("-i eth\"0", "--interface: 'eth\"0' contains a quote; ");
	bad("--to=", "--to: the file name is empty; ");
	bad("--read=", "--read: the file name is empty; ");
	bad("--budget 101", "--budget: ");
	bad("--max-series 65537", "--max-series: ");
	bad("--backend perf", "--backend: no backend 'perf'; ");
	bad("--check bad", "--check: no severity 'bad'; give info, warning or critical");
	bad("--check -o json", "--check cannot be used with --output");
	bad("-h nothing", "--help: no topic 'nothing'; ");
	bad("-t zzz", "no tracepoint 'zzz'; --list lists them");
	bad("-s zzzzzzzz", "no column 'zzzzzzzz'; --help columns lists them");
	bad("--verdicts -r f", "--verdicts cannot be used with --read");
	bad("--verdicts --diff a b", "--verdicts cannot be used with --diff");
	bad("--later-namespaces -r f", "--later-namespaces cannot be used with --read");
	bad("--list --verdicts", "--verdicts cannot be used with --list");
	bad("-e DROP --verdicts", "--verdicts cannot be used with --explain");
	bad("--listen 9435x", "--listen: '9435x' is not an address; give PORT, ");
	bad("--listen", "--listen: its argument is missing; give ADDR:PORT");
	bad("--listen 1 -o csv", "--listen cannot be used with --output");
	bad("--listen 1 --to f", "--listen cannot be used with --to");
	bad("--check --listen 1", "--listen cannot be used with --check");
	bad("--listen 1 -f events_per_s>1", "cpu is the only number that --filter can compare");
	bad("--speed 2", "--speed needs a recording");
	bad("--step", "--step needs a recording");
	bad("-r f --speed 0", "--speed: ");
	bad("eth0", "'eth0': unexpected argument; give -i eth0");
	bad("--follow ifname=lan0 err=-6", "'err=-6': unexpected argument; quote the whole "
					   "expression: --follow 'ifname=lan0 err=-6'");
	bad("-f lan0 drops_per_s>9", "quote the whole expression: -f 'lan0 drops_per_s>9'");
	bad("flows", "'flows': unexpected argument; give -v flows");
	bad("xdp_redirect", "'xdp_redirect': unexpected argument; give -e xdp_redirect");
	bad("/dev/null", "'/dev/null': unexpected argument; give -r /dev/null");
	bad("-b eth0 -q", "'eth0': unexpected argument; ");
}

/* A saved value reads back; an invalid value leaves the option unchanged. */
TEST(test_saved)
{
	static const char line[] = "-d 0.25 -v flows -C -t default,+xdp_redirect,-net_dev_queue";
	struct options o = good(line), again;
	size_t saved = 0;
	struct error error = { 0 };

	options_default(&again);
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];
		char *text = NULL;
		size_t size = 0;
		FILE *to;

		if (!row->setting)
			continue;
		saved++;
		to = open_memstream(&text, &size);
		assert_true(option_print(&o, row, to) >= 0);
		fclose(to);
		assert_int_equal(option_set(&again, row, text, &error), 0);
		assert_int_equal(option_set(&again, row, "?", &error), -EINVAL);
		free(text);
	}
	assert_int_equal(saved, 5);
	assert_true(again.batch.delay_s == 0.25);
	assert_int_equal(again.output.view, VIEW_FLOWS);
	assert_true(again.output.per_cpu);
	assert_false(again.output.all);
	assert_int_equal(again.trace.tracepoints, o.trace.tracepoints);
}

/* What the parser, the help and the check of the man page rely on. */
TEST(test_table)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		assert_true(row->name && row->name[0] && row->help && row->help[0]);
		assert_true(row->parse || row->run);
		assert_null(strchr(row->help, '\n'));
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(row->name, option_rows[k].name);
			assert_false(row->letter && row->letter == option_rows[k].letter);
		}
	}
}

TEST(test_help)
{
	char *text = NULL, *line, *save = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(options_help("all", to), 0);
	fclose(to);
	for (size_t i = 0; i < n_option_rows; i++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s", option_rows[i].name);
		assert_non_null(strstr(text, name));
	}
	for (size_t i = 0; i < n_output_formats; i++)
		assert_non_null(strstr(text, output_formats[i]->name));
	for (size_t i = 0; i < COLUMN_COUNT; i++)
		assert_non_null(strstr(text, columns[i].name));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strlen(line) >= 80)
			print_error("%s\n", line);
		assert_true(strlen(line) < 80);
	}
	free(text);
	to = fopen("/dev/full", "w");
	assert_int_not_equal(options_help(NULL, to), 0);
	fclose(to);
}

TEST(test_capture)
{
	struct options o = good("--verdicts --capture a.pcapng");

	assert_string_equal(o.capture.path, "a.pcapng");
	assert_int_equal(o.capture.acts, 0x3f);
	assert_int_equal(o.capture.rate, 10);
	assert_int_equal(o.trace.captures, CAPTURES_AFTER);
	o = good("--capture-both --verdicts --capture a.pcapng");
	assert_int_equal(o.trace.captures, CAPTURES_BOTH);
	/* a name with colons; verdicts as the kernel or the view writes them */
	o = good("--verdicts --capture x:y.pcapng:z.pcapng:drop,XDP_ABORTED --capture-rate 1000");
	assert_string_equal(o.capture.path, "x:y.pcapng:z.pcapng");
	assert_int_equal(o.capture.acts, 0x3);
	assert_int_equal(o.capture.rate, 1000);
	good("--verdicts --capture a.pcapng -i eth0 -f queue=3");
	assert_false(good("--verdicts").trace.captures);
	assert_null(o.capture.filter);
	o = good("--verdicts --capture a.pcapng:DROP -i eth0 tcp");
	assert_string_equal(o.capture.filter, "tcp");
	o = good("tcp --verdicts --capture a.pcapng");
	assert_string_equal(o.capture.filter, "tcp");
	bad("--verdicts --capture a.pcapng tcp port", "quote the whole pcap filter: 'tcp port'");
	bad("--verdicts tcp", "unexpected argument");
	bad("--capture a.pcapng", "--capture needs --verdicts");
	bad("--verdicts --capture a.pcap", "does not end in .pcapng");
	bad("--verdicts --capture .pcapngx", "does not end in .pcapng");
	bad("--verdicts --capture a.pcapng:", "no verdict ''");
	bad("--verdicts --capture a.pcapng:DROP,", "no verdict ''");
	bad("--verdicts --capture a.pcapng:DRIP", "no verdict 'DRIP'");
	bad("--verdicts --capture a.pcapng --capture-rate 0", "give 1 to 1000");
	bad("--verdicts --capture a.pcapng --capture-rate 1001", "give 1 to 1000");
	bad("--verdicts --capture a.pcapng -f drops_per_s>1", "--capture: --filter:");
	bad("--verdicts --capture a.pcapng -f target=eth1", "packets are chosen by");
	bad("--verdicts --capture a.pcapng -r file", "--read");
	bad("--capture-rate 5", "--capture");
	bad("--verdicts --capture-both", "--capture-both needs --capture FILE.pcapng");
}
