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

#define MAX_SERIES_LIMIT 65536
#define NEAR_LEN         160

static int __attribute__((format(printf, 3, 4)))
refuse(char *why, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, size, format, args);
	va_end(args);
	return -EINVAL;
}

/* The names that options take, for nearest(). */
static const char *format_name(size_t i)
{
	return output_formats[i].name;
}

static const char *option_name(size_t i)
{
	return option_rows[i].name;
}

/* Unknown word: with the names next to it, or where all of them are when none is near. */
static int refuse_name(char *why, size_t size, const char *what, const char *word, const char *near)
{
	return refuse(why, size, "no %s '%.48s'; %s%s", what, word, near[0] ? "nearest: " : "",
		      near[0] ? near : "--help lists them");
}

/* A whole decimal number within limits: no sign, blank, exponent or rest. */
static int parse_whole(const char *arg, uint64_t low, uint64_t high, uint64_t *n)
{
	char *end;

	if (!isdigit((unsigned char)arg[0]))
		return -EINVAL;
	errno = 0;
	*n = strtoull(arg, &end, 10);
	return errno || *end || *n < low || *n > high ? -EINVAL : 0;
}

/* A decimal number: strtod() alone also takes nan, inf, hex and leading blanks. */
static int parse_real(const char *arg, double low, double high, double *n)
{
	char *end;

	if (!arg[0] || strspn(arg, "0123456789.eE+") != strlen(arg))
		return -EINVAL;
	*n = strtod(arg, &end);
	return end == arg || *end || !isfinite(*n) || *n < low || *n > high ? -EINVAL : 0;
}

#define SET_FLAG(name, field)                                                             \
	static int set_##name(struct options *o, const char *arg, char *why, size_t size) \
	{                                                                                 \
		o->field = true;                                                          \
		return 0;                                                                 \
	}

SET_FLAG(batch, recording.batch)
SET_FLAG(per_cpu, output.per_cpu)
SET_FLAG(all, output.all)
SET_FLAG(step, recording.step)
SET_FLAG(ascii, output.ascii)
SET_FLAG(no_color, no_color)
SET_FLAG(quiet, batch.quiet)
SET_FLAG(verbose, trace.verbose)

static int set_output(struct options *o, const char *arg, char *why, size_t size)
{
	char near[NEAR_LEN];

	o->output.format = output_format_find(arg);
	o->recording.batch = true;
	if (o->output.format)
		return 0;
	suggest(arg, format_name, n_output_formats, near, sizeof(near));
	return refuse_name(why, size, "format", arg, near);
}

static int set_to(struct options *o, const char *arg, char *why, size_t size)
{
	if (!arg[0])
		return refuse(why, size, "the file name is empty; give a path");
	o->output.to = arg;
	o->recording.batch = true;
	return 0;
}

static int set_iterations(struct options *o, const char *arg, char *why, size_t size)
{
	if (parse_whole(arg, 1, UINT64_MAX, &o->batch.iterations))
		return refuse(why, size, "'%.40s' is not a count; give a whole number from 1 on",
			      arg);
	return 0;
}

static int set_delay(struct options *o, const char *arg, char *why, size_t size)
{
	if (parse_real(arg, 0.1, 3600, &o->batch.delay_s))
		return refuse(why, size, "'%.40s' is not an interval; give 0.1 to 3600 seconds",
			      arg);
	return 0;
}

static int set_view(struct options *o, const char *arg, char *why, size_t size)
{
	int view = view_find(arg);
	char near[NEAR_LEN];

	if (view >= 0) {
		o->output.view = (enum view_id)view;
		return 0;
	}
	view_suggest(arg, near, sizeof(near));
	return refuse_name(why, size, "view", arg, near);
}

static int set_sort(struct options *o, const char *arg, char *why, size_t size)
{
	const char *colon = strchr(arg, ':');
	char name[40], near[NEAR_LEN];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg, ":"), arg);
	if (colon && strcmp(colon, ":asc") && strcmp(colon, ":desc"))
		return refuse(why, size, "no order '%.40s'; give asc or desc", colon + 1);
	o->output.sort = column_find(name);
	o->output.sort_descending = colon ? !strcmp(colon, ":desc") : -1;
	if (o->output.sort >= 0)
		return 0;
	column_suggest(name, near, sizeof(near));
	return refuse_name(why, size, "column", name, near);
}

static int set_filter(struct options *o, const char *arg, char *why, size_t size)
{
	struct filter *filter = NULL;
	char cause[200] = "";
	int err = filter_parse(arg, &filter, cause, sizeof(cause));

	o->output.filter = filter ? arg : NULL;
	filter_free(filter);
	if (!err)
		return 0;
	if (err != -EINVAL)
		return refuse(why, size, "%s", strerror(-err));
	return refuse(why, size, "%s%s", cause,
		      strchr(cause, ';') ? "" : "; see --filter and the columns in --help");
}

