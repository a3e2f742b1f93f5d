// SPDX-License-Identifier: GPL-2.0-or-later
#include "explain/explain.h"

#include <limits.h>
#include <linux/bpf.h>
#include "base/error.h"
#include "base/suggest.h"
#include "diagnose/driver.h"
#include "diagnose/finding_code.h"
#include "diagnose/location_text.h"
#include "schema/field_help.h"
#include "source/data_source.h"

#define INDENT 10
#define WIDTH  79

static const struct {
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
	const char *before = "";

	for (size_t i = 0; i < TP_COUNT; i++) {
		if (!(cause->tracepoints & BIT(i)) || !tracepoints[i].name[0])
			continue;
		printf("%s%s", before, tracepoints[i].name);
		before = ", ";
	}
	if ((cause->redirect & REDIRECT_ANY) == REDIRECT_ANY || !cause->redirect)
		return;
	before = " (";
	for (size_t i = 0; i < sizeof(redirect_names) / sizeof(redirect_names[0]); i++) {
		if (!(cause->redirect & redirect_names[i].bit))
			continue;
		printf("%s%s", before, redirect_names[i].name);
		before = ", ";
	}
	putchar(')');
}

static const char *code_text(const struct cause *cause)
{
	if (cause->tracepoints & AT_EXCEPTION)
		return cause->code == CAUSE_BAD_ACT ? "UNKNOWN" : act_name(cause->code, NULL, 0);
	return cause->code ? errno_name(cause->code) : "drops without an errno";
}

static int print_kernels(const struct cause *cause)
{
	uint16_t last = cause_up_to(cause);

	return last ? printf(", up to Linux %u.%u", last >> 8, last & UINT8_MAX) : 0;
}

static void print_cause(const struct cause *cause)
{
	const char *templates = cause->remedy.commands, *label = "run";
	char template[256], command[256];

	printf("%s at ", code_text(cause));
	print_tracepoints(cause);
	print_kernels(cause);
	putchar('\n');
	print_labelled("means", cause->meaning);
	print_labelled("fix", cause->remedy.text);
	print_labelled("from", cause->source);
	/* without a location names are WORDS */
	while ((templates = next_line(templates, template, sizeof(template)))) {
		location_command(template, NULL, NULL, command, sizeof(command));
		printf("  %-*s%s\n", INDENT - 2, label, command);
		label = "";
	}
	putchar('\n');
}

/* Prints causes of a code (ANY_CODE = all) at these tracepoints. False = there are none. */
#define ANY_CODE INT_MIN
static bool print_causes(uint32_t at, int code)
{
	bool found = false;

	for (size_t i = 0; i < n_causes; i++) {
		if (!(causes[i].tracepoints & at) || (code != ANY_CODE && causes[i].code != code))
			continue;
		print_cause(&causes[i]);
		found = true;
	}
	return found;
}

/* Prints drivers with the same text about an error together, at the first of them. */
static void print_drivers(const struct cause *cause, size_t row)
{
	int len = 0;

	for (size_t i = 0; i < n_drivers; i++) {
		const struct cause *c = drivers[i].causes;

		while (c && c->tracepoints &&
		       (c->tracepoints != cause->tracepoints || c->code != cause->code ||
			cause_up_to(c) != cause_up_to(cause) ||
			strcmp(c->meaning, cause->meaning) != 0))
			c++;
		if (!c || !c->tracepoints)
			continue;
		if (i < row)
			return;
		len += printf("%s%s", len ? ", " : "  ", drivers[i].name);
	}
	len += print_kernels(cause) + printf(": ");
	wrap(stdout, cause->meaning, len, INDENT, WIDTH);
}

static void print_by_driver(uint32_t at, int code)
{
	bool head = false;

	for (size_t i = 0; i < n_drivers; i++) {
		for (const struct cause *c = drivers[i].causes; c && c->tracepoints; c++) {
			if (!(c->tracepoints & at) || c->code != code)
				continue;
			if (!head)
				puts("By driver");
			head = true;
			print_drivers(c, i);
		}
	}
	if (head)
		putchar('\n');
}

static bool explain_errno(const char *name)
{
	int err = errno_find(name);
	const char *known;
	char *end;
	long n = strtol(name, &end, 10);

	/* 95 or -95, as other tools print it */
	if (end != name && !*end && n >= -4095 && n <= 4095)
		err = (int)labs(n);
	known = errno_name(err);
	if (!known)
		return false;
	printf("%s (-%d): %s\n\n", known, err, errno_text(err));
	if (!print_causes(~AT_EXCEPTION, -err))
		puts("No XDP tracepoint is known to report it.");
	print_by_driver(~AT_EXCEPTION, -err);
	return true;
}

