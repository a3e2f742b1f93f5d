// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "table/filter.h"
#include "base/suggest.h"
#include "output/output.h"
#include "model/source.h"
#include "base/wrap.h"

#define NEAR_LEN 160

static int __attribute__((format(printf, 3, 4)))
refuse(char *why, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, size, format, args);
	va_end(args);
	return -EINVAL;
}

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

/* Unknown name: suggest those near it, or --help. */
static int refuse_name(char *why, size_t size, const char *what, const char *word, const char *near)
{
	return refuse(why, size, "no %s '%.48s'; %s%s", what, word, near[0] ? "nearest: " : "",
		      near[0] ? near : "--help lists them");
}

/* A decimal number in the range of the row: no sign, blank, exponent or rest. */
static int parse_whole(const struct option_row *row, const char *arg, uint64_t *n)
{
	char *end;

	if (!isdigit((unsigned char)arg[0]))
		return -EINVAL;
	errno = 0;
	*n = strtoull(arg, &end, 10);
	return errno || *end || *n < (uint64_t)row->low || (row->high && *n > (uint64_t)row->high)
		       ? -EINVAL
		       : 0;
}

static int parse_count(const struct option_row *row, const char *arg, void *target, char *why,
		       size_t size)
{
	uint64_t n;

	if (parse_whole(row, arg, &n))
		return refuse(why, size, "'%.40s' is not %s; give a whole number from %g on", arg,
			      row->what, row->low);
	*(uint64_t *)target = n;
	return 0;
}

static int parse_size(const struct option_row *row, const char *arg, void *target, char *why,
		      size_t size)
{
	uint64_t n;

	if (parse_whole(row, arg, &n))
		return refuse(why, size, "'%.40s' is not %s; give %.0f to %.0f", arg, row->what,
			      row->low, row->high);
	*(uint32_t *)target = (uint32_t)n;
	return 0;
}

/* A decimal number: strtod() alone also takes nan, inf, hex and leading blanks. */
static int parse_number(const struct option_row *row, const char *arg, void *target, char *why,
			size_t size)
{
	char *end = NULL;
	double n = 0;

	if (arg[0] && strspn(arg, "0123456789.eE+") == strlen(arg))
		n = strtod(arg, &end);
	if (!end || end == arg || *end || !isfinite(n) || n < row->low || n > row->high)
		return refuse(why, size, "'%.40s' is not %s; give %g to %g%s", arg, row->what,
			      row->low, row->high, row->hint ? row->hint : "");
	*(double *)target = n;
	return 0;
}

static int print_number(const struct option_row *row, const void *target, FILE *to)
{
	return fprintf(to, "%g", *(const double *)target);
}

/* A flag has an argument in the settings only. */
static int parse_flag(const struct option_row *row, const char *arg, void *target, char *why,
		      size_t size)
{
	if (arg && strcmp(arg, "yes") && strcmp(arg, "no"))
		return refuse(why, size, "'%.40s' is neither yes nor no; give one of them", arg);
	*(bool *)target = !arg || !strcmp(arg, "yes");
	return 0;
}

static int print_flag(const struct option_row *row, const void *target, FILE *to)
{
	return fputs(*(const bool *)target ? "yes" : "no", to);
}

static int parse_choice(const struct option_row *row, const char *arg, void *target, char *why,
			size_t size)
{
	char near[NEAR_LEN];
	unsigned int n;

	for (n = 0; row->choice(n); n++) {
		if (!strcmp(row->choice(n), arg)) {
			*(unsigned int *)target = n;
			return 0;
		}
	}
	if (row->hint)
		return refuse(why, size, "no %s '%.40s'; give %s", row->what, arg, row->hint);
	suggest(arg, row->choice, n, near, sizeof(near));
	return refuse_name(why, size, row->what, arg, near);
}

static int print_choice(const struct option_row *row, const void *target, FILE *to)
{
	return fputs(row->choice(*(const unsigned int *)target), to);
}

static int parse_format(const struct option_row *row, const char *arg, void *target, char *why,
			size_t size)
{
	unsigned int i;
	int err = parse_choice(row, arg, &i, why, size);

	if (!err)
		*(const struct output_format **)target = output_formats[i];
	return err;
}

