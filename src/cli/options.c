// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "base/suggest.h"
#include "table/follow_choice.h"

#define NEAR_LEN        160
#define FOLLOW_INTERVAL "0.1" /* without -d: events are written as they fire */
#define RECORD_INTERVAL "5"   /* default of --record, which may run for days */
#define SECONDS_MAX     1e8
#define KEEP_MIN_S      3600
#define KEEP_MIN_BYTES  (1 << 20)
#define CHECK_INTERVALS 3

/* An argument, where its value goes, and where a message goes if it is invalid. */
struct option_value {
	const struct option_row *row;
	const char *arg;
	void *target;
	struct error *error;
};

#define refuse(v, ...) error_set((v)->error, -EINVAL, __VA_ARGS__)

static const char *format_name(size_t i)
{
	return i < n_output_formats ? output_formats[i]->name : NULL;
}

static const char *backend_name(size_t i)
{
	static const char *const names[] = {
		[BACKEND_AUTO] = "auto", [BACKEND_BTF] = "btf", [BACKEND_CLASSIC] = "classic"
	};

	return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

/* Unknown name: suggest similar names, or the list of all. */
static int refuse_name(const struct option_value *v, const char *what, const char *word,
		       const char *near)
{
	static const struct {
		const char *what, *where;
	} lists[] = { { "tracepoint", "--list" },
		      { "option", "--help" },
		      { "view", "--help views" },
		      { "column", "--help columns" },
		      { "format", "--help formats" } };
	size_t i = 0;

	if (near[0])
		return refuse(v, "no %s '%.48s'; nearest: %s", what, word, near);
	while (strcmp(lists[i].what, what) != 0)
		i++;
	return refuse(v, "no %s '%.48s'; %s lists them", what, word, lists[i].where);
}

/* A decimal number in the range of the row: no sign, blank, exponent or rest. */
static int parse_count(const struct option_value *v)
{
	const struct option_row *row = v->row;
	uint64_t n = 0;
	char *end = NULL;

	errno = 0;
	if (isdigit((unsigned char)v->arg[0]))
		n = strtoull(v->arg, &end, 10);
	if (end && !*end && !errno && n >= (uint64_t)row->low &&
	    (!row->high || n <= (uint64_t)row->high)) {
		*(uint64_t *)v->target = n;
		return 0;
	}
	if (row->high)
		return refuse(v, "'%.40s' is not %s; give %.0f to %.0f", v->arg, row->what,
			      row->low, row->high);
	return refuse(v, "'%.40s' is not %s; give a whole number of at least %g", v->arg, row->what,
		      row->low);
}

/* A decimal number. Alone, strtod() also takes nan, inf, hex and leading blanks. */
static int parse_number(const struct option_value *v)
{
	const struct option_row *row = v->row;
	char *end = NULL;
	double n = 0;

	if (v->arg[0] && strspn(v->arg, "0123456789.eE+") == strlen(v->arg))
		n = strtod(v->arg, &end);
	if (!end || end == v->arg || *end || !isfinite(n) || n < row->low || n > row->high)
		return refuse(v, "'%.40s' is not %s; give %g to %g%s", v->arg, row->what, row->low,
			      row->high, row->hint ? row->hint : "");
	*(double *)v->target = n;
	return 0;
}

static int print_number(const struct option_row *row, const void *target, FILE *to)
{
	return fprintf(to, "%g", *(const double *)target);
}

/* A flag has an argument only in the settings. */
static int parse_flag(const struct option_value *v)
{
	if (v->arg && strcmp(v->arg, "yes") && strcmp(v->arg, "no"))
		return refuse(v, "'%.40s' is not valid here; use yes or no", v->arg);
	*(bool *)v->target = !v->arg || !strcmp(v->arg, "yes");
	return 0;
}

static int print_flag(const struct option_row *row, const void *target, FILE *to)
{
	return fputs(*(const bool *)target ? "yes" : "no", to);
}

static int choice_find(const struct option_value *v, unsigned int *choice)
{
	const struct option_row *row = v->row;
	char near[NEAR_LEN];
	unsigned int n;

	for (n = 0; row->choice(n); n++) {
		if (!strcmp(row->choice(n), v->arg)) {
			*choice = n;
			return 0;
		}
	}
	if (row->hint)
		return refuse(v, "no %s '%.40s'; give %s", row->what, v->arg, row->hint);
	suggest(v->arg, row->choice, n, near, sizeof(near));
	return refuse_name(v, row->what, v->arg, near);
}

static int parse_choice(const struct option_value *v)
{
	return choice_find(v, v->target);
}

static int print_choice(const struct option_row *row, const void *target, FILE *to)
{
	return fputs(row->choice(*(const unsigned int *)target), to);
}

static int parse_format(const struct option_value *v)
{
	unsigned int i;
	int err = choice_find(v, &i);

	if (!err)
		*(const struct output_format **)v->target = output_formats[i];
	return err;
}

static const char *severity_name(size_t i)
{
	return i < FINDING_SEVERITIES ? finding_severity_name((enum finding_severity)i) : NULL;
}

static int parse_check(const struct option_value *v)
{
	struct output_config *output = v->target;
	unsigned int severity = FINDING_WARNING;
	int err = v->arg ? choice_find(v, &severity) : 0;

	if (err)
		return err;
	output->check = true;
	output->check_from = (enum finding_severity)severity;
	return 0;
}

static int parse_text(const struct option_value *v)
{
	*(const char **)v->target = v->arg;
	return 0;
}

static int parse_topic(const struct option_value *v)
{
	unsigned int i;
	int err = v->arg ? choice_find(v, &i) : 0;

	return err ? err : parse_text(v);
}

static int parse_file(const struct option_value *v)
{
	if (!v->arg[0])
		return refuse(v, "the file name is empty; give %s", v->row->hint);
	return parse_text(v);
}

static int parse_listen(const struct option_value *v)
{
	if (!http_address_parse(v->arg, v->target))
		return 0;
	return refuse(v,
		      "'%.60s' is not an address; give PORT, 127.0.0.1:PORT, [::1]:PORT, or "
		      "0.0.0.0:PORT for all",
		      v->arg);
}

static int parse_sort(const struct option_value *v)
{
	struct output_config *output = v->target;
	const char *colon = strchr(v->arg, ':');
	char name[40], near[NEAR_LEN];
	int column;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(v->arg, ":"), v->arg);
	if (colon && strcmp(colon, ":asc") && strcmp(colon, ":desc"))
		return refuse(v, "'%.40s' is not an order; give asc or desc", colon + 1);
	column = column_find(name);
	if (column < 0) {
		column_suggest(name, near, sizeof(near));
		return refuse_name(v, v->row->what, name, near);
	}
	output->sort = column;
	output->sort_descending = colon ? !strcmp(colon, ":desc") : -1;
	return 0;
}