/* Actions that are not failures fire no tracepoint. */
static void print_uncounted(int act)
{
	printf("%s\n", act_name(act, NULL, 0));
	print_labelled("means",
		       act == XDP_DROP ? "the program dropped the packet. No tracepoint fires for "
					 "that, so only --verdicts counts it"
				       : "the packet continues into the network stack. No "
					 "tracepoint fires for that, so only --verdicts counts it");
	print_labelled("fix", "start xdptop with --verdicts. Without it, the driver may have a "
			      "counter for this (xdp_drop), and xdpdump (from xdp-tools) lists "
			      "each packet with its verdict");
	print_labelled("run", "ethtool -S DEVICE");
	print_labelled("", "xdpdump -i DEVICE --rx-capture exit");
	putchar('\n');
}

static bool explain_act(const char *name)
{
	bool bad = !strncasecmp(name, "UNKNOWN", 7);
	/* in capitals, as in the kernel's enum, because xdp_drop is a field */
	int act = bad ? CAUSE_BAD_ACT : act_find(strncmp(name, "XDP_", 4) ? name : name + 4);

	if (act < 0)
		return false;
	if (bad)
		puts("UNKNOWN: a value that is not an XDP action\n");
	else
		printf("%s (%d): an action that an XDP program returns\n\n", act_name(act, NULL, 0),
		       act);
	if (act == XDP_DROP || act == XDP_PASS)
		print_uncounted(act);
	if (!print_causes(AT_EXCEPTION, act))
		puts("xdp_exception never reports it.");
	print_by_driver(AT_EXCEPTION, act);
	return true;
}

static void print_tracepoint(int id)
{
	printf("%s\n", tracepoints[id].name);
	print_labelled("what", tracepoints[id].what);
	print_labelled("fires", tracepoints[id].fires);
	print_labelled("start", tracepoints[id].on ? "on" : "off");
	putchar('\n');
}

static bool explain_tracepoint(const char *name)
{
	const char *instead = tracepoint_instead(name);
	int id = tracepoint_find(instead ?: name);

	if (id < 0)
		return false;
	if (instead)
		printf("%s: " TRACEPOINT_SILENT "\n\n", name, instead);
	print_tracepoint(id);
	print_causes(BIT(id), ANY_CODE);
	return true;
}

static bool explain_column(const char *name)
{
	int id = column_find(name);

	if (id < 0)
		return false;
	printf("%s (%s)\n", columns[id].name, columns[id].title);
	print_labelled("what", columns[id].help);
	if (*columns[id].unit)
		print_labelled("unit", columns[id].unit);
	return true;
}

/* Lists the objects whose field has this help: "device, socket". Returns the field, or NULL. */
static const struct record_field *helped_objects(const struct field_help *help, const char *name,
						 char *buf, size_t size)
{
	const struct record_object *object;
	const struct record_field *found = NULL;
	size_t len = 0;

	for (size_t i = 0; (object = data_source_object(i)); i++) {
		const struct record_field *field = record_find(object, name);

		if (!field || field_help_find(object, field) != help || len >= size)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", found ? ", " : "",
					object->type);
		found = field;
	}
	return found;
}

static bool explain_field(const char *name)
{
	const struct field_help *help;
	char objects[256], kind[48];
	bool found = false;

	for (size_t i = 0; (help = field_help_at(i)); i++) {
		const struct record_field *field =
			helped_objects(help, name, objects, sizeof(objects));

		if (!field)
			continue;
		found = true;
		field_help_kind(help, field, kind, sizeof(kind));
		printf("%s (field of recordings)\n", name);
		print_labelled("in", objects);
		print_labelled("type", kind);
		print_labelled("what", help->text);
	}
	return found;
}

static bool explain_view(const char *name)
{
	int id = view_find(name);
	char titles[512];
	struct format_text t = { .buf = titles, .size = sizeof(titles) };

	if (id < 0)
		return false;
	for (int i = 0; i < views[id].n_columns; i++)
		format_add(&t, "%s%s", i ? " " : "", columns[views[id].column[i]].title);
	printf("%s (view)\n", name);
	print_labelled("shows", views[id].help);
	print_labelled("columns", titles);
	return true;
}

/* Prints what a driver reports through tracepoints. Only its counters may show the rest. */
static const struct {
	unsigned int bit;
	const char *what;
} driver_reports[] = {
	{ DRIVER_ABORTED, "XDP_ABORTED" },
	{ DRIVER_INVALID, "values that are not an action" },
	{ DRIVER_TX, "each failed XDP_TX" },
	{ DRIVER_BULK_TX, "failed XDP_TX in bulks (xdp_bulk_tx)" },
	{ DRIVER_ECHO, "failed redirects a second time (as xdp_exception)" },
};

