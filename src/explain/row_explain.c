// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"
#include "base/format.h"
#include "diagnose/attach_cause.h"
#include "diagnose/driver.h"
#include "diagnose/finding_location.h"
#include "diagnose/findings.h"
#include "diagnose/location_text.h"
#include "explain/explanation.h"
#include "model/follow_log.h"
#include "model/followed.h"

static void explain_tracepoint(const struct explanation *x, uint32_t id)
{
	const struct tp_count *tp = &x->to->tp[id];

	say(x, EXPLAIN_HEAD, "", "%s", snapshot_tracepoint(x->to, id));
	say(x, EXPLAIN_TEXT, "counts", "%s", tracepoints[id].what);
	say(x, EXPLAIN_TEXT, "fires", "%s", tracepoints[id].fires);
	say(x, EXPLAIN_TEXT, "state", "%s%s%s", tp_state_name(tp->state), tp->reason[0] ? ": " : "",
	    tp->reason);
}

/* The series of a row that have the same cause. */
struct row_cause {
	const struct cause *cause;
	const struct series *series; /* the first one */
	uint64_t events, lost;
	int n; /* series */
};

static void explain_cause(struct explanation *x, const struct cause *cause, bool is_found,
			  const struct location *location)
{
	say(x, EXPLAIN_TEXT, "  meaning", "%s", cause->meaning);
	/* the finding has a remedy that fits better */
	if (!is_found)
		say(x, EXPLAIN_TEXT, "  fix", "%s", cause->remedy.text);
	say(x, EXPLAIN_SOURCE, "  kernel", "%s", cause->source);
	fill_commands(x, cause->remedy.commands, location, x->n_findings ? "" : NULL);
}

/* The driver's counters of its losses. It does not count losses that the core found earlier. */
static void explain_counters(struct explanation *x, const struct series *s)
{
	const struct driver *driver = driver_behind(x->to, s->tracepoint, &s->key);

	if (driver && driver->counters &&
	    BIT(s->tracepoint) & (AT_EXCEPTION | AT_XMIT | AT_BULK_TX))
		say(x, EXPLAIN_TEXT, "  driver", "%s; %s shows %s", driver->name,
		    driver->reports & DRIVER_LINK ? "ip -s link" : "ethtool -S", driver->counters);
}

static bool is_found(const struct explanation *x, const struct row_cause *c)
{
	for (int i = 0; i < x->n_findings; i++)
		if (x->finding[i]->tracepoint == c->series->tracepoint &&
		    finding_has_cause(x->finding[i]->code, c->cause))
			return true;
	return false;
}

static void explain_row_cause(struct explanation *x, const struct row_cause *c)
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
	location_set(&location, c->series, x->to);
	say_break(x, NULL);
	say(x, EXPLAIN_TITLE, "", "%s %s: %s events, %s lost since the start",
	    snapshot_tracepoint(x->to, c->series->tracepoint), error, events, lost);
	location_text(location.to.ifindex || location.to_cpu >= 0 || location.socket >= 0
			      ? "{dev} -> {to}"
			      : "{dev}",
		      &location, x->t->options.netns, at, sizeof(at));
	if (location.dev.ifindex && c->n > 1)
		say(x, EXPLAIN_TEXT, "  at", "%s, the first of %d", at, c->n);
	else if (location.dev.ifindex)
		say(x, EXPLAIN_TEXT, "  at", "%s", at);
	explain_cause(x, c->cause, is_found(x, c), &location);
	explain_counters(x, c->series);
}