static int set_tracepoints(struct options *o, const char *arg, char *why, size_t size)
{
	char near[NEAR_LEN], *bad = NULL;
	const char *name;
	int err = tracepoint_parse_set(arg, &o->trace.tracepoints, &bad);

	if (!err)
		return 0;
	if (!bad)
		return refuse(why, size, "%s", strerror(-err));
	name = bad + (bad[0] == '+' || bad[0] == '-');
	tracepoint_suggest(name, near, sizeof(near));
	refuse_name(why, size, "tracepoint", name, near);
	free(bad);
	return -EINVAL;
}

static int set_read(struct options *o, const char *arg, char *why, size_t size)
{
	if (!arg[0])
		return refuse(why, size, "the file name is empty; give a path, or - for stdin");
	o->recording.path = arg;
	return 0;
}

static int set_speed(struct options *o, const char *arg, char *why, size_t size)
{
	if (parse_real(arg, SOURCE_SPEED_MIN, SOURCE_SPEED_MAX, &o->recording.speed))
		return refuse(why, size, "'%.40s' is not a speed; give %g to %g (1 = as it was)",
			      arg, SOURCE_SPEED_MIN, SOURCE_SPEED_MAX);
	return 0;
}

static int set_budget(struct options *o, const char *arg, char *why, size_t size)
{
	if (parse_real(arg, 0, 100, &o->trace.budget))
		return refuse(why, size,
			      "'%.40s' is not a budget; give 0 (none) to 100 percent of one CPU",
			      arg);
	return 0;
}

static int set_max_series(struct options *o, const char *arg, char *why, size_t size)
{
	uint64_t n;

	if (parse_whole(arg, 1, MAX_SERIES_LIMIT, &n))
		return refuse(why, size, "'%.40s' is not a table size; give 1 to %d", arg,
			      MAX_SERIES_LIMIT);
	o->trace.max_series = (uint32_t)n;
	return 0;
}

static int set_backend(struct options *o, const char *arg, char *why, size_t size)
{
	if (!strcmp(arg, "auto"))
		o->trace.backend = BACKEND_AUTO;
	else if (!strcmp(arg, "btf"))
		o->trace.backend = BACKEND_BTF;
	else if (!strcmp(arg, "classic"))
		o->trace.backend = BACKEND_CLASSIC;
	else
		return refuse(why, size, "no backend '%.40s'; give auto, btf or classic", arg);
	return 0;
}

static int set_list(struct options *o, const char *arg, char *why, size_t size)
{
	o->run = RUN_LIST;
	return 0;
}

static int set_explain(struct options *o, const char *arg, char *why, size_t size)
{
	o->run = RUN_EXPLAIN;
	o->explain = arg;
	return 0;
}

static int set_help(struct options *o, const char *arg, char *why, size_t size)
{
	o->run = RUN_HELP;
	return 0;
}

static int set_version(struct options *o, const char *arg, char *why, size_t size)
{
	o->run = RUN_VERSION;
	return 0;
}