static bool explain_driver(const char *name)
{
	static const char *const target[TARGET_NEVER + 1] = {
		[TARGET_ALWAYS] = "always accepts redirected frames",
		[TARGET_FOLLOWS] = "accepts redirected frames while it has a native program",
		[TARGET_PEER] =
			"accepts redirected frames while its peer has a native program or GRO",
		[TARGET_SLAVES] = "accepts redirected frames while all its slaves do",
		[TARGET_NEVER] = "does not accept redirected frames",
	};
	const struct driver *driver = driver_find(name);
	char reports[256] = "nothing: only its counters show its losses";
	struct format_text t = { .buf = reports, .size = sizeof(reports) };
	const char *before = "";

	for (size_t i = 0; i < n_drivers && !driver; i++)
		if (!strcmp(drivers[i].name, name))
			driver = &drivers[i];
	if (!driver)
		return false;
	for (size_t i = 0; i < sizeof(driver_reports) / sizeof(driver_reports[0]); i++) {
		if (!(driver->reports & driver_reports[i].bit))
			continue;
		format_add(&t, "%s%s", before, driver_reports[i].what);
		before = ", ";
	}
	printf("%s (driver)\n", driver->name);
	print_labelled("reports", reports);
	print_labelled("target", target[driver->target]);
	if (driver->counters)
		print_labelled("losses", driver->counters);
	putchar('\n');
	for (const struct cause *c = driver->causes; c && c->tracepoints; c++)
		print_cause(c);
	return true;
}

/* A view, a column and a field can have the same name. */
static bool explain_shown(const char *name)
{
	bool is_view = explain_view(name), is_column = explain_column(name);

	return explain_field(name) || is_column || is_view;
}

static void print_finding(const struct finding_code *code)
{
	const char *leads_to = NULL;

	printf("%s (%s)\n", code->name, finding_severity_name(code->severity));
	print_labelled("means", code->meaning);
	for (const struct rule *r = code->rules; r->subject; r++)
		leads_to = r->leads_to ?: leads_to;
	if (leads_to)
		print_labelled("causes", leads_to);
	if (code->remedy.text)
		print_labelled("fix", code->remedy.text);
}

static bool explain_finding(const char *name)
{
	const struct finding_code *code = finding_code_find(name);

	if (!code)
		return false;
	print_finding(code);
	putchar('\n');
	for (size_t i = 0; i < n_causes; i++)
		if (finding_has_cause(code, &causes[i]))
			print_cause(&causes[i]);
	return true;
}

static bool explain_change(const char *name)
{
	enum change change = change_find(name);

	if (change)
		printf("%s: a change: %s\n", change_words[change].name, change_words[change].help);
	return change;
}

static void explain_all(void)
{
	const struct finding_code *code;

	for (int i = 0; i < TP_COUNT; i++)
		if (tracepoints[i].name[0])
			print_tracepoint(i);
	print_causes(UINT32_MAX, ANY_CODE);
	for (size_t i = 0; (code = finding_code_at(i)); i++)
		print_finding(code);
}

/* All names for suggest_loose(). EHWPOISON, 133, is Linux's last errno. */
#define N_ACTS   5
#define N_ERRNOS 133

/* NULL if a column or an earlier row has this name, or if it is only a suffix. */
static const char *field_name(size_t i)
{
	const struct field_help *help = field_help_at(i);

	if (!help || help->name[0] == '_' || column_find(help->name) >= 0)
		return NULL;
	for (size_t before = 0; before < i; before++)
		if (!strcmp(field_help_at(before)->name, help->name))
			return NULL;
	return help->name;
}

static const char *known_name(size_t i)
{
	const struct finding_code *code;
	size_t n_findings = 0;

	if (i < TP_COUNT)
		return tracepoints[i].name;
	i -= TP_COUNT;
	if (i < N_ACTS)
		return act_name((int)i, NULL, 0);
	i -= N_ACTS;
	if (i < N_ERRNOS)
		return errno_name((int)i + 1);
	i -= N_ERRNOS;
	if (i < COLUMN_COUNT)
		return columns[i].name;
	i -= COLUMN_COUNT;
	if (i < VIEW_COUNT)
		return views[i].name;
	i -= VIEW_COUNT;
	if (i < n_drivers)
		return drivers[i].name;
	i -= n_drivers;
	if (i < CHANGES)
		return change_words[i].name;
	i -= CHANGES;
	code = finding_code_at(i);
	if (code)
		return code->name;
	while (finding_code_at(n_findings))
		n_findings++;
	return field_name(i - n_findings);
}

int explain(const char *name)
{
	size_t n_names =
		TP_COUNT + N_ACTS + N_ERRNOS + COLUMN_COUNT + VIEW_COUNT + n_drivers + CHANGES;
	size_t n_findings = 0;
	char near[160];

	if (!name) {
		explain_all();
		return EXIT_DONE;
	}
	if (explain_tracepoint(name) || explain_act(name) || explain_errno(name) ||
	    explain_finding(name) || explain_shown(name) || explain_driver(name) ||
	    explain_change(name))
		return EXIT_DONE;
	while (finding_code_at(n_findings))
		n_findings++;
	n_names += n_findings;
	for (size_t i = 0; field_help_at(i); i++)
		n_names++;
	suggest_loose(name, known_name, n_names, near, sizeof(near));
	message("--explain: nothing is known about '%.48s'; %s%s", name,
		near[0] ? "nearest: "
			: "give an errno, an action, a tracepoint, a view, a column, a field, a "
			  "driver, a change or a finding",
		near);
	return EXIT_USAGE;
}
