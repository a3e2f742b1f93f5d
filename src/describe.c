// SPDX-License-Identifier: GPL-2.0-or-later
#include "describe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "event_log.h"
#include "finding.h"
#include "meaning.h"
#include "place.h"
#include "tracepoint.h"

/* No more causes than one reads. */
#define CAUSES_MAX 16

static const struct series *member(const struct table *t, const struct row *row, size_t i)
{
	return &t->rates->to->series[t->member[row->member + i]];
}

static void __attribute__((format(printf, 4, 5)))
say(const struct describe *d, enum describe_style style, const char *label, const char *format, ...)
{
	char text[2 * SNAPSHOT_TEXT_LEN];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	d->line(d->ctx, style, label, text);
}

/* Commands, one a line, already filled in. */
static void say_commands(const struct describe *d, const char *commands)
{
	while (*commands) {
		size_t len = strcspn(commands, "\n");

		say(d, DESCRIBE_COMMAND, "", "%.*s", (int)len, commands);
		commands += len;
		commands += *commands == '\n';
	}
}

/* Templates of commands: those whose names are known. */
static void fill_commands(const struct describe *d, const struct table *t, const char *templates,
			  const struct place *p)
{
	while (*templates) {
		size_t len = strcspn(templates, "\n");
		char template[256], command[512];

		snprintf(template, sizeof(template), "%.*s", (int)len, templates);
		if (place_command(template, p, t->options.netns, command, sizeof(command)) > 0)
			say_commands(d, command);
		templates += len;
		templates += *templates == '\n';
	}
}

static const char *tracepoint_name(const struct table *t, uint32_t tp)
{
	return *tracepoints[tp].name ? tracepoints[tp].name : t->rates->to->tp[tp].name;
}

static void describe_tracepoint(const struct table *t, uint32_t id, const struct describe *d)
{
	const struct tp_count *tp = &t->rates->to->tp[id];

	say(d, DESCRIBE_HEAD, "", "%s", tracepoint_name(t, id));
	say(d, DESCRIBE_TEXT, "counts", "%s", tracepoints[id].what);
	say(d, DESCRIBE_TEXT, "fires", "%s", tracepoints[id].fires);
	say(d, DESCRIBE_TEXT, "state", "%s%s%s", tp_state_name(tp->state),
	    tp->reason[0] ? ": " : "", tp->reason);
}

/* What all members of the row that show one cause have counted. */
struct cause {
	const struct meaning *meaning;
	const struct series *series; /* the first that shows it */
	uint64_t events, lost;
};

static void describe_cause(const struct table *t, const struct cause *c, const struct describe *d)
{
	const struct series_key *key = &c->series->key;
	char events[16], lost[16], error[48] = "drops";
	const char *name = errno_name(key->code);
	struct place place;

	format_count(events, sizeof(events), c->events, NUMBER_SI);
	format_count(lost, sizeof(lost), c->lost, NUMBER_SI);
	if (tracepoints[c->series->tracepoint].has & HAS_ACT)
		act_name(key->code, error, sizeof(error));
	else if (key->code)
		snprintf(error, sizeof(error), "%s (%d)", name ? name : "unknown errno", key->code);
	place_set(&place, c->series, t->rates->to);
	say(d, DESCRIBE_TEXT, "", " ");
	say(d, DESCRIBE_TITLE, "", "%s %s: %s events, %s lost since the start",
	    tracepoint_name(t, c->series->tracepoint), error, events, lost);
	say(d, DESCRIBE_TEXT, "  meaning", "%s", c->meaning->meaning);
	say(d, DESCRIBE_TEXT, "  next", "%s", c->meaning->next);
	say(d, DESCRIBE_SOURCE, "  kernel", "%s", c->meaning->source);
	fill_commands(d, t, c->meaning->commands, &place);
}