static int parse_text(const struct option_row *row, const char *arg, void *target, char *why,
		      size_t size)
{
	*(const char **)target = arg;
	return 0;
}

static int parse_file(const struct option_row *row, const char *arg, void *target, char *why,
		      size_t size)
{
	if (!arg[0])
		return refuse(why, size, "the file name is empty; give %s", row->hint);
	return parse_text(row, arg, target, why, size);
}

static int parse_sort(const struct option_row *row, const char *arg, void *target, char *why,
		      size_t size)
{
	struct output_config *output = target;
	const char *colon = strchr(arg, ':');
	char name[40], near[NEAR_LEN];
	int column;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg, ":"), arg);
	if (colon && strcmp(colon, ":asc") && strcmp(colon, ":desc"))
		return refuse(why, size, "no order '%.40s'; give asc or desc", colon + 1);
	column = column_find(name);
	if (column < 0) {
		column_suggest(name, near, sizeof(near));
		return refuse_name(why, size, row->what, name, near);
	}
	output->sort = column;
	output->sort_descending = colon ? !strcmp(colon, ":desc") : -1;
	return 0;
}

/* Several are combined with and, as terms are. */
static int append_filter(char *filter, const char *expr, char *why, size_t size)
{
	size_t len = strlen(filter);

	if (len + !!len + strlen(expr) >= FILTER_SIZE)
		return refuse(why, size, "longer than %d bytes with those before; give fewer terms",
			      FILTER_SIZE - 1);
	snprintf(filter + len, FILTER_SIZE - len, "%s%s", len && *expr ? " " : "", expr);
	return 0;
}

static int parse_filter(const struct option_row *row, const char *arg, void *target, char *why,
			size_t size)
{
	struct filter *filter = NULL;
	char cause[200] = "";
	int err = filter_parse(arg, &filter, cause, sizeof(cause));
	bool blank = !filter;

	filter_free(filter);
	if (!err)
		return append_filter(target, blank ? "" : arg, why, size);
	if (err != -EINVAL)
		return refuse(why, size, "%s", strerror(-err));
	return refuse(why, size, "%s%s", cause,
		      strchr(cause, ';') ? "" : "; see --filter and the columns in --help");
}

/* The filter ifname=NAME. In quotes NAME may hold blanks. */
static int parse_interface(const struct option_row *row, const char *arg, void *target, char *why,
			   size_t size)
{
	const char *quote = strpbrk(arg, " \t\n") ? "\"" : "";
	char expr[FILTER_SIZE + 8];

	if (!arg[0])
		return refuse(why, size, "the name is empty; give one, or * for any");
	if (strchr(arg, '"'))
		return refuse(why, size, "'%.40s' holds a quote; give * in its place", arg);
	snprintf(expr, sizeof(expr), "ifname=%s%s%s", quote, arg, quote);
	return append_filter(target, expr, why, size);
}

static int parse_tracepoints(const struct option_row *row, const char *arg, void *target, char *why,
			     size_t size)
{
	char near[NEAR_LEN], *bad = NULL;
	const char *name;
	int err = tracepoint_parse_set(arg, target, &bad);

	if (!err)
		return 0;
	if (!bad)
		return refuse(why, size, "%s", strerror(-err));
	name = bad + (bad[0] == '+' || bad[0] == '-');
	tracepoint_suggest(name, near, sizeof(near));
	refuse_name(why, size, row->what, name, near);
	free(bad);
	return -EINVAL;
}

/* Print the difference from the defaults: those may change with the version. */
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

/* How an argument is read into the target, and how a value is printed that reads back. */
struct option_type {
	int (*parse)(const struct option_row *row, const char *arg, void *target, char *why,
		     size_t size);
	int (*print)(const struct option_row *row, const void *target, FILE *to); /* if saved */
};

static const struct option_type type_flag = { .parse = parse_flag, .print = print_flag };
static const struct option_type type_count = { .parse = parse_count };
static const struct option_type type_size = { .parse = parse_size };
static const struct option_type type_number = { .parse = parse_number, .print = print_number };
static const struct option_type type_choice = { .parse = parse_choice, .print = print_choice };
static const struct option_type type_format = { .parse = parse_format };
static const struct option_type type_text = { .parse = parse_text };
static const struct option_type type_file = { .parse = parse_file };
static const struct option_type type_sort = { .parse = parse_sort };
static const struct option_type type_filter = { .parse = parse_filter };
static const struct option_type type_interface = { .parse = parse_interface };
static const struct option_type type_tracepoints = { .parse = parse_tracepoints,
						     .print = print_tracepoints };