/* Several filters are combined with "and", like terms. */
static int append_filter(const struct option_value *v, char *filter, const char *expr)
{
	size_t len = strlen(filter);

	if (len + !!len + strlen(expr) >= FILTER_SIZE)
		return refuse(v,
			      "longer than %d bytes together with the earlier terms; give fewer "
			      "terms",
			      FILTER_SIZE - 1);
	snprintf(filter + len, FILTER_SIZE - len, "%s%s", len && *expr ? " " : "", expr);
	return 0;
}

static int parse_filter(const struct option_value *v)
{
	struct filter *filter = NULL;
	struct error error;
	int err = filter_parse(v->arg, &filter, &error);
	bool blank = !filter;

	filter_free(filter);
	if (!err)
		return append_filter(v, v->target, blank ? "" : v->arg);
	if (err != -EINVAL)
		return refuse(v, "%s", strerror(-err));
	return refuse(v, "%s%s", error.text, strchr(error.text, ';') ? "" : "; see --help filter");
}

static int parse_follow(const struct option_value *v)
{
	struct output_config *output = v->target;
	struct follow_choice follow;

	if (strlen(v->arg) >= sizeof(output->follow))
		return refuse(v, "the expression is too long (the limit is %zu bytes)",
			      sizeof(output->follow) - 1);
	if (follow_choice_parse(&follow, v->arg, NULL, v->error))
		return -EINVAL;
	follow_choice_free(&follow);
	strcpy(output->follow, v->arg);
	output->follows = true;
	return 0;
}

