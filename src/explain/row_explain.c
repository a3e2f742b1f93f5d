// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/kernel_names.h"
#include "explain/row_explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "model/event_log.h"
#include "diagnose/findings.h"
#include "diagnose/cause.h"
#include "diagnose/location_text.h"
#include "model/target.h"
#include "model/tracepoint.h"

/* Limits the length of an explanation. */
#define CAUSES_MAX  16
#define RELATED_MAX 4

static void __attribute__((format(printf, 4, 5)))
say(const struct explain_lines *d, enum explain_style style, const char *label, const char *format,
    ...)
{
	char text[2 * SNAPSHOT_TEXT_LEN];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	d->line(d->ctx, style, label, text);
}

/* Commands of this explanation so far, to print each once. */
struct commands {
	char said[4096]; /* one per line */
	size_t len;
	bool from_finding; /* some are of a finding: causes print only others */
};

static bool is_said(const struct commands *c, const char *command)
{
	size_t len = strlen(command);

	for (const char *at = c->said; *at; at += strcspn(at, "\n") + 1)
		if (strcspn(at, "\n") == len && !memcmp(at, command, len))
			return true;
	return false;
}

static void say_command(const struct explain_lines *d, struct commands *c, const char *command)
{
	size_t room = sizeof(c->said) - c->len;

	if (strlen(command) + 2 <= room)
		c->len += (size_t)snprintf(c->said + c->len, room, "%s\n", command);
	say(d, EXPLAIN_COMMAND, "", "%s", command);
}

/* Copies the first line to buf and returns the rest; NULL after the last line. */
static const char *next_line(const char *lines, char *buf, size_t size)
{
	size_t len = strcspn(lines, "\n");

	if (!*lines)
		return NULL;
	snprintf(buf, size, "%.*s", (int)len, lines);
	return lines + len + (lines[len] == '\n');
}

/*
 * Prints the commands whose names are all known. With a head (may be ""), only those not yet
 * printed.
 */
static void fill_commands(const struct explain_lines *d, struct commands *c, const struct table *t,
			  const char *templates, const struct location *location, const char *head)
{
	char template[256], command[512];

	while ((templates = next_line(templates, template, sizeof(template)))) {
		if (location_command(template, location, t->options.netns, command,
				     sizeof(command)) <= 0)
			continue;
		if (head && is_said(c, command))
			continue;
		if (head && *head) {
			say(d, EXPLAIN_TEXT, "", " ");
			say(d, EXPLAIN_HEAD, "", "%s", head);
			head = "";
		}
		say_command(d, c, command);
	}
}

static void explain_tracepoint(const struct table *t, uint32_t id, const struct explain_lines *d)
{
	const struct tp_count *tp = &t->rates->to->tp[id];

	say(d, EXPLAIN_HEAD, "", "%s", snapshot_tracepoint(t->rates->to, id));
	say(d, EXPLAIN_TEXT, "counts", "%s", tracepoints[id].what);
	say(d, EXPLAIN_TEXT, "fires", "%s", tracepoints[id].fires);
	say(d, EXPLAIN_TEXT, "state", "%s%s%s", tp_state_name(tp->state), tp->reason[0] ? ": " : "",
	    tp->reason);
}

/* Sum of the series of a row that have one cause. */
struct row_cause {
	const struct cause *cause;
	const struct series *series; /* the first of them */
	uint64_t events, lost;
	int n; /* series */
};

static void explain_cause(const struct table *t, const struct cause *cause,
			  const struct location *location, const struct explain_lines *d,
			  struct commands *commands)
{
	say(d, EXPLAIN_TEXT, "  meaning", "%s", cause->meaning);
	say(d, EXPLAIN_TEXT, "  next", "%s", cause->remedy.text);
	say(d, EXPLAIN_SOURCE, "  kernel", "%s", cause->source);
	fill_commands(d, commands, t, cause->remedy.commands, location,
		      commands->from_finding ? "" : NULL);
}

