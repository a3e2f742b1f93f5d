// SPDX-License-Identifier: GPL-2.0-or-later
/* --help: one page, and topics that do not fit on it. */
#include <errno.h>
#include <string.h>
#include "base/format.h"
#include "cli/options.h"
#include "diagnose/finding_code.h"

#define PAGE_INDENT  27 /* options have one line each */
#define TOPIC_INDENT 30
#define WIDTH        79

static void row(FILE *to, const char *name, const char *help, int indent)
{
	int len = fprintf(to, "  %s", name);

	fprintf(to, "%*s", len + 2 <= indent ? indent - len : 2, "");
	wrap(to, help, len + 2 <= indent ? indent : len + 2, indent, WIDTH);
}

static void print_options(FILE *to)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *o = &option_rows[i];
		char name[64], letter[8] = "    ";

		if (o->letter)
			snprintf(letter, sizeof(letter), "-%c, ", o->letter);
		snprintf(name, sizeof(name), "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
			 o->argument ? o->argument : "");
		row(to, name, o->help, PAGE_INDENT);
	}
}

static void print_views(FILE *to)
{
	for (size_t i = 0; i < VIEW_COUNT; i++)
		row(to, views[i].name, views[i].help, TOPIC_INDENT);
}

static void print_columns(FILE *to)
{
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s %s", columns[i].name, columns[i].title);
		row(to, name, columns[i].help, TOPIC_INDENT);
	}
}

static void print_filter(FILE *to)
{
	fputs(filter_help, to);
}

static void print_formats(FILE *to)
{
	for (size_t i = 0; i < n_output_formats; i++)
		row(to, output_formats[i]->name, output_formats[i]->help, TOPIC_INDENT);
}

static void print_findings(FILE *to)
{
	const struct finding_code *code;

	for (size_t i = 0; (code = finding_code_at(i)); i++)
		row(to, code->name, code->meaning, TOPIC_INDENT);
}

static void print_tracepoints(FILE *to)
{
	for (size_t i = 0; i < TP_COUNT; i++)
		if (*tracepoints[i].name)
			row(to, tracepoints[i].name, tracepoints[i].what, TOPIC_INDENT);
}

static void print_exit(FILE *to)
{
	static const char *const codes[] = {
		[EXIT_DONE] = "done; with --check: no such finding, with --diff: no difference",
		[EXIT_FAILED] = "failed while running",
		[EXIT_USAGE] = "usage",
		[EXIT_PRIVILEGE] = "privilege missing",
		[EXIT_NO_TRACEPOINT] =
			"nothing could be attached, or --capture cannot read packets",
		[EXIT_FILE] = "output or input file",
		[EXIT_FINDINGS] = "--check has findings, --diff differences",
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		fprintf(to, "  %zu  %s\n", i, codes[i]);
}

static const struct topic {
	const char *name, *title;
	void (*print)(FILE *to);
} topics[] = {
	{ "views", "views, for --view", print_views },
	{ "columns", "columns, for --sort and --filter", print_columns },
	{ "filter", "terms of --filter", print_filter },
	{ "formats", "formats, for --output", print_formats },
	{ "findings", "findings; xdptop -e NAME explains one", print_findings },
	{ "tracepoints", "tracepoints; xdptop --list shows their state", print_tracepoints },
	{ "exit", "exit status", print_exit },
};
#define N_TOPICS (sizeof(topics) / sizeof(topics[0]))

const char *help_topic(size_t i)
{
	return i < N_TOPICS ? topics[i].name : i == N_TOPICS ? "all" : NULL;
}

static void print_page(FILE *to)
{
	fputs("usage: xdptop [options]\n"
	      "top(1) for XDP: who redirects, who drops, why, and on which CPU.\n\n"
	      "  sudo xdptop                           the screen: ? for help, q to quit\n"
	      "  sudo xdptop -b -v errors -n 1         one table on stdout\n"
	      "  sudo xdptop --check                   what is wrong, if anything\n"
	      "  sudo xdptop -o json >f; xdptop -r f   record, and replay\n\n"
	      "XDP_DROP and XDP_PASS fire no tracepoint: --verdicts counts them. xdptop -e\n"
	      "DROP says what else shows them.\n\n",
	      to);
	print_options(to);
	fputs("\ntopics:", to);
	for (size_t i = 0; help_topic(i); i++)
		fprintf(to, "%s %s", i ? "," : "", help_topic(i));
	fputs("\nfull documentation: man xdptop, xdptop-columns, xdptop-formats\n", to);
}

int options_help(const char *topic, FILE *to)
{
	bool all = topic && !strcmp(topic, "all");

	if (!topic || all)
		print_page(to);
	for (size_t i = 0; topic && i < N_TOPICS; i++) {
		if (!all && strcmp(topics[i].name, topic) != 0)
			continue;
		fprintf(to, "%s%s:\n", all ? "\n" : "", topics[i].title);
		topics[i].print(to);
	}
	return ferror(to) || fflush(to) ? -errno : 0;
}