/* Seconds in a unit of time; 0 = not a unit. */
static double unit_seconds(const char *unit)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].unit))
			return units[i].seconds;
	return 0;
}

/* A count, or a time if it ends with a unit. */
static int parse_iterations(const struct option_value *v)
{
	struct batch_config *batch = v->target;
	struct option_value count = *v;
	char *end = NULL;
	double seconds = isdigit((unsigned char)v->arg[0]) ? strtod(v->arg, &end) : 0, unit;

	count.target = &batch->iterations;
	batch->seconds = 0;
	if (!end || !(unit = unit_seconds(end)))
		return parse_count(&count);
	seconds *= unit;
	if (seconds <= 0 || seconds > SECONDS_MAX)
		return refuse(v, "'%.40s' is not a time; give 1s to %.0fs, or minutes (2m)", v->arg,
			      SECONDS_MAX);
	batch->seconds = seconds;
	batch->iterations = 0;
	return 0;
}

/* Bytes in a unit of size, in powers of 1024; 0 = not a unit. */
static double unit_bytes(const char *unit)
{
	const char *units = "KMGT", *at = *unit ? strchr(units, *unit) : NULL;

	return at && !unit[1] ? exp2(10 * (double)(at - units + 1)) : 0;
}

/* A time or a size: a decimal number and a unit. */
static int parse_keep(const struct option_value *v)
{
	struct recorder_config *record = v->target;
	const char *unit = v->arg + strspn(v->arg, "0123456789.");
	char *end;
	double n = strtod(v->arg, &end), seconds = 0, bytes = 0;

	/* 500m would be less than half a day, and was meant as 500M */
	if (end == unit && strcmp(unit, "m") != 0) {
		seconds = n * unit_seconds(unit);
		bytes = n * unit_bytes(unit);
	}
	if (seconds >= KEEP_MIN_S && seconds <= SECONDS_MAX)
		record->keep_s = seconds;
	else if (bytes >= KEEP_MIN_BYTES && bytes <= exp2(60))
		record->keep_bytes = (uint64_t)bytes;
	else
		return refuse(v, "'%.40s' %s; give at least 1h or 1M, such as 7d or 500M", v->arg,
			      !strcmp(unit, "m") ? "is ambiguous (m is minutes, M is MiB)"
			      : seconds > 0 && seconds < KEEP_MIN_S ? "is too short"
			      : bytes > 0 && bytes < KEEP_MIN_BYTES ? "is too small"
								    : "is not a time or a size");
	return 0;
}

/* VERDICT,...: adds their bits to *acts. */
static int parse_verdicts(const struct option_value *v, const char *list, uint32_t *acts)
{
	char name[24];

	for (;; list++) {
		size_t len = strcspn(list, ","), skip = strncasecmp(list, "XDP_", 4) ? 0 : 4;
		uint32_t act = 0;

		snprintf(name, sizeof(name), "%.*s", (int)len, list);
		while (act < VERDICT_ACTS && strcasecmp(verdict_name(act), name + skip) != 0)
			act++;
		if (act == VERDICT_ACTS)
			return refuse(v, "no verdict '%s'; give %s", name, v->row->hint);
		*acts |= 1u << act;
		list += len;
		if (!*list)
			return 0;
	}
}

/* FILE may contain colons, so it ends at .pcapng. */
static int parse_capture(const struct option_value *v)
{
	static const char suffix[] = ".pcapng";
	struct capture_config *capture = v->target;
	const char *end = NULL, *at = v->arg;
	uint32_t acts = 0;
	int err = 0;

	while ((at = strstr(at, suffix))) {
		at += sizeof(suffix) - 1;
		end = !*at || *at == ':' ? at : end;
	}
	if (!end || (size_t)(end - v->arg) >= sizeof(capture->path))
		return refuse(v,
			      "'%.60s' does not end in .pcapng; give FILE.pcapng, or "
			      "FILE.pcapng:DROP,ABORTED",
			      v->arg);
	if (*end == ':')
		err = parse_verdicts(v, end + 1, &acts);
	if (err)
		return err;
	capture->acts = *end ? acts : (1u << VERDICT_ACTS) - 1;
	snprintf(capture->path, sizeof(capture->path), "%.*s", (int)(end - v->arg), v->arg);
	return 0;
}