static void explain_row_cause(const struct table *t, const struct row_cause *c,
			      const struct explain_lines *d, struct commands *commands)
{
	const struct series_key *key = &c->series->key;
	char events[16], lost[16], number[48], at[SNAPSHOT_TEXT_LEN];
	const char *error = "drops", *name = errno_name(key->code);
	struct location location;

	format_count(events, sizeof(events), c->events, NUMBER_SI);
	format_count(lost, sizeof(lost), c->lost, NUMBER_SI);
	snprintf(number, sizeof(number), "%s (%d)", name ? name : "unknown errno", key->code);
	if (tracepoints[c->series->tracepoint].has & HAS_ACT)
		error = act_name(key->code, number, sizeof(number));
	else if (key->code)
		error = number;
	location_set(&location, c->series, t->rates->to);
	say(d, EXPLAIN_TEXT, "", " ");
	say(d, EXPLAIN_TITLE, "", "%s %s: %s events, %s lost since the start",
	    snapshot_tracepoint(t->rates->to, c->series->tracepoint), error, events, lost);
	location_text(location.to.ifindex || location.to_cpu >= 0 || location.socket >= 0
			      ? "{dev} -> {to}"
			      : "{dev}",
		      &location, t->options.netns, at, sizeof(at));
	if (location.dev.ifindex && c->n > 1)
		say(d, EXPLAIN_TEXT, "  at", "%s, the first of %d", at, c->n);
	else if (location.dev.ifindex)
		say(d, EXPLAIN_TEXT, "  at", "%s", at);
	explain_cause(t, c->cause, &location, d, commands);
}

/* Explains each cause once. */
static void explain_causes(const struct table *t, const struct row *row,
			   const struct explain_lines *d, struct commands *commands)
{
	struct row_cause found[CAUSES_MAX];
	int n = 0;

	for (size_t i = 0; i < row->n_series; i++) {
		const struct series *s = row_series(t, row, i);
		const struct cause *cause = cause_find(s->tracepoint, &s->key);
		uint64_t lost = 0;
		int at = 0;

		series_drops(s->tracepoint, &s->total, &lost);
		if (!cause || s->overflow ||
		    (!lost && !s->key.code && !tracepoints[s->tracepoint].failure))
			continue;
		while (at < n &&
		       (found[at].cause != cause || found[at].series->tracepoint != s->tracepoint ||
			found[at].series->key.code != s->key.code))
			at++;
		if (at == CAUSES_MAX)
			continue;
		if (at == n)
			found[n++] = (struct row_cause){ .cause = cause, .series = s };
		found[at].n++;
		found[at].events += s->total.events;
		found[at].lost += lost;
	}
	for (int i = 0; i < n; i++)
		explain_row_cause(t, &found[i], d, commands);
	if (!n && row->n_series)
		say(d, EXPLAIN_TEXT, "", "No error and no drop in this row.");
}

static void explain_prog(const struct explain_lines *d, const char *name, uint32_t id)
{
	if (id)
		say(d, EXPLAIN_TEXT, "program", "%s%sid %u", name, *name ? ", " : "", id);
}

/* Deleted devices: commands for them fail. */
static void explain_gone(const struct explain_lines *d, const struct table *t,
			 const struct location *location)
{
	const struct netdev_ref *const devices[] = { &location->dev, &location->to,
						     &location->peer };

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		const struct netdev *of =
			snapshot_find_netdev(t->rates->to, devices[i]->netns, devices[i]->ifindex);
		bool same = i && devices[i]->netns == location->dev.netns &&
			    devices[i]->ifindex == location->dev.ifindex;

		if (of && of->gone && !same)
			say(d, EXPLAIN_TEXT, "gone", "%s was deleted, or its namespace has ended",
			    of->name);
	}
}

