// SPDX-License-Identifier: GPL-2.0-or-later
#include "explain/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/exit_code.h"
#include "base/suggest.h"
#include "base/wrap.h"
#include "diagnose/finding_code.h"
#include "diagnose/location_text.h"
#include "model/kernel_names.h"
#include "table/column.h"

#define INDENT 10
#define WIDTH  79

static const struct redirect_name {
	uint8_t bit;
	const char *name;
} redirect_names[] = {
	{ REDIRECT_IFINDEX, "ifindex" },  { REDIRECT_DEVMAP, "devmap" },
	{ REDIRECT_CPUMAP, "cpumap" },    { REDIRECT_XSKMAP, "xskmap" },
	{ REDIRECT_NO_HELPER, "no map" }, { REDIRECT_OTHER, "other maps" },
};

static void print_labelled(const char *label, const char *text)
{
	printf("  %-*s", INDENT - 2, label);
	wrap(stdout, text, INDENT, INDENT, WIDTH);
}

static void print_tracepoints(const struct cause *cause)
{
	size_t i;
	bool first = true;

	for (i = 0; i < TP_COUNT; i++) {
		if (!(cause->tracepoints & (1u << i)) || !tracepoints[i].name[0])
			continue;
		printf("%s%s", first ? "" : ", ", tracepoints[i].name);
		first = false;
	}
	if (cause->redirect == REDIRECT_ANY || !cause->redirect)
		return;
	first = true;
	for (i = 0; i < sizeof(redirect_names) / sizeof(redirect_names[0]); i++) {
		if (!(cause->redirect & redirect_names[i].bit))
			continue;
		printf("%s%s", first ? " (" : ", ", redirect_names[i].name);
		first = false;
	}
	putchar(')');
}

static bool is_exception(const struct cause *cause)
{
	return cause->tracepoints & (1u << TP_XDP_EXCEPTION);
}

static void print_code(const struct cause *cause)
{
	char buf[24];
	const char *name;

	if (is_exception(cause) && cause->code >= CAUSE_BAD_ACT)
		printf("UNKNOWN");
	else if (is_exception(cause))
		printf("%s", act_name(cause->code, buf, sizeof(buf)));
	else if (!cause->code)
		printf("drops without an errno");
	else if ((name = errno_name(cause->code)))
		printf("%s", name);
	else
		printf("%d", cause->code);
}

/* Prints commands with WORDS in place of names. */
static void print_commands(const char *templates)
{
	const char *label = "run";

	while (templates && *templates) {
		size_t len = strcspn(templates, "\n");
		char template[256], command[256];

		snprintf(template, sizeof(template), "%.*s", (int)len, templates);
		if (location_command(template, NULL, NULL, command, sizeof(command)) > 0)
			printf("  %-*s%s\n", INDENT - 2, label, command);
		label = "";
		templates += len;
		templates += *templates == '\n';
	}
}

static void print_cause(const struct cause *cause)
{
	print_code(cause);
	printf(" at ");
	print_tracepoints(cause);
	putchar('\n');
	print_labelled("means", cause->meaning);
	print_labelled("next", cause->remedy.text);
	print_labelled("from", cause->source);
	print_commands(cause->remedy.commands);
	putchar('\n');
}

/* Parses 95 or -95, as other tools print it; 0 when it is no errno. */
static int parse_errno(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	return end == text || *end || n < -4095 || n > 4095 ? 0 : (int)labs(n);
}

static bool explain_errno(const char *name)
{
	int err = errno_find(name);
	const char *known;
	bool found = false;
	size_t i;

	if (err <= 0)
		err = parse_errno(name);
	known = err > 0 ? errno_name(err) : NULL;
	if (!known)
		return false;
	printf("%s (-%d): %s\n\n", known, err, strerror(err));
	for (i = 0; i < n_causes; i++) {
		if (is_exception(&causes[i]) || causes[i].code != -err)
			continue;
		print_cause(&causes[i]);
		found = true;
	}
	if (!found)
		puts("No XDP tracepoint is known to report it.");
	return true;
}