/* Each cause once. */
static void describe_causes(const struct table *t, const struct row *row, const struct describe *d)
{
	struct cause cause[CAUSES_MAX];
	int n = 0;

	for (size_t i = 0; i < row->n_members; i++) {
		const struct series *s = member(t, row, i);
		const struct meaning *m = meaning_find(s->tracepoint, &s->key);
		uint64_t lost = 0;
		int at = 0;

		series_drops(s->tracepoint, &s->total, &lost);
		if (!m || s->overflow ||
		    (!lost && !s->key.code && !tracepoints[s->tracepoint].failure))
			continue;
		while (at < n &&
		       (cause[at].meaning != m || cause[at].series->tracepoint != s->tracepoint ||
			cause[at].series->key.code != s->key.code))
			at++;
		if (at == CAUSES_MAX)
			continue;
		if (at == n)
			cause[n++] = (struct cause){ .meaning = m, .series = s };
		cause[at].events += s->total.events;
		cause[at].lost += lost;
	}
	for (int i = 0; i < n; i++)
		describe_cause(t, &cause[i], d);
	if (!n && row->n_members)
		say(d, DESCRIBE_TEXT, "", "No error and no drop in this row.");
}

/* What to look at whatever it is, ready to copy. */
static void describe_commands(const struct table *t, const struct row *row,
			      const struct describe *d)
{
	const struct series *s = table_series(t, row);
	struct place place;

	if (t->options.view->rows == ROWS_DEVICES) {
		const struct device *device =
			snapshot_find_device(t->rates->to, row->netns, row->ifindex);

		place_init(&place);
		place.dev.netns = row->netns;
		place.dev.ifindex = row->ifindex;
		place.prog_id = device ? device->prog_id : 0;
		if (device)
			memcpy(place.dev.name, device->name, sizeof(place.dev.name));
	} else if (s) {
		place_set(&place, s, t->rates->to);
	} else {
		return;
	}
	say(d, DESCRIBE_TEXT, "", " ");
	say(d, DESCRIBE_HEAD, "", "Commands");
	fill_commands(d, t,
		      "{ip} -d link show dev {dev}\n"
		      "{in}ethtool -S {dev}\n"
		      "{ip_to} -d link show dev {to}\n"
		      "{in_to}ethtool -S {to}\n"
		      "{ip_peer} -d link show dev {peer}\n"
		      "bpftool prog show id {prog}\n"
		      "bpftool map dump id {map}\n"
		      "{in}bpftool net",
		      &place);
}

static void describe_findings(const struct table *t, const struct row *row,
			      const struct describe *d)
{
	const struct finding *f = &t->options.findings->finding[row->item];
	char age[24];

	format_age(age, sizeof(age), (double)(t->rates->to->wall.tv_sec - f->last.tv_sec));
	say(d, DESCRIBE_HEAD, "", "%s", f->code->name);
	say(d, DESCRIBE_TEXT, "is", "%s", f->text);
	say(d, DESCRIBE_TEXT, "kind", "%s: %s", finding_severity_name(f->code->severity),
	    f->code->meaning);
	say(d, DESCRIBE_TEXT, "seen", "%s, last %s ago", f->active ? "now" : "cleared", age);
	if (!f->next[0])
		return;
	say(d, DESCRIBE_TEXT, "", " ");
	say(d, DESCRIBE_HEAD, "", "Commands");
	say_commands(d, f->next);
}

static void describe_event(const struct table *t, const struct row *row, const struct describe *d)
{
	const struct event *e =
		event_log_get(t->options.events, t->options.events->taken, (int)row->item);
	char time[40];

	format_time(time, sizeof(time), &e->time);
	describe_tracepoint(t, e->tracepoint, d);
	say(d, DESCRIBE_TEXT, "", " ");
	say(d, DESCRIBE_TEXT, "at", "%s", time);
	say(d, DESCRIBE_TEXT, "text", "%s", e->text);
	if (e->left_out)
		say(d, DESCRIBE_TEXT, "more", "%llu before it on this CPU are counted, not listed",
		    (unsigned long long)e->left_out);
}

void describe_row(const struct table *t, const struct row *row, const struct describe *d)
{
	const struct view *view = t->options.view;

	if (view->rows == ROWS_FINDINGS) {
		describe_findings(t, row, d);
		return;
	}
	if (view->rows == ROWS_EVENTS) {
		describe_event(t, row, d);
		return;
	}
	if (row->tracepoint >= 0)
		describe_tracepoint(t, (uint32_t)row->tracepoint, d);
	if (view->rows == ROWS_DEVICES || (view->group & GROUP_TARGET && row->tracepoint < 0))
		describe_funnel(t, row, d);
	describe_causes(t, row, d);
	describe_commands(t, row, d);
}