/* From netlink: what a small screen has no columns for. */
static void explain_device(const struct table *t, const struct row *row,
			   const struct explain_lines *d, struct commands *commands)
{
	const struct netdev *of = snapshot_find_netdev(t->rates->to, row->netns, row->ifindex);
	const struct netdev *peer;
	char ns[SNAPSHOT_NAME_LEN * 2], name[SNAPSHOT_NAME_LEN] = "";

	if (!of) {
		say(d, EXPLAIN_TEXT, "device", "nothing is known of it but what its events say");
		return;
	}
	say(d, EXPLAIN_TEXT, "device", "%s%s%s, MTU %u%s", of->kind, *of->kind ? ", " : "",
	    netdev_state_name(of), of->mtu, of->gone ? ": what is here was seen last" : "");
	say(d, EXPLAIN_TEXT, "XDP", "%s", netdev_mode_name(of->mode));
	explain_prog(d, of->prog_name, of->prog_id);
	if (of->has_features)
		say(d, EXPLAIN_TEXT, "receives", "%s",
		    of->features & NETDEV_XDP_NDO_XMIT ? "redirected frames"
						       : "no redirected frames now (ndo-xmit)");
	if (!of->peer_ifindex)
		return;
	peer = snapshot_find_netdev(t->rates->to, of->peer_netns, of->peer_ifindex);
	snprintf(name, sizeof(name), "ifindex %u", of->peer_ifindex);
	netns_text(of->peer_netns, t->options.netns, ns, sizeof(ns));
	say(d, EXPLAIN_TEXT, "peer", "%s%s%s%s", peer ? peer->name : name,
	    of->peer_netns == of->netns ? "" : " (", of->peer_netns == of->netns ? "" : ns,
	    of->peer_netns == of->netns ? "" : ")");
}

/* Where the program is attached. */
static void explain_program(const struct table *t, const struct row *row,
			    const struct explain_lines *d, struct commands *commands)
{
	const struct snapshot *to = t->rates->to;
	struct location location;
	size_t n = 0;

	for (size_t i = 0; i < snapshot_n_netdevs(to); i++) {
		const struct netdev *of = &snapshot_netdevs(to)[i];
		char name[SNAPSHOT_NAME_LEN * 3];

		if (of->gone || (of->prog_id != row->prog_id && of->skb_prog_id != row->prog_id) ||
		    n++ >= CAUSES_MAX)
			continue;
		location_init(&location);
		location.dev.netns = of->netns;
		location.dev.ifindex = of->ifindex;
		memcpy(location.dev.name, of->name, sizeof(location.dev.name));
		location_text("{dev}", &location, t->options.netns, name, sizeof(name));
		say(d, EXPLAIN_TEXT, n == 1 ? "attached" : "", "to %s, %s", name,
		    netdev_mode_name(of->mode));
	}
	if (!n)
		say(d, EXPLAIN_TEXT, "attached", "to no device that is known");
	else if (n > CAUSES_MAX)
		say(d, EXPLAIN_TEXT, "", "and to %zu more", n - CAUSES_MAX);
}

static bool is_netdev(const struct netdev_ref *p, uint32_t netns, uint32_t ifindex)
{
	return p->ifindex && p->netns == netns && p->ifindex == ifindex;
}

/* Whether a finding is at the row's location. */
static bool is_about(const struct table *t, const struct row *row, const struct finding *f)
{
	const struct view *view = t->options.view;
	const struct series *s = table_series(t, row);
	struct location location;

	if (view->rows->locate) {
		location_init(&location);
		view->rows->locate(t, row, &location);
		if (view->group & GROUP_LOCATION)
			return is_netdev(&f->location.dev, location.dev.netns,
					 location.dev.ifindex) ||
			       is_netdev(&f->location.to, location.dev.netns, location.dev.ifindex);
		return f->location.prog_id && f->location.prog_id == location.prog_id;
	}
	if (!(view->group & GROUP_DEVICE) || !s ||
	    (row->tracepoint >= 0 && f->tracepoint != (uint32_t)row->tracepoint))
		return false;
	location_set(&location, s, t->rates->to);
	if (!location.dev.ifindex)
		return f->location.map_id && f->location.map_id == location.map_id;
	return is_netdev(&f->location.dev, location.dev.netns, location.dev.ifindex) &&
	       (!f->location.to.ifindex || !location.to.ifindex ||
		is_netdev(&f->location.to, location.to.netns, location.to.ifindex));
}

/* Findings come first: they name the cause, the rest is evidence. */
static void explain_related(const struct table *t, const struct row *row,
			    const struct explain_lines *d, struct commands *commands)
{
	const struct findings *f = t->options.findings;
	char command[512];
	int n = 0;

	for (size_t i = 0; f && i < f->n && n < RELATED_MAX; i++) {
		const struct finding *finding = &f->finding[i];

		if (!finding->active || !is_about(t, row, finding))
			continue;
		if (!n++)
			say(d, EXPLAIN_HEAD, "", "Findings");
		say(d, EXPLAIN_TITLE, "", "%s: %s", finding->code->name, finding->text);
		for (const char *next = finding->commands;
		     (next = next_line(next, command, sizeof(command)));)
			say_command(d, commands, command);
	}
	commands->from_finding = n;
	if (n)
		say(d, EXPLAIN_TEXT, "", " ");
}