static bool explain_act(const char *name)
{
	char buf[24];
	bool bad = !strncasecmp(name, "UNKNOWN", 7);
	int act = bad ? CAUSE_BAD_ACT : act_find(name);
	bool found = false;
	size_t i;

	if (act < 0)
		return false;
	if (bad)
		puts("UNKNOWN: a value that is no action of XDP\n");
	else
		printf("%s (%d): an action that an XDP program returns\n\n",
		       act_name(act, buf, sizeof(buf)), act);
	for (i = 0; i < n_causes; i++) {
		if (!is_exception(&causes[i]) || causes[i].code != act)
			continue;
		print_cause(&causes[i]);
		found = true;
	}
	if (!found)
		puts("xdp_exception never reports it.");
	return true;
}

static void print_tracepoint(int id)
{
	printf("%s\n", tracepoints[id].name);
	print_labelled("is", tracepoints[id].what);
	print_labelled("fires", tracepoints[id].fires);
	print_labelled("start", tracepoints[id].on ? "on" : "off");
	putchar('\n');
}

static bool explain_tracepoint(const char *name)
{
	int id = tracepoint_find(name);
	size_t i;

	if (id < 0)
		return false;
	print_tracepoint(id);
	for (i = 0; i < n_causes; i++) {
		if (causes[i].tracepoints & (1u << id))
			print_cause(&causes[i]);
	}
	return true;
}

static bool explain_column(const char *name)
{
	int id = column_find(name);

	if (id < 0)
		return false;
	printf("%s (%s)\n", columns[id].name, columns[id].title);
	print_labelled("is", columns[id].help);
	if (*columns[id].unit)
		print_labelled("unit", columns[id].unit);
	return true;
}

static void print_finding(const struct finding_code *code)
{
	printf("%s (%s)\n", code->name, finding_severity_name(code->severity));
	print_labelled("means", code->meaning);
	if (code->remedy.text)
		print_labelled("next", code->remedy.text);
}

static bool explain_finding(const char *name)
{
	const struct finding_code *code = finding_code_find(name);
	size_t i;

	if (!code)
		return false;
	print_finding(code);
	putchar('\n');
	/* errors that lead to it */
	for (i = 0; i < n_causes; i++) {
		const struct cause *cause = &causes[i];

		if (finding_for_cause(cause) == code)
			print_cause(cause);
	}
	return true;
}

static void explain_all(void)
{
	const struct finding_code *code;
	size_t i;

	for (i = 0; i < TP_COUNT; i++) {
		if (tracepoints[i].name[0])
			print_tracepoint((int)i);
	}
	for (i = 0; i < n_causes; i++)
		print_cause(&causes[i]);
	for (i = 0; (code = finding_code_at(i)); i++)
		print_finding(code);
}

/* All names for suggest_loose(). EHWPOISON, 133, is Linux's last errno. */
#define N_ACTS   5
#define N_ERRNOS 133

static const char *known_name(size_t i)
{
	if (i < TP_COUNT)
		return tracepoints[i].name;
	i -= TP_COUNT;
	if (i >= N_ACTS + N_ERRNOS + COLUMN_COUNT)
		return finding_code_at(i - N_ACTS - N_ERRNOS - COLUMN_COUNT)->name;
	if (i >= N_ACTS + N_ERRNOS)
		return columns[i - N_ACTS - N_ERRNOS].name;
	return i < N_ACTS ? act_name((int)i, NULL, 0) : errno_name((int)(i - N_ACTS) + 1);
}

int explain(const char *name)
{
	size_t n_codes = 0;
	char near[160];

	if (!name) {
		explain_all();
		return EXIT_DONE;
	}
	if (explain_tracepoint(name) || explain_act(name) || explain_errno(name) ||
	    explain_finding(name) || explain_column(name))
		return EXIT_DONE;
	while (finding_code_at(n_codes))
		n_codes++;
	suggest_loose(name, known_name, TP_COUNT + N_ACTS + N_ERRNOS + COLUMN_COUNT + n_codes, near,
		      sizeof(near));
	fprintf(stderr, "xdptop: --explain: nothing known about '%.48s'; %s%s\n", name,
		near[0] ? "nearest: "
			: "give an errno, an action, a tracepoint, a column or a finding",
		near);
	return EXIT_USAGE;
}