/* The filter ifname=NAME. In quotes NAME may hold blanks. */
static int parse_interface(const struct option_value *v)
{
	struct output_config *output = v->target;
	const char *quote = strpbrk(v->arg, " \t\n|") ? "\"" : "";
	char expr[FILTER_SIZE + 8];

	if (!v->arg[0])
		return refuse(v, "the name is empty; give one, or * for any");
	if (strchr(v->arg, '"'))
		return refuse(v, "'%.40s' contains a quote; give * in its place", v->arg);
	snprintf(expr, sizeof(expr), "ifname=%s%s%s", quote, v->arg, quote);
	if (!strchr(v->arg, '*'))
		snprintf(output->ifname, sizeof(output->ifname), "%s", v->arg);
	return append_filter(v, output->filter, expr);
}

static int parse_tracepoints(const struct option_value *v)
{
	char near[NEAR_LEN], *bad = NULL;
	const char *name;
	int err = tracepoint_parse_set(v->arg, v->target, &bad);

	if (!err)
		return 0;
	if (!bad)
		return refuse(v, "%s", strerror(-err));
	name = bad + (bad[0] == '+' || bad[0] == '-');
	tracepoint_suggest(name, near, sizeof(near));
	if (tracepoint_instead(name))
		refuse(v, "%s is " TRACEPOINT_SILENT, name, tracepoint_instead(name));
	else
		refuse_name(v, v->row->what, name, near);
	free(bad);
	return -EINVAL;
}

/* Print the difference from the defaults, which may change with the version. */
static int print_tracepoints(const struct option_row *row, const void *target, FILE *to)
{
	uint32_t set = *(const uint32_t *)target;
	int rc = fputs("default", to);

	for (int i = 0; i < TP_COUNT && rc >= 0; i++) {
		bool on = set >> i & 1;

		if (*tracepoints[i].name && on != tracepoints[i].on)
			rc = fprintf(to, ",%c%s", on ? '+' : '-', tracepoints[i].name);
	}
	return rc;
}

#define TARGET(member) .target = offsetof(struct options, member)