/* General commands for the row's device, target, program and map. */
static void explain_commands(const struct table *t, const struct row *row,
			     const struct explain_lines *d, struct commands *commands)
{
	const struct series *s = table_series(t, row);
	const struct view *view = t->options.view;
	struct location location;

	location_init(&location);
	if (view->rows->locate) {
		view->rows->locate(t, row, &location);
	} else if (s && (view->group != GROUP_TRACEPOINT || row->n_series == 1)) {
		location_set(&location, s, t->rates->to);
	} else {
		/* the row has several locations */
		return;
	}
	fill_commands(d, commands, t,
		      "{ip} -d link show dev {dev}\n"
		      "{in}ethtool -S {dev}\n"
		      "{ip_to} -d link show dev {to}\n"
		      "{in_to}ethtool -S {to}\n"
		      "{ip_peer} -d link show dev {peer}\n"
		      "bpftool prog show id {prog}\n"
		      "bpftool map dump id {map}\n"
		      "{in}bpftool net",
		      &location, commands->len ? "More commands" : "Commands");
}

static void explain_finding(const struct table *t, const struct row *row,
			    const struct explain_lines *d, struct commands *commands)
{
	const struct finding *f = &t->options.findings->finding[row->item];
	const char *next = f->commands, *type = map_type_name(f->location.map_type);
	double now = (double)t->rates->to->wall.tv_sec;
	char last[24], first[24], count[16], command[FINDING_COMMANDS_LEN];
	char ns[SNAPSHOT_NAME_LEN * 2];

	format_age(last, sizeof(last), now - (double)f->last.tv_sec);
	format_age(first, sizeof(first), now - (double)f->first.tv_sec);
	format_count(count, sizeof(count), f->total, NUMBER_SI);
	say(d, EXPLAIN_HEAD, "", "%s", f->code->name);
	say(d, EXPLAIN_TEXT, "is", "%s", f->text);
	explain_prog(d, f->location.prog_name, f->location.prog_id);
	/* inferred from redirects: a cpumap's tracepoints have no device */
	if (f->location.dev.ifindex && !strstr(f->text, f->location.dev.name)) {
		location_text("{dev}", &f->location, t->options.netns, command, sizeof(command));
		say(d, EXPLAIN_TEXT, "device", "%s", command);
	}
	/* an event has a namespace, but no device */
	if (!f->location.dev.ifindex &&
	    netns_text(f->location.dev.netns, t->options.netns, ns, sizeof(ns)))
		say(d, EXPLAIN_TEXT, "netns", "%s", ns);
	explain_gone(d, t, &f->location);
	say(d, EXPLAIN_TEXT, "seen", "%s: last %s ago, first %s ago",
	    f->active ? "active" : "cleared", last, first);
	if (*next) {
		say(d, EXPLAIN_TEXT, "", " ");
		say(d, EXPLAIN_HEAD, "", "Commands");
	}
	while ((next = next_line(next, command, sizeof(command))))
		say_command(d, commands, command);
	/* general text last: a small screen cuts it off */
	say(d, EXPLAIN_TEXT, "", " ");
	if (f->remedy.text)
		say(d, EXPLAIN_TEXT, "next", "%s", f->remedy.text);
	say(d, EXPLAIN_TEXT, "kind", "%s: %s", finding_severity_name(f->code->severity),
	    f->code->meaning);
	if (f->total)
		say(d, EXPLAIN_TEXT, "counted", "%s by %s", count,
		    f->tracepoint == TP_NONE ? "the kernel"
					     : snapshot_tracepoint(t->rates->to, f->tracepoint));
	if (f->location.map_id)
		say(d, EXPLAIN_TEXT, "map", "%s%s%s %u", f->location.map_name,
		    *f->location.map_name ? ", " : "", type ? type : "id", f->location.map_id);
}

