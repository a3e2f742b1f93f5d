// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the program's tables as lines of KIND, name, argument or keys, help, separated by tabs.
 * The man page and the completions are filled from these (tests/tables/fill) and compared with
 * them.
 */
#include <stdio.h>
#include <string.h>
#include "diagnose/driver.h"
#include "diagnose/finding_code.h"
#include "model/kernel_names.h"
#include "cli/options.h"
#include "output/output.h"
#include "schema/field_help.h"
#include "schema/record.h"
#include "source/data_source.h"
#include "ui/key.h"

static void row(const char *kind, const char *name, const char *argument, const char *help)
{
	printf("%s\t%s\t%s\t%s\n", kind, name, argument ? argument : "", help);
}

static void options_print(void)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *o = &option_rows[i];
		char name[64], words[512];

		if (o->letter)
			snprintf(name, sizeof(name), "-%c --%s", o->letter, o->name);
		else
			snprintf(name, sizeof(name), "--%s", o->name);
		row("option", name, o->argument, o->help);
		if (!o->choice)
			continue;
		for (size_t j = 0, len = 0; o->choice(j); j++)
			len += (size_t)snprintf(words + len, sizeof(words) - len, "%s%s",
						j ? " " : "", o->choice(j));
		row("choice", name, "", words);
	}
}

static void keys_print(void)
{
	for (size_t i = 0; i < n_key_rows; i++) {
		char names[80];

		key_row_names(names, sizeof(names), &key_rows[i]);
		if (key_rows[i].group)
			row("group", key_rows[i].group, "", "");
		row("key", names, "", key_rows[i].help);
	}
}

static void object_print(const struct record_object *object)
{
	char fields[2048] = "";
	size_t len = 0;

	for (size_t i = 0; i < object->n_fields; i++)
		len += (size_t)snprintf(fields + len, sizeof(fields) - len, "%s%s", i ? " " : "",
					object->fields[i].name);
	row("object", object->type, "", fields);
}

static void fields_print(const struct record_object *object)
{
	for (size_t i = 0; i < object->n_fields; i++) {
		const struct field_help *help = field_help_find(object, &object->fields[i]);
		char name[80], kind[48] = "";

		snprintf(name, sizeof(name), "%s %s", object->type, object->fields[i].name);
		if (help)
			field_help_kind(help, &object->fields[i], kind, sizeof(kind));
		row("field", name, kind, help ? help->text : "");
	}
}

/* Whether a field of any object has this help. */
static bool is_used(const struct field_help *help)
{
	const struct record_object *object;

	for (size_t i = 0; (object = data_source_object(i)); i++)
		for (size_t j = 0; j < object->n_fields; j++)
			if (field_help_find(object, &object->fields[j]) == help)
				return true;
	return false;
}

static void objects_print(void)
{
	const struct record_object *object;
	const struct field_help *help;

	for (size_t i = 0; (object = data_source_object(i)); i++)
		object_print(object);
	for (size_t i = 0; (object = data_source_object(i)); i++)
		fields_print(object);
	for (size_t i = 0; (help = field_help_at(i)); i++)
		if (!is_used(help))
			row("unused", help->name, help->object, help->text);
}

static bool is_same_code(const struct cause *a, const struct cause *b)
{
	uint32_t exception = 1u << TP_XDP_EXCEPTION;

	/* 0 is an action there, but not an errno elsewhere */
	return a->code == b->code && (a->code < 0 || (a->tracepoints & b->tracepoints & exception));
}

/* Errnos and actions that the program explains. */
static void codes_print(void)
{
	for (size_t i = 0; i < n_causes; i++) {
		const struct cause *m = &causes[i];
		const char *name = m->code < 0 ? errno_name(m->code) : act_name(m->code, NULL, 0);
		size_t before = 0, all = 0;

		if (!(m->code < 0 || m->tracepoints & 1u << TP_XDP_EXCEPTION) ||
		    m->code == CAUSE_BAD_ACT)
			continue;
		for (size_t j = 0; j < n_causes; j++) {
			before += j < i && is_same_code(m, &causes[j]);
			all += is_same_code(m, &causes[j]);
		}
		if (!before)
			row("code", name, "",
			    all > 1 ? "its meaning depends on tracepoint and target" : m->meaning);
	}
}

static void metrics_print(void)
{
	const char *name, *help;
	char labels[128];

	for (size_t i = 0; (name = output_prometheus.metric(i, labels, sizeof(labels), &help)); i++)
		row("metric", name, labels, help);
}

/* What doc/drivers.md has about a driver: reports, when it is a target, its own errnos. */
static void drivers_print(void)
{
	static const char *const targets[] = { [TARGET_ALWAYS] = "always",
					       [TARGET_FOLLOWS] = "follows",
					       [TARGET_PEER] = "peer",
					       [TARGET_SLAVES] = "slaves",
					       [TARGET_NEVER] = "never" };

	for (size_t i = 0; i < n_drivers; i++) {
		const struct driver *d = &drivers[i];
		char words[256], counters[128];
		int len = snprintf(words, sizeof(words), "%s%s%s%s%s%s", targets[d->target],
				   d->reports & DRIVER_ABORTED ? " ABORTED" : "",
				   d->reports & DRIVER_INVALID ? " invalid" : "",
				   d->reports & DRIVER_TX ? " TX" : "",
				   d->reports & DRIVER_ECHO ? " redirect" : "",
				   d->reports & DRIVER_FLUSHES_EACH ? " flushes" : "");

		for (const struct cause *c = d->causes; c && c->tracepoints; c++)
			if (c->tracepoints & AT_XMIT && c->code)
				len += snprintf(words + len, sizeof(words) - (size_t)len, " %s",
						errno_name(c->code));
		snprintf(counters, sizeof(counters), "%s%s",
			 d->reports & DRIVER_LINK ? "link " : "", d->counters ?: "none");
		row("driver", d->name, words, counters);
	}
}

int main(void)
{
	const struct finding_code *code;

	options_print();
	for (size_t i = 0; i < n_output_formats; i++)
		row("format", output_formats[i]->name, "", output_formats[i]->help);
	for (int i = 0; i < VIEW_COUNT; i++)
		row("view", views[i].name, "", views[i].help);
	for (int i = 0; i < COLUMN_COUNT; i++)
		row("column", columns[i].name, columns[i].title, columns[i].help);
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (columns[i].number)
			row("number", columns[i].name, columns[i].title, "");
	for (int i = 0; i < TP_VERDICTS; i++) {
		char key[] = { tracepoints[i].key ? tracepoints[i].key : '-', '\0' };

		row("tracepoint", tracepoints[i].name, key, tracepoints[i].what);
	}
	keys_print();
	for (size_t i = 0; (code = finding_code_at(i)); i++)
		row("finding", code->name, finding_severity_name(code->severity), code->meaning);
	codes_print();
	metrics_print();
	objects_print();
	drivers_print();
	return fflush(stdout) ? 1 : 0;
}