const struct option_row option_rows[] = {
	{ 'b', "batch", NULL, "print to stdout; implied when it is not a terminal", parse_flag,
	  TARGET(recording.batch) },
	{ 'o', "output", "FORMAT", "text, json, csv or prometheus; implies -b", parse_format,
	  TARGET(output.format), .what = "format", .choice = format_name, .implies_batch = true },
	{ 0, "to", "FILE", "print to this file, with zstd if it ends in .zst", parse_file,
	  TARGET(output.to), .hint = "a path", .implies_batch = true },
	{ 0, "record", "DIR", "record into segments in this directory, without a screen",
	  parse_file, TARGET(record.path), .hint = "a path", .implies_batch = true },
	{ 0, "keep", "TIME|SIZE", "with --record, remove older segments: 7d, 500M, or both",
	  parse_keep, TARGET(record) },
	{ 0, "listen", "ADDR:PORT", "serve /metrics over HTTP; PORT means 127.0.0.1:PORT",
	  parse_listen, TARGET(listen), .implies_batch = true },
	{ 'n', "iterations", "N", "stop after N snapshots or events, or after 10s, 2m",
	  parse_iterations, TARGET(batch), .what = "a count", .low = 1 },
	{ 'd', "delay", "SECONDS", "interval, " SOURCE_INTERVAL_RANGE ", default 1", parse_number,
	  TARGET(batch.delay_s), .initial = "1", .what = "an interval", .low = SOURCE_INTERVAL_MIN,
	  .high = SOURCE_INTERVAL_MAX, .hint = " seconds", .setting = "interval",
	  .print = print_number },
	{ 'v', "view", "NAME", "view to start with; in batch, the view to print", parse_choice,
	  TARGET(output.view), .what = "view", .choice = view_name, .setting = "view",
	  .print = print_choice },
	{ 's', "sort", "COLUMN[:asc|:desc]", "sort the rows by this column", parse_sort,
	  TARGET(output), .what = "column" },
	{ 'f', "filter", "EXPR", "only rows that match; see --help filter", parse_filter,
	  TARGET(output.filter) },
	{ 'i', "interface", "NAME", "only this device: short for -f ifname=NAME", parse_interface,
	  TARGET(output) },
	{ 'C', "per-cpu", NULL, "add a row for each CPU", parse_flag, TARGET(output.per_cpu),
	  .setting = "per_cpu", .print = print_flag },
	{ 'a', "all", NULL, "also show rows without activity", parse_flag, TARGET(output.all),
	  .setting = "all", .print = print_flag },
	{ 't', "tracepoints", "LIST", "switch on: all, default, none, NAME, +NAME, -NAME",
	  parse_tracepoints, TARGET(trace.tracepoints), .initial = "default", .what = "tracepoint",
	  .setting = "tracepoints", .print = print_tracepoints },
	{ 'r', "read", "FILE", "replay a FILE or DIR; FILE@TIME starts at that time", parse_file,
	  TARGET(recording.path), .hint = "a path, PATH@TIME, PATH@FROM..TO, or - for stdin" },
	{ 0, "speed", "X", "replay X times as fast; in batch, keep the pauses", parse_number,
	  TARGET(recording.speed), .what = "a speed", .low = SOURCE_SPEED_MIN,
	  .high = SOURCE_SPEED_MAX, .hint = " (1 = as recorded)" },
	{ 0, "step", NULL, "replay: wait for Space before each snapshot", parse_flag,
	  TARGET(recording.step) },
	{ 0, "check", "[SEVERITY]", "exit 6 if a finding is a warning or worse", parse_check,
	  TARGET(output), .what = "severity", .choice = severity_name,
	  .hint = "info, warning or critical", .implies_batch = true },
	{ 0, "diff", "FILE FILE", "compare with a second recording: new, gone, changed", parse_file,
	  TARGET(diff), .hint = "a path, or FILE@FROM..TO", .run = RUN_DIFF },
	{ 0, "follow", "EXPR", "list each matching event: FIELD=VALUE ...", parse_follow,
	  TARGET(output), .implies_batch = true },
	{ 0, "verdicts", NULL, "count XDP return codes; a process keeps privileges", parse_flag,
	  TARGET(trace.verdicts) },
	{ 0, "later-namespaces", NULL, "keep privileges to read counters of new namespaces",
	  parse_flag, TARGET(trace.later_namespaces) },
	{ 0, "capture", "FILE[:VERDICT,...]",
	  "with --verdicts, copy heads of packets to FILE.pcapng", parse_capture, TARGET(capture),
	  .hint = "ABORTED, DROP, PASS, TX, REDIRECT or UNKNOWN" },
	{ 0, "capture-rate", "N", "packets a second from each program, default 10", parse_count,
	  TARGET(capture.rate), .initial = "10", .what = "a number of packets", .low = 1,
	  .high = CAPTURE_RATE_MAX },
	{ 0, "capture-both", NULL, "also copy each packet as it was before the program", parse_flag,
	  TARGET(capture.both) },
	{ 0, "budget", "PCT", "limit on the cost of counting, % of a CPU; default 5", parse_number,
	  TARGET(trace.budget), .initial = "5", .what = "a budget", .high = 100,
	  .hint = " percent of one CPU (0 = no limit)" },
	{ 0, "max-series", "N", "size of the table of series, default 4096", parse_count,
	  TARGET(trace.max_series), .initial = "4096", .what = "a table size", .low = 1,
	  .high = 65536 },
	{ 0, "backend", "NAME", "auto, btf or classic", parse_choice, TARGET(trace.backend),
	  .what = "backend", .choice = backend_name, .hint = "auto, btf or classic" },
	{ 'l', "list", NULL, "this kernel's tracepoints, and why one is missing", .run = RUN_LIST },
	{ 'e', "explain", "[NAME]", "meaning of an errno, action, finding, column, ...", parse_text,
	  TARGET(explain), .run = RUN_EXPLAIN },
	{ 0, "ascii", NULL, "print only ASCII characters", parse_flag, TARGET(output.ascii) },
	{ 0, "no-color", NULL, "no colours (like the variable NO_COLOR)", parse_flag,
	  TARGET(no_color) },
	{ 'q', "quiet", NULL, "no remarks on stderr; errors are still printed", parse_flag,
	  TARGET(batch.quiet) },
	{ 0, "verbose", NULL, "say more on stderr, including libbpf's messages", parse_flag,
	  TARGET(trace.verbose) },
	{ 'h', "help", "[TOPIC]", "this page, or one of the topics below", parse_topic,
	  TARGET(help), .what = "topic", .choice = help_topic,
	  .hint = "columns, views, filter, ..., all", .run = RUN_HELP },
	{ 'V', "version", NULL, "print the version", .run = RUN_VERSION },
};
#define N_ROWS (sizeof(option_rows) / sizeof(option_rows[0]))
_Static_assert(N_ROWS <= 64, "bits of options.given");
const size_t n_option_rows = N_ROWS;