#define TARGET(member) .target = offsetof(struct options, member)

const struct option_row option_rows[] = {
	{ 'b', "batch", NULL,
	  "no curses: print snapshots to stdout (implied when stdout is not a terminal)",
	  &type_flag, TARGET(recording.batch) },
	{ 'o', "output", "FORMAT", "print in this format, text by default; implies -b",
	  &type_format, TARGET(output.format), .what = "format", .choice = format_name,
	  .implies_batch = true },
	{ 0, "to", "FILE",
	  "write there instead of stdout; prometheus: replaced at each snapshot, mode 0644; "
	  "implies -b",
	  &type_file, TARGET(output.to), .hint = "a path", .implies_batch = true },
	{ 'n', "iterations", "N", "stop after N snapshots", &type_count, TARGET(batch.iterations),
	  .what = "a count", .low = 1 },
	{ 'd', "delay", "SECONDS", "interval, " SOURCE_INTERVAL_RANGE ", default 1", &type_number,
	  TARGET(batch.delay_s), .initial = "1", .what = "an interval", .low = SOURCE_INTERVAL_MIN,
	  .high = SOURCE_INTERVAL_MAX, .hint = " seconds", .setting = "interval" },
	{ 'v', "view", "NAME", "view to start with; in batch text and CSV: the view printed",
	  &type_choice, TARGET(output.view), .what = "view", .choice = view_name,
	  .setting = "view" },
	{ 's', "sort", "COLUMN[:asc|:desc]", "sort the rows by this column", &type_sort,
	  TARGET(output), .what = "column" },
	{ 'f', "filter", "EXPR",
	  "words that must match any cell; FIELD=VALUE, FIELD!=VALUE, FIELD>NUMBER, FIELD<NUMBER; "
	  "blank = and",
	  &type_filter, TARGET(output.filter) },
	{ 'i', "interface", "NAME",
	  "only rows of this device: short for -f ifname=NAME; * = any text", &type_interface,
	  TARGET(output.filter) },
	{ 'C', "per-cpu", NULL, "one more row per CPU", &type_flag, TARGET(output.per_cpu),
	  .setting = "per_cpu" },
	{ 'a', "all", NULL, "rows without activity too", &type_flag, TARGET(output.all),
	  .setting = "all" },
	{ 't', "tracepoints", "LIST",
	  "tracepoints to switch on: all, default, none, NAME, +NAME, -NAME, comma separated",
	  &type_tracepoints, TARGET(trace.tracepoints), .initial = "default", .what = "tracepoint",
	  .setting = "tracepoints" },
	{ 'r', "read", "FILE", "replay a recording made with -o json (- = stdin); needs no root",
	  &type_file, TARGET(recording.path), .hint = "a path, or - for stdin" },
	{ 0, "speed", "X",
	  "replay X times as fast; default 1 on the screen, without any pause in batch",
	  &type_number, TARGET(recording.speed), .what = "a speed", .low = SOURCE_SPEED_MIN,
	  .high = SOURCE_SPEED_MAX, .hint = " (1 = as it was)" },
	{ 0, "step", NULL, "replay: the next snapshot only at Space", &type_flag,
	  TARGET(recording.step) },
	{ 0, "budget", "PCT",
	  "percent of one CPU that per-packet tracepoints may cost before they are switched off; "
	  "default 5, 0 = no limit",
	  &type_number, TARGET(trace.budget), .initial = "5", .what = "a budget", .high = 100,
	  .hint = " percent of one CPU (0 = no limit)" },
	{ 0, "max-series", "N", "size of the table of series, default 4096", &type_size,
	  TARGET(trace.max_series), .initial = "4096", .what = "a table size", .low = 1,
	  .high = 65536 },
	{ 0, "backend", "NAME", "auto, btf or classic", &type_choice, TARGET(trace.backend),
	  .what = "backend", .choice = backend_name, .hint = "auto, btf or classic" },
	{ 'l', "list", NULL,
	  "the tracepoints, with their state on this kernel and the reason; -o json too",
	  .run = RUN_LIST },
	{ 'e', "explain", "[NAME]",
	  "the meaning of an errno, action, tracepoint, column or finding (-e ENOSPC)", &type_text,
	  TARGET(explain), .run = RUN_EXPLAIN },
	{ 0, "ascii", NULL, "no characters outside of ASCII", &type_flag, TARGET(output.ascii) },
	{ 0, "no-color", NULL, "no colours (as does a NO_COLOR variable)", &type_flag,
	  TARGET(no_color) },
	{ 'q', "quiet", NULL, "no remarks on stderr; errors are still printed", &type_flag,
	  TARGET(batch.quiet) },
	{ 0, "verbose", NULL, "say more on stderr, libbpf's own messages too", &type_flag,
	  TARGET(trace.verbose) },
	{ 'h', "help", NULL, "print this help", .run = RUN_HELP },
	{ 'V', "version", NULL, "print the version", .run = RUN_VERSION },
};
#define N_ROWS (sizeof(option_rows) / sizeof(option_rows[0]))
_Static_assert(N_ROWS <= 32, "bits of options.given");
const size_t n_option_rows = N_ROWS;