/* The series that counted the event, or NULL. */
static const struct series *series_of_event(const struct table *t, const struct event *e)
{
	const struct snapshot *to = t->rates->to;

	for (size_t i = 0; i < to->n_series; i++) {
		const struct series *s = &to->series[i];

		if (s->tracepoint == e->tracepoint && !s->overflow &&
		    !memcmp(&s->key, &e->key, sizeof(s->key)))
			return s;
	}
	return NULL;
}

static void explain_event(const struct table *t, const struct row *row,
			  const struct explain_lines *d, struct commands *commands)
{
	const struct event *e =
		event_log_get(t->options.events, t->options.events->taken, (int)row->item);
	const struct series *s;
	char time[40], ns[SNAPSHOT_NAME_LEN * 2];
	struct row_cause row_cause;
	struct location location;

	format_time(time, sizeof(time), &e->time);
	explain_tracepoint(t, e->tracepoint, d);
	say(d, EXPLAIN_TEXT, "", " ");
	say(d, EXPLAIN_TEXT, "at", "%s%s", time, e->cpu >= 0 ? "" : ", CPU unknown");
	if (e->cpu >= 0)
		say(d, EXPLAIN_TEXT, "on", "CPU %d", e->cpu);
	if (e->pid)
		say(d, EXPLAIN_TEXT, "process", "%s, pid %u", *e->comm ? e->comm : "unknown",
		    e->pid);
	if (*e->ifname || e->key.ifindex)
		say(d, EXPLAIN_TEXT, "device", "%s%sifindex %u", e->ifname, *e->ifname ? ", " : "",
		    e->key.ifindex);
	if (netns_text(e->key.netns, t->options.netns, ns, sizeof(ns)))
		say(d, EXPLAIN_TEXT, "netns", "%s", ns);
	explain_prog(d, e->prog_name, e->key.prog_id);
	say(d, EXPLAIN_TEXT, "text", "%s", e->text);
	if (e->suppressed)
		say(d, EXPLAIN_TEXT, "more", "%llu before it on this CPU are counted, not listed",
		    (unsigned long long)e->suppressed);
	if (tracepoints[e->tracepoint].has & HAS_TEXT) {
		const struct cause *cause = cause_find(e->tracepoint, &(struct series_key){ 0 });

		location_init(&location);
		location.dev.netns = e->key.netns;
		say(d, EXPLAIN_TEXT, "", " ");
		if (cause)
			explain_cause(t, cause, &location, d, commands);
		return;
	}
	s = series_of_event(t, e);
	row_cause = (struct row_cause){ .cause = s ? cause_find(s->tracepoint, &s->key) : NULL,
					.series = s };
	if (!row_cause.cause)
		return;
	row_cause.events = s->total.events;
	series_drops(s->tracepoint, &s->total, &row_cause.lost);
	explain_row_cause(t, &row_cause, d, commands);
}

/* Kinds of rows with an explanation of their own; lists have no other. */
static const struct {
	const struct row_kind *rows;
	void (*explain)(const struct table *t, const struct row *row, const struct explain_lines *d,
			struct commands *commands);
} explained[] = {
	{ &rows_devices, explain_device },
	{ &rows_programs, explain_program },
	{ &rows_events, explain_event },
	{ &rows_findings, explain_finding },
};

void row_explain(const struct table *t, const struct row *row, const struct explain_lines *d)
{
	const struct view *view = t->options.view;
	struct commands commands = { .len = 0 };
	struct location location;

	if (!view->rows->list)
		explain_related(t, row, d, &commands);
	if (row->tracepoint >= 0)
		explain_tracepoint(t, (uint32_t)row->tracepoint, d);
	for (size_t i = 0; i < sizeof(explained) / sizeof(explained[0]); i++)
		if (explained[i].rows == view->rows)
			explained[i].explain(t, row, d, &commands);
	if (view->rows->list)
		return;
	if (view->group & GROUP_DEVICE && table_series(t, row)) {
		location_set(&location, table_series(t, row), t->rates->to);
		explain_gone(d, t, &location);
	}
	if (view->group & GROUP_LOCATION || (view->group & GROUP_TARGET && row->tracepoint < 0))
		packet_path_explain(t, row, d);
	explain_causes(t, row, d, &commands);
	explain_commands(t, row, d, &commands);
}