static const char *option_name(size_t i)
{
	return option_rows[i].name;
}

bool option_given(const struct options *o, const struct option_row *row)
{
	return o->given >> (row - option_rows) & 1;
}

static int parse_value(struct options *o, const struct option_row *row, const char *arg,
		       struct error *error)
{
	return row->parse ? row->parse(&(struct option_value){ row, arg, (char *)o + row->target,
							       error })
			  : 0;
}

int option_set(struct options *o, const struct option_row *row, const char *arg,
	       struct error *error)
{
	int err = parse_value(o, row, arg, error);

	if (err)
		return err;
	o->given |= 1ULL << (row - option_rows);
	if (row->run)
		o->run = row->run;
	if (row->implies_batch)
		o->recording.batch = true;
	return 0;
}

int option_print(const struct options *o, const struct option_row *row, FILE *to)
{
	return row->print(row, (const char *)o + row->target, to);
}

#define OPTION_LONG 256 /* getopt value of a long option: this + its row */

struct getopt_tables {
	char letters[3 * N_ROWS + 2];
	struct option longs[N_ROWS + 1];
};

static void getopt_tables_fill(struct getopt_tables *g)
{
	char *p = g->letters;

	memset(g, 0, sizeof(*g));
	*p++ = ':'; /* distinguish a missing argument from an unknown option */
	for (size_t i = 0; i < N_ROWS; i++) {
		const struct option_row *row = &option_rows[i];
		int has = !row->argument            ? no_argument
			  : row->argument[0] == '[' ? optional_argument
						    : required_argument;

		g->longs[i].name = row->name;
		g->longs[i].has_arg = has;
		g->longs[i].val = OPTION_LONG + (int)i;
		if (!row->letter)
			continue;
		*p++ = row->letter;
		if (has != no_argument)
			*p++ = ':';
		if (has == optional_argument)
			*p++ = ':';
	}
	*p = '\0';
}

static const struct option_row *option_find(const char *name)
{
	const struct option_row *row = option_rows;

	while (strcmp(row->name, name) != 0)
		row++;
	return row;
}

static const struct option_row *find_row(int value)
{
	size_t i = 0;

	if (value >= OPTION_LONG)
		return &option_rows[value - OPTION_LONG];
	while (option_rows[i].letter != value)
		i++;
	return &option_rows[i];
}

/* For a long option getopt leaves 0 or its value in optopt, for a short one the letter. */
static int refuse_option(const struct option_value *v, const char *word, int letter)
{
	char name[48], near[NEAR_LEN];

	/* may be any byte: not all are printable */
	if (letter && letter < OPTION_LONG && !isgraph(letter))
		return refuse(v, "no option -\\x%02x; --help lists the options", letter & 0xff);
	if (letter && letter < OPTION_LONG)
		return refuse(v, "no option -%c; --help lists the options", letter);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	if (letter >= OPTION_LONG)
		return refuse(v, "%s takes no argument; leave '=...' out", name);
	for (size_t i = 0; i < n_output_formats; i++)
		if (!strcmp(output_formats[i]->name, name + 2))
			return refuse(v, "no option '%s'; it is a format: -o %s", name + 2,
				      name + 2);
	suggest(name + 2, option_name, N_ROWS, near, sizeof(near));
	return refuse_name(v, "option", name + 2, near);
}

void options_default(struct options *o)
{
	*o = (struct options){ .output = { .sort = -1, .sort_descending = -1 } };
	for (size_t i = 0; i < N_ROWS; i++)
		if (option_rows[i].initial)
			parse_value(o, &option_rows[i], option_rows[i].initial, NULL);
}