const struct option_row option_rows[OPTION_COUNT] = {
	[OPTION_BATCH] = { 'b', "batch", NULL,
			   "no curses: print snapshots to stdout (implied when stdout is not a "
			   "terminal)",
			   set_batch },
	[OPTION_OUTPUT] = { 'o', "output", "FORMAT",
			    "print in this format, text by default; implies -b", set_output },
	[OPTION_TO] = { 0, "to", "FILE",
			"write there instead of stdout; prometheus: replaced at each snapshot, "
			"mode 0644; "
			"implies -b",
			set_to },
	[OPTION_ITERATIONS] = { 'n', "iterations", "N", "stop after N snapshots", set_iterations },
	[OPTION_DELAY] = { 'd', "delay", "SECONDS", "interval, 0.1 to 3600, default 1", set_delay },
	[OPTION_VIEW] = { 'v', "view", "NAME",
			  "view to start with; in batch text and CSV: the view printed", set_view },
	[OPTION_SORT] = { 's', "sort", "COLUMN[:asc|:desc]", "sort the rows by this column",
			  set_sort },
	[OPTION_FILTER] = { 'f', "filter", "EXPR",
			    "words that must match any cell; FIELD=VALUE, FIELD!=VALUE, "
			    "FIELD>NUMBER, "
			    "FIELD<NUMBER; blank = and",
			    set_filter },
	[OPTION_PER_CPU] = { 'C', "per-cpu", NULL, "one more row per CPU", set_per_cpu },
	[OPTION_ALL] = { 'a', "all", NULL, "rows without activity too", set_all },
	[OPTION_TRACEPOINTS] = { 't', "tracepoints", "LIST",
				 "tracepoints to switch on: all, default, none, NAME, +NAME, "
				 "-NAME, comma separated",
				 set_tracepoints },
	[OPTION_READ] = { 'r', "read", "FILE",
			  "replay a recording made with -o json (- = stdin); needs no root",
			  set_read },
	[OPTION_SPEED] = { 0, "speed", "X",
			   "replay X times as fast; default 1 on the screen, without any pause in "
			   "batch",
			   set_speed },
	[OPTION_STEP] = { 0, "step", NULL, "replay: the next snapshot only at Space", set_step },
	[OPTION_BUDGET] = { 0, "budget", "PCT",
			    "percent of one CPU that per-packet tracepoints may cost before they "
			    "are switched off; "
			    "default 5, 0 = no limit",
			    set_budget },
	[OPTION_MAX_SERIES] = { 0, "max-series", "N", "size of the table of series, default 4096",
				set_max_series },
	[OPTION_BACKEND] = { 0, "backend", "NAME", "auto, btf or classic", set_backend },
	[OPTION_LIST] = { 'l', "list", NULL,
			  "the tracepoints, with their state on this kernel and the reason; -o "
			  "json too",
			  set_list },
	[OPTION_EXPLAIN] = { 'e', "explain", "[NAME]",
			     "the meaning of an errno, action, tracepoint, column or finding (-e "
			     "ENOSPC)",
			     set_explain },
	[OPTION_ASCII] = { 0, "ascii", NULL, "no characters outside of ASCII", set_ascii },
	[OPTION_NO_COLOR] = { 0, "no-color", NULL, "no colours (as does a NO_COLOR variable)",
			      set_no_color },
	[OPTION_QUIET] = { 'q', "quiet", NULL, "no remarks on stderr; errors are still printed",
			   set_quiet },
	[OPTION_VERBOSE] = { 0, "verbose", NULL, "say more on stderr, libbpf's own messages too",
			     set_verbose },
	[OPTION_HELP] = { 'h', "help", NULL, "print this help", set_help },
	[OPTION_VERSION] = { 'V', "version", NULL, "print the version", set_version },
};
const size_t n_option_rows = OPTION_COUNT;

#define OPTION_LONG 256 /* getopt values: the row's index on top of this */

/* What getopt_long() wants to know, made from the table. */
struct getopt_tables {
	char letters[3 * OPTION_COUNT + 2];
	struct option longs[OPTION_COUNT + 1];
};

static void getopt_tables_fill(struct getopt_tables *g)
{
	char *p = g->letters;
	size_t i;

	memset(g, 0, sizeof(*g));
	*p++ = ':'; /* tell a missing argument from an unknown option */
	for (i = 0; i < OPTION_COUNT; i++) {
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
	for (i = 0; i < OPTION_COUNT; i++) {
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
		/* any byte can stand there: not all can be printed */
		if (!isgraph(letter))
			return refuse(why, size, "no option -\\x%02x; --help lists the options",
				      letter & 0xff);
		return refuse(why, size, "no option -%c; --help lists the options", letter);
	}
	len = strcspn(word, "=");
	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	if (letter >= OPTION_LONG)
		return refuse(why, size, "%s: it takes no argument; leave '=...' out", name);
	suggest(name + 2, option_name, OPTION_COUNT, near, sizeof(near));
	return refuse_name(why, size, "option", name + 2, near);
}

static int set_row(struct options *o, const struct option_row *row, const char *arg, char *why,
		   size_t size)
{
	char cause[256] = "";
	int err = row->set(o, arg, cause, sizeof(cause));

	if (err)
		refuse(why, size, "--%s: %s", row->name, cause);
	else
		o->given |= 1u << (row - option_rows);
	return err;
}

bool options_given(const struct options *o, enum option_id id)
{
	return o->given >> id & 1;
}

static void options_default(struct options *o)
{
	char *bad = NULL;

	memset(o, 0, sizeof(*o));
	o->batch.delay_s = 1;
	o->output.view = VIEW_OVERVIEW;
	o->output.sort = -1;
	o->output.sort_descending = -1;
	o->trace.budget = 5;
	o->trace.max_series = 4096;
	tracepoint_parse_set("default", &o->trace.tracepoints, &bad);
	free(bad);
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

/* What only a look at all options together can tell. */
static int options_check(const struct options *o, char *why, size_t size)
{
	if (o->run != RUN_MONITOR)
		return 0;
	if (o->output.filter && o->output.format && o->output.format->whole_file &&
	    is_changing(o->output.filter))
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
	int value, err;

	options_default(o);
	getopt_tables_fill(&g);
	optind = 0; /* glibc and musl: start over, argv may be another one */
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
		err = set_row(o, row, arg, why, size);
		if (err)
			return err;
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
	for (i = 0; i < n_option_rows; i++)
		help_row(to, &option_rows[i]);
	fputs("\nformats:\n", to);
	for (i = 0; i < n_output_formats; i++)
		help_named(to, output_formats[i].name, output_formats[i].help);
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