static const char *option_name(size_t i)
{
	return option_rows[i].name;
}

bool option_given(const struct options *o, const struct option_row *row)
{
	return o->given >> (row - option_rows) & 1;
}

static int parse_value(struct options *o, const struct option_row *row, const char *arg, char *why,
		       size_t size)
{
	return row->type ? row->type->parse(row, arg, (char *)o + row->target, why, size) : 0;
}

int option_set(struct options *o, const struct option_row *row, const char *arg, char *why,
	       size_t size)
{
	int err = parse_value(o, row, arg, why, size);

	if (err)
		return err;
	o->given |= 1u << (row - option_rows);
	if (row->run)
		o->run = row->run;
	if (row->implies_batch)
		o->recording.batch = true;
	return 0;
}

int option_print(const struct options *o, const struct option_row *row, FILE *to)
{
	return row->type->print(row, (const char *)o + row->target, to);
}

#define OPTION_LONG 256 /* getopt value of a long option: this + its row */

/* The table for getopt_long(). */
struct getopt_tables {
	char letters[3 * N_ROWS + 2];
	struct option longs[N_ROWS + 1];
};

static void getopt_tables_fill(struct getopt_tables *g)
{
	char *p = g->letters;
	size_t i;

	memset(g, 0, sizeof(*g));
	*p++ = ':'; /* distinguish a missing argument from an unknown option */
	for (i = 0; i < N_ROWS; i++) {
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

static const struct option_row *find_row(int value)
{
	size_t i;

	if (value >= OPTION_LONG)
		return &option_rows[value - OPTION_LONG];
	for (i = 0; i < N_ROWS; i++) {
		if (option_rows[i].letter && option_rows[i].letter == value)
			return &option_rows[i];
	}
	return NULL;
}

/* For a long option getopt leaves 0 or its value in optopt, for a short one the letter. */
static int refuse_option(const char *word, int letter, char *why, size_t size)
{
	char name[48], near[NEAR_LEN];
	size_t len;

	if (letter && letter < OPTION_LONG) {
		/* may be any byte: not all are printable */
		if (!isgraph(letter))
			return refuse(why, size, "no option -\\x%02x; --help lists the options",
				      letter & 0xff);
		return refuse(why, size, "no option -%c; --help lists the options", letter);
	}
	len = strcspn(word, "=");
	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	if (letter >= OPTION_LONG)
		return refuse(why, size, "%s: it takes no argument; leave '=...' out", name);
	suggest(name + 2, option_name, N_ROWS, near, sizeof(near));
	return refuse_name(why, size, "option", name + 2, near);
}

void options_default(struct options *o)
{
	*o = (struct options){ .output = { .sort = -1, .sort_descending = -1 } };
	for (size_t i = 0; i < N_ROWS; i++) {
		char why[160];

		if (option_rows[i].initial)
			parse_value(o, &option_rows[i], option_rows[i].initial, why, sizeof(why));
	}
}

static bool is_changing(const char *expr)
{
	struct filter *filter = NULL;
	char cause[200];
	bool changes;

	if (filter_parse(expr, &filter, cause, sizeof(cause)))
		return false;
	changes = filter_changes(filter);
	filter_free(filter);
	return changes;
}

/* Check options against each other. */
static int options_check(const struct options *o, char *why, size_t size)
{
	if (o->run != RUN_MONITOR)
		return 0;
	if (o->output.format && o->output.format->whole_file && is_changing(o->output.filter))
		return refuse(why, size,
			      "--filter: counters that come and go mean nothing to prometheus; "
			      "compare no number but cpu");
	if (o->recording.path)
		return 0;
	if (o->recording.speed > 0)
		return refuse(why, size,
			      "--speed: nothing to replay; give a recording with -r FILE");
	if (o->recording.step)
		return refuse(why, size,
			      "--step: nothing to replay; give a recording with -r FILE");
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, char *why, size_t size)
{
	struct getopt_tables g;
	char cause[256];
	int value, err;

	options_default(o);
	getopt_tables_fill(&g);
	optind = 0; /* glibc and musl: restart with this argv */
	opterr = 0;
	while ((value = getopt_long(argc, argv, g.letters, g.longs, NULL)) != -1) {
		const struct option_row *row;
		const char *arg = optarg;

		if (value == ':') {
			row = find_row(optopt);
			return refuse(why, size, "--%s: its argument is missing; give %s",
				      row->name, row->argument);
		}
		if (value == '?')
			return refuse_option(argv[optind - 1], optopt, why, size);
		row = find_row(value);
		/* `-e NAME`: getopt takes an optional argument only when attached. A negative
		 * number is one, too. */
		if (row->argument && row->argument[0] == '[' && !arg && optind < argc &&
		    (argv[optind][0] != '-' || isdigit((unsigned char)argv[optind][1])))
			arg = argv[optind++];
		err = option_set(o, row, arg, cause, sizeof(cause));
		if (err)
			return refuse(why, size, "--%s: %s", row->name, cause);
	}
	if (optind < argc)
		return refuse(why, size, "'%.40s': unexpected argument; --help lists the options",
			      argv[optind]);
	o->recording.output = o->output.to;
	o->recording.quiet = o->batch.quiet;
	o->batch.recording = o->recording.path;
	return options_check(o, why, size);
}

#define HELP_INDENT 30
#define HELP_WIDTH  79

static void help_row(FILE *to, const struct option_row *row)
{
	char letter[8] = "    ", left[64];
	int len;

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	len = snprintf(left, sizeof(left), "  %s--%s%s%s", letter, row->name,
		       row->argument ? " " : "", row->argument ? row->argument : "");
	fputs(left, to);
	if (len > HELP_INDENT - 2)
		fprintf(to, "\n%*s", HELP_INDENT, "");
	else
		fprintf(to, "%*s", HELP_INDENT - len, "");
	wrap(to, row->help, HELP_INDENT, HELP_INDENT, HELP_WIDTH);
}

static void help_named(FILE *to, const char *name, const char *help)
{
	int len = fprintf(to, "  %s", name);

	fprintf(to, "%*s", len < HELP_INDENT ? HELP_INDENT - len : 1, "");
	wrap(to, help, HELP_INDENT, HELP_INDENT, HELP_WIDTH);
}

int options_help(FILE *to)
{
	size_t i;

	fputs("usage: xdptop [options]\n"
	      "top(1) for XDP: counts the kernel's XDP tracepoints, and shows who redirects,\n"
	      "who drops, why, and on which CPU.\n\n",
	      to);
	for (i = 0; i < N_ROWS; i++)
		help_row(to, &option_rows[i]);
	fputs("\nformats:\n", to);
	for (i = 0; i < n_output_formats; i++)
		help_named(to, output_formats[i]->name, output_formats[i]->help);
	fputs("\nviews:\n", to);
	for (i = 0; i < VIEW_COUNT; i++)
		help_named(to, views[i].name, views[i].help);
	fputs("\ncolumns, for --sort and --filter:\n", to);
	for (i = 0; i < COLUMN_COUNT; i++)
		help_named(to, columns[i].name, columns[i].help);
	fputs("\nexit status: 0 done; 1 failed while running; 2 usage; 3 privilege missing;\n"
	      "4 no requested tracepoint could be attached; 5 output or input file\n",
	      to);
	return ferror(to) || fflush(to) ? -errno : 0;
}