/* Suggest an option that takes the argument. */
static int refuse_word(const struct option_value *v, const struct options *o, const char *word)
{
	const char *option = "-i"; /* bmon, tcpdump and others take a device there */

	if (o->capture.filter)
		return refuse(v,
			      "'%.40s': unexpected argument; quote the whole pcap filter: '%.80s "
			      "%.40s'",
			      word, o->capture.filter, word);
	if (strpbrk(word, "=<>~") && (o->output.follows || o->output.filter[0]))
		return refuse(v,
			      "'%.40s': unexpected argument; quote the whole expression: %s '%.80s "
			      "%.40s'",
			      word, o->output.follows ? "--follow" : "-f",
			      o->output.follows ? o->output.follow : o->output.filter, word);
	if (view_find(word) >= 0)
		option = "-v";
	else if (tracepoint_find(word) >= 0)
		option = "-e";
	else if (!access(word, F_OK))
		option = "-r";
	return refuse(v, "'%.40s': unexpected argument; give %s %.40s, or see --help", word, option,
		      word);
}

/*
 * As many as the most cautious rule needs. With --verdicts this includes its window, and one to
 * attach.
 */
static uint64_t check_intervals(const struct options *o)
{
	const struct finding_code *code;
	unsigned int window = 0;

	for (size_t i = 0; o->trace.verdicts && (code = finding_code_at(i)); i++)
		if (finding_code_window(code) > window)
			window = finding_code_window(code);
	return CHECK_INTERVALS + (uint64_t)ceil(window / o->batch.delay_s);
}

int options_parse(struct options *o, int argc, char **argv, struct error *error)
{
	const struct option_value v = { .error = error };
	const struct option_row *row;
	struct getopt_tables g;
	struct error cause;
	int value;

	options_default(o);
	getopt_tables_fill(&g);
	optind = 0; /* glibc and musl: restart with this argv */
	opterr = 0;
	while ((value = getopt_long(argc, argv, g.letters, g.longs, NULL)) != -1) {
		const char *arg = optarg;

		if (value == ':') {
			row = find_row(optopt);
			return refuse(&v, "--%s: its argument is missing; give %s", row->name,
				      row->argument);
		}
		if (value == '?')
			return refuse_option(&v, argv[optind - 1], optopt);
		row = find_row(value);
		/* getopt takes only an attached optional argument; it may be a negative number */
		if (row->argument && row->argument[0] == '[' && !arg && optind < argc &&
		    (argv[optind][0] != '-' || isdigit((unsigned char)argv[optind][1])))
			arg = argv[optind++];
		if (option_set(o, row, arg, &cause))
			return refuse(&v, "--%s: %s", row->name, cause.text);
	}
	if (o->run == RUN_DIFF && optind < argc)
		o->diff[1] = argv[optind++];
	if (o->capture.path[0] && optind < argc)
		o->capture.filter = argv[optind++];
	if (optind < argc)
		return refuse_word(&v, o, argv[optind]);
	if (options_check(o, error))
		return -EINVAL;
	if (o->listen.any.sa_family && o->run == RUN_MONITOR)
		o->output.format = &output_prometheus;
	if (o->output.check) {
		o->output.format = &output_check;
		if (!o->recording.path && !o->batch.iterations)
			o->batch.iterations = check_intervals(o);
	}
	if (o->output.follows && (!o->output.format || o->output.format == &output_text))
		o->output.format = &output_follow;
	o->output.view_given = option_given(o, option_find("view"));
	row = option_find("delay");
	if ((o->output.follows || o->record.path) && !option_given(o, row))
		parse_value(o, row, o->record.path ? RECORD_INTERVAL : FOLLOW_INTERVAL, error);
	if (o->record.path && o->run == RUN_MONITOR)
		o->output.format = &output_json;
	o->trace.needs_captures = o->capture.path[0];
	o->trace.captures = o->capture.both      ? CAPTURES_BOTH
			    : o->capture.path[0] ? CAPTURES_AFTER
						 : CAPTURES_NONE;
	o->recording.output = o->output.to;
	o->recording.quiet = o->batch.quiet;
	o->batch.recording = o->recording.path;
	return 0;
}