static void explain_causes(struct explanation *x)
{
	struct row_cause found[CAUSES_MAX];
	int n = 0;

	for (size_t i = 0; i < x->row->n_series; i++) {
		const struct series *s = row_series(x->t, x->row, i);
		const struct cause *cause = cause_in(x->to, s->tracepoint, &s->key);
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
		explain_row_cause(x, &found[i]);
	/* the result of a device's packet path also covers what its targets did not take */
	if (!n && x->row->n_series && !(x->view->group & GROUP_LOCATION))
		say(x, EXPLAIN_TEXT, "", "No errors, no drops.");
}

/* Programs of devmap entries, which run on a flow's frames before they are sent. */
static void explain_egress_programs(const struct explanation *x)
{
	uint32_t said[CAUSES_MAX];
	int n = 0;

	for (size_t i = 0; i < x->row->n_series && n < CAUSES_MAX; i++) {
		const struct series *s = row_series(x->t, x->row, i);
		int at = 0;

		while (at < n && said[at] != s->to_prog_id)
			at++;
		if (!s->to_prog_id || at < n)
			continue;
		said[n++] = s->to_prog_id;
		say(x, EXPLAIN_TEXT, "egress", "program %s%sid %u", s->to_prog_name,
		    *s->to_prog_name ? ", " : "", s->to_prog_id);
	}
}

static bool is_about(const struct explanation *x, const struct finding *f)
{
	const struct series *s = table_series(x->t, x->row);
	const struct location *at = &f->location;
	struct location l;

	if (row_locate(x->t, x->row, &l)) {
		if (l.socket_inode)
			return at->socket_inode == l.socket_inode;
		if (l.map_id)
			return is_netdev(&at->to, &l.to) ||
			       (at->map_id == l.map_id && at->to_cpu == l.to_cpu &&
				at->socket == l.socket && !at->to.ifindex);
		if (l.to_cpu >= 0 && !l.dev.ifindex)
			return at->to_cpu == l.to_cpu;
		if (x->view->group & GROUP_LOCATION || (x->view->rows->list && l.dev.ifindex))
			return finding_is_from(f, l.dev.netns, l.dev.ifindex) ||
			       is_netdev(&at->to, &l.dev);
		return at->prog_id && at->prog_id == l.prog_id;
	}
	if (!(x->view->group & GROUP_DEVICE) || !s ||
	    (x->row->tracepoint >= 0 && f->tracepoint != (uint32_t)x->row->tracepoint))
		return false;
	location_set(&l, s, x->to);
	if (!l.dev.ifindex)
		return at->map_id && at->map_id == l.map_id;
	return finding_is_from(f, l.dev.netns, l.dev.ifindex) &&
	       (!at->to.ifindex || !l.to.ifindex || is_netdev(&at->to, &l.to));
}

static void say_commands_of(struct explanation *x, const struct finding *f)
{
	char command[FINDING_COMMANDS_LEN];

	for (const char *next = f->commands; (next = next_line(next, command, sizeof(command)));)
		say_command(x, command);
}

/* The active findings about the row, the largest loss first. */
static void find_related(struct explanation *x)
{
	const struct findings *f = x->t->options.findings;
	const struct finding *cause;

	for (size_t i = 0; f && i < f->n && x->n_findings < RELATED_MAX; i++) {
		const struct finding *finding = &f->finding[i];

		if (!finding->active || !is_about(x, finding))
			continue;
		cause = findings_cause(f, finding);
		/* the cause is listed itself if it is about the row */
		if (cause == finding || (cause->active && !is_about(x, cause)))
			x->finding[x->n_findings++] = cause;
	}
}

const struct finding *row_finding(const struct table *t, const struct row *row)
{
	struct explanation x = { .t = t, .to = t->rates->to, .view = t->options.view, .row = row };

	if (x.view == &views[VIEW_FINDINGS])
		return &t->options.findings->finding[row->item];
	find_related(&x);
	return x.finding[0];
}

/* Findings come first, because they name the cause, the rest is evidence. */
static void explain_related(struct explanation *x)
{
	find_related(x);
	for (int i = 0; i < x->n_findings; i++) {
		const struct finding *finding = x->finding[i];

		if (!i)
			say(x, EXPLAIN_HEAD, "", "Findings");
		say(x, EXPLAIN_TITLE, "", "%s: %s", finding->code->name, finding->text);
		say_commands_of(x, finding);
		if (finding->remedy.text)
			say(x, EXPLAIN_TEXT, "  fix", "%s", finding->remedy.text);
	}
	if (x->n_findings)
		say_break(x, NULL);
}

static void explain_commands(struct explanation *x)
{
	const struct series *s = table_series(x->t, x->row);
	struct location location;

	if (!row_locate(x->t, x->row, &location)) {
		/* the row has several locations */
		if (!s || (x->view->group == GROUP_TRACEPOINT && x->row->n_series != 1))
			return;
		location_set(&location, s, x->to);
	}
	fill_commands(x,
		      "{ip} -d link show dev {dev}\n"
		      "{in}ethtool -S {dev}\n"
		      "{ip_to} -d link show dev {to}\n"
		      "{in_to}ethtool -S {to}\n"
		      "{ip_peer} -d link show dev {peer}\n"
		      "bpftool prog show id {prog}\n"
		      "bpftool map dump id {map}\n"
		      "{in}bpftool net",
		      &location, *x->said ? "More commands" : "Commands");
}

static void explain_changes(const struct explanation *x, const struct finding *f)
{
	const char *next = f->changes;
	char line[FINDING_CHANGES_LEN], since[16];

	format_clock(since, sizeof(since), &f->first);
	if (*next) {
		say_break(x, NULL);
		say(x, EXPLAIN_TEXT, "since", "%s", since);
	}
	while ((next = next_line(next, line, sizeof(line))))
		say(x, EXPLAIN_TEXT, "change", "%s", line);
}

static void explain_finding(struct explanation *x)
{
	const struct findings *all = x->t->options.findings;
	const struct finding *f = &all->finding[x->row->item], *also = NULL;
	const char *type = map_type_name(f->location.map_type);
	double now = (double)x->to->wall.tv_sec;
	char last[24], first[24], count[16], stopped[64], device[FINDING_COMMANDS_LEN];

	format_age(last, sizeof(last), now - (double)f->last.tv_sec);
	format_age(first, sizeof(first), now - (double)f->first.tv_sec);
	format_count(count, sizeof(count), f->total, NUMBER_SI);
	say(x, EXPLAIN_HEAD, "", "%s", f->code->name);
	say(x, EXPLAIN_TEXT, "what", "%s", f->text);
	while ((also = findings_consequence(all, f, also)))
		say(x, EXPLAIN_TEXT, "consequence", "%s: %s", also->code->name, also->text);
	explain_prog(x, f->location.prog_name, f->location.prog_id);
	/* inferred from redirects: a cpumap's tracepoints do not name the device */
	if (f->location.dev.ifindex && (f->rule->per & (PER_MAP | PER_DEVICE)) == PER_MAP) {
		location_text("{dev}", &f->location, x->t->options.netns, device, sizeof(device));
		say(x, EXPLAIN_TEXT, "device", "%s", device);
	}
	/* an event has a namespace, but no device */
	if (!f->location.dev.ifindex)
		explain_netns(x, f->location.dev.netns);
	explain_pods(x, &f->location);
	explain_gone(x, &f->location);
	if (f->uncounted)
		say(x, EXPLAIN_TEXT, "not counted", "%s%s",
		    snapshot_tracepoint(x->to, f->tracepoint), f->uncounted);
	if (*finding_stopped_text(f, x->to->mono_ns, stopped, sizeof(stopped)))
		say(x, EXPLAIN_TEXT, "seen", "%s; first seen %s ago", stopped, first);
	else
		say(x, EXPLAIN_TEXT, "seen", "%s: last %s ago, first %s ago",
		    f->uncounted ? "unknown"
		    : f->active  ? "active"
				 : "cleared",
		    last, first);
	if (*f->commands)
		say_break(x, "Commands");
	say_commands_of(x, f);
	explain_changes(x, f);
	/* general text last, because a small screen cuts it off */
	say_break(x, NULL);
	if (f->remedy.text)
		say(x, EXPLAIN_TEXT, "fix", "%s", f->remedy.text);
	say(x, EXPLAIN_TEXT, "severity", "%s: %s", finding_severity_name(f->severity),
	    f->code->meaning);
	if (f->total)
		say(x, EXPLAIN_TEXT, "counted", "%s by %s", count,
		    f->tracepoint == TP_NONE ? "the kernel"
					     : snapshot_tracepoint(x->to, f->tracepoint));
	if (f->location.map_id)
		say(x, EXPLAIN_TEXT, "map", "%s%s%s %u", f->location.map_name,
		    *f->location.map_name ? ", " : "", type ? type : "id", f->location.map_id);
}

static void explain_cause_of(struct explanation *x, const struct event *e)
{
	struct row_cause c = { 0 };
	struct location location;

	if (tracepoints[e->tracepoint].has & HAS_TEXT) {
		c.cause = attach_cause(e)
				  ?: cause_find(x->to->kernel, e->tracepoint,
						&(struct series_key){ 0 });
		event_location(e, x->to, &location);
		say_break(x, NULL);
		if (c.cause)
			explain_cause(x, c.cause, false, &location);
		return;
	}
	for (size_t i = 0; i < x->to->n_series && !c.series; i++) {
		const struct series *s = &x->to->series[i];

		if (s->tracepoint == e->tracepoint && !s->overflow &&
		    !memcmp(&s->key, &e->key, sizeof(s->key)))
			c.series = s;
	}
	c.cause = c.series ? cause_in(x->to, e->tracepoint, &e->key) : NULL;
	if (!c.cause)
		return;
	c.events = c.series->total.events;
	series_drops(e->tracepoint, &c.series->total, &c.lost);
	explain_row_cause(x, &c);
}

static void explain_event_of(const struct explanation *x, const struct event *e)
{
	struct location location;

	if (e->cpu >= 0)
		say(x, EXPLAIN_TEXT, "on", "CPU %d", e->cpu);
	if (e->pid)
		say(x, EXPLAIN_TEXT, "process", "%s, pid %u", *e->comm ? e->comm : "unknown",
		    e->pid);
	if (*e->ifname || e->key.ifindex)
		say(x, EXPLAIN_TEXT, "device", "%s%sifindex %u", e->ifname, *e->ifname ? ", " : "",
		    e->key.ifindex);
	explain_netns(x, e->key.netns);
	event_location(e, x->to, &location);
	explain_pods(x, &location);
	explain_prog(x, e->prog_name, e->key.prog_id);
}

static void explain_event(struct explanation *x)
{
	const struct event *e = table_event(x->t, x->row);
	char time[40];

	format_time(time, sizeof(time), &e->time);
	if (e->change) {
		say(x, EXPLAIN_HEAD, "", "%s", change_words[e->change].name);
		say(x, EXPLAIN_TEXT, "what", "%s", change_words[e->change].help);
		say(x, EXPLAIN_TEXT, "before", "%s", *e->old_value ? e->old_value : "none");
		say(x, EXPLAIN_TEXT, "after", "%s", *e->new_value ? e->new_value : "none");
	} else {
		explain_tracepoint(x, e->tracepoint);
	}
	say_break(x, NULL);
	say(x, EXPLAIN_TEXT, "at", "%s%s", time,
	    e->change    ? ", or in the interval before"
	    : e->cpu < 0 ? ", CPU unknown"
			 : "");
	explain_event_of(x, e);
	if (e->change && !e->pid)
		say(x, EXPLAIN_TEXT, "process", "unknown: the kernel did not report it");
	if (*e->holder)
		say(x, EXPLAIN_TEXT, "holder", "%s%s", e->holder,
		    *e->new_value ? "" : ", until then");
	say(x, EXPLAIN_TEXT, "text", "%s", e->text);
	if (e->left_out)
		say(x, EXPLAIN_TEXT, "more",
		    e->change ? "%llu other changes in this interval are not listed"
			      : "%llu earlier events on this CPU are counted, but not listed",
		    (unsigned long long)e->left_out);
	if (!e->change)
		explain_cause_of(x, e);
}

/* Most events of xdp_devmap_xmit and the like are not failures. */
static bool is_failure(const struct followed *e)
{
	const struct tracepoint *tp = &tracepoints[e->event.tracepoint];

	return tp->failure || tp->has & HAS_TEXT || (tp->has & HAS_ERR && e->event.key.code) ||
	       (tp->drops == COUNT_COUNTER && e->known & BIT(FOLLOW_DROPS) && e->arg[FOLLOW_DROPS]);
}

/* One argument per line, because the list has no room for all. */
static void explain_followed(struct explanation *x)
{
	const size_t back = x->row->item;
	const struct followed *e = follow_log_get(x->t->options.followed, back);
	char text[SNAPSHOT_TEXT_LEN];
	int64_t gap;

	explain_tracepoint(x, e->event.tracepoint);
	say_break(x, NULL);
	format_clock_ns(text, sizeof(text), &e->event.time);
	say(x, EXPLAIN_TEXT, "at", "%s", text);
	if (follow_log_gap(x->t->options.followed, back, &gap)) {
		format_gap(text, sizeof(text), ns_to_seconds(gap));
		say(x, EXPLAIN_TEXT, "gap", "%s after the previous event", text);
	}
	explain_event_of(x, &e->event);
	if (e->event.left_out)
		say(x, EXPLAIN_TEXT, "lost",
		    "%llu earlier events on this CPU found the ring full: they are counted, but "
		    "not listed",
		    (unsigned long long)e->event.left_out);
	if (e->kind == FOLLOWED_LOST)
		return;
	say_break(x, "Arguments");
	for (const struct followed_field *f = followed_fields(e->event.tracepoint); f->name; f++)
		if (f->print(e, text, sizeof(text)))
			say(x, EXPLAIN_TEXT, f->name, "%s", text);
	if (e->event.tracepoint >= TP_OTHER)
		say(x, EXPLAIN_TEXT, "", "%s", e->event.text);
	if (is_failure(e))
		explain_cause_of(x, &e->event);
}

/* What each column counts: the screen has no room for it. */
static void explain_cpu(struct explanation *x)
{
	char text[SNAPSHOT_TEXT_LEN];
	struct location location;
	struct cell cell;

	row_locate(x->t, x->row, &location);
	explain_related(x);
	say(x, EXPLAIN_HEAD, "", "CPU %d", location.to_cpu);
	for (int i = 0; i < x->view->n_columns; i++) {
		const struct column *column = &columns[x->view->column[i]];

		if (column->identity)
			continue;
		table_cell(x->t, (size_t)(x->row - x->t->row), x->view->column[i], &cell);
		cell_text(&cell, text, sizeof(text), NUMBER_SI, x->lines->ascii);
		say(x, EXPLAIN_TEXT, column->title, "%s: %s", text, column->help);
	}
	fill_commands(x, "ps -eLo psr,pcpu,comm --sort=-pcpu | awk '$1 == {cpu}' | head", &location,
		      "Commands");
}

static void explain_redirects(struct explanation *x)
{
	struct location location;

	row_locate(x->t, x->row, &location);
	explain_related(x);
	redirect_explain(x->t, x->row, x->lines);
	explain_pods(x, &location);
	explain_gone(x, &location);
	fill_commands(x,
		      "bpftool map show id {map}\nbpftool map dump id {map}\n"
		      "{ip_to} -d link show dev {to}\nbpftool prog show id {prog}\n"
		      "{sockets}\n{ip} -d link show dev {dev}\n"
		      "{in}ethtool -l {dev}\n{in}ethtool -S {dev}",
		      &location, "Commands");
}

/* Rows with their own explanation. Lists have only that one. */
static const struct {
	const struct row_kind *rows;
	void (*explain)(struct explanation *x);
} explained[] = {
	{ &rows_devices, explain_device },    { &rows_programs, explain_program },
	{ &rows_cpus, explain_cpu },          { &rows_events, explain_event },
	{ &rows_changes, explain_event },     { &rows_findings, explain_finding },
	{ &rows_maps, explain_redirects },    { &rows_sockets, explain_redirects },
	{ &rows_followed, explain_followed }, { &rows_queues, explain_receive_queue },
};

void row_explain(const struct table *t, const struct row *row, const struct explain_lines *lines)
{
	const struct view *view = t->options.view;
	struct explanation x = {
		.t = t, .to = t->rates->to, .view = view, .row = row, .lines = lines
	};
	struct location location;

	if (!view->rows->list)
		explain_related(&x);
	if (row->tracepoint >= 0)
		explain_tracepoint(&x, (uint32_t)row->tracepoint);
	for (size_t i = 0; i < sizeof(explained) / sizeof(explained[0]); i++)
		if (explained[i].rows == view->rows)
			explained[i].explain(&x);
	if (view->rows->list)
		return;
	if (view->group & GROUP_DEVICE && table_series(t, row)) {
		location_set(&location, table_series(t, row), x.to);
		explain_pods(&x, &location);
		explain_gone(&x, &location);
	}
	if (view->group & GROUP_LOCATION || (view->group & GROUP_TARGET && row->tracepoint < 0))
		packet_path_explain(t, row, lines);
	if (view->rows == &rows_devices)
		explain_stats(&x);
	if (view->group & GROUP_TARGET)
		explain_egress_programs(&x);
	explain_causes(&x);
	explain_commands(&x);
}
