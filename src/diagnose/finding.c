// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/finding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/clock.h"
#include "diagnose/finding_rules.h"
#include "diagnose/cause.h"
#include "model/tracepoint.h"

#define BIT(id)  (1u << (id))
#define REDIRECT (BIT(TP_XDP_REDIRECT) | BIT(TP_XDP_REDIRECT_MAP) | BIT(TP_XDP_REDIRECT_ERR))

static const char *const severity_names[FINDING_SEVERITIES] = {
	[FINDING_INFO] = "info",
	[FINDING_WARNING] = "warning",
	[FINDING_CRITICAL] = "critical",
};

const char *finding_severity_name(enum finding_severity severity)
{
	return (size_t)severity < FINDING_SEVERITIES ? severity_names[severity] : "unknown";
}

void findings_free(struct findings *f)
{
	if (!f)
		return;
	free(f->finding);
	memset(f, 0, sizeof(*f));
}

int findings_copy(struct findings *to, const struct findings *from)
{
	struct finding *finding = NULL;

	if (to == from)
		return 0;
	if (from->n) {
		finding = malloc(from->n * sizeof(*finding));
		if (!finding)
			return -ENOMEM;
		memcpy(finding, from->finding, from->n * sizeof(*finding));
	}
	free(to->finding);
	*to = *from;
	to->finding = finding;
	to->cap = from->n;
	return 0;
}

/* splitmix64's finalizer, as in src/table/row_id.c */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value + 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
	return hash ^ hash >> 31;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	while (*text)
		hash = mix(hash, (unsigned char)*text++);
	return hash;
}

/* What tells this finding from others of its code. */
static uint64_t finding_id(const struct rule *rule, const struct finding_code *code,
			   const struct location *p, const struct evidence *e)
{
	uint64_t hash = mix(1, (uint64_t)(code - finding_codes));

	if (rule->place & LOCATION_DEVICE)
		hash = mix(mix(hash, p->dev.netns), p->dev.ifindex);
	if (rule->place & LOCATION_TARGET) {
		hash = mix(mix(hash, p->to.netns), p->to.ifindex);
		hash = mix(mix(hash, (uint64_t)p->to_cpu), (uint64_t)p->socket);
	}
	if (rule->place & LOCATION_PROG)
		hash = mix(hash, p->prog_id);
	if (rule->place & LOCATION_MAP)
		hash = mix(hash, p->map_id);
	if (rule->place & LOCATION_TRACEPOINT)
		hash = mix(hash, e->tracepoint);
	if (rule->place & LOCATION_PROCESS)
		hash = mix_text(hash, e->event->comm);
	return hash ? hash : 1;
}

/*
 * Whose packets they are that a queue of a device or CPU lost: xdp_devmap_xmit and
 * xdp_cpumap_enqueue name no program, the latter no device either. Where the redirects of the same
 * interval into that target come from one place only, it is that one.
 */
static void find_origin(const struct evidence *e, struct location *p)
{
	const struct rates *r = e->rates;
	struct location from, found;
	size_t n = 0;

	if (p->prog_id)
		return;
	location_init(&found);
	for (size_t i = 0; i < r->to->n_series && (p->to.ifindex || p->to_cpu >= 0); i++) {
		const struct series *s = &r->to->series[i];

		if (!(BIT(s->tracepoint) & REDIRECT) || s->overflow || !r->delta[i].events)
			continue;
		location_set(&from, s, r->to);
		if (p->to_cpu >= 0
			    ? from.map_id != p->map_id || from.to_cpu != p->to_cpu
			    : from.to.ifindex != p->to.ifindex || from.to.netns != p->to.netns)
			continue;
		if (p->dev.ifindex &&
		    (from.dev.ifindex != p->dev.ifindex || from.dev.netns != p->dev.netns))
			continue;
		if (n && (from.prog_id != found.prog_id || from.dev.ifindex != found.dev.ifindex ||
			  from.dev.netns != found.dev.netns))
			return;
		found = from;
		n++;
	}
	/* none seen, or XDP_TX: the program that is attached where the packets came in */
	if (!n && e->dev && !e->dev->gone && e->dev->mode != NETDEV_MULTI) {
		p->prog_id = e->dev->prog_id;
		snprintf(p->prog_name, sizeof(p->prog_name), "%s", e->dev->prog_name);
	}
	if (!n)
		return;
	p->dev = found.dev;
	p->prog_id = found.prog_id;
	memcpy(p->prog_name, found.prog_name, sizeof(p->prog_name));
}

static struct finding *find(struct findings *f, uint64_t id)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->finding[i].id == id)
			return &f->finding[i];
	return NULL;
}

/* Room for one more: that of the finding which was cleared first, when there are many. */
static int add(struct findings *f, struct finding **added)
{
	struct finding *oldest = NULL;

	if (f->n == FINDINGS_MAX) {
		for (size_t i = 0; i < f->n; i++)
			if (!f->finding[i].active &&
			    (!oldest || f->finding[i].last_ns < oldest->last_ns))
				oldest = &f->finding[i];
		f->left_out += !oldest;
		*added = oldest;
		return oldest ? 0 : -ENOSPC;
	}
	*added = array_append(f->finding, f->n, f->cap);
	return *added ? 0 : -ENOMEM;
}

/* The general case, where a rule has no text of its own. */
static const char *default_text(const struct rule *rule)
{
	if (rule->place & LOCATION_TARGET)
		return rule->place & LOCATION_DEVICE ? "{dev} -> {to}: {what}"
						     : "{map} -> {to}: {what}";
	return rule->place & LOCATION_PROG ? "{dev}, {prog}: {what}" : "{dev}: {what}";
}

/* How much of the text is a place that other columns of the view `findings` have: no map's. */
static size_t place_length(const struct finding *f, struct netns_names *names)
{
	char template[64], text[FINDING_TEXT_LEN];
	const char *end = strstr(f->text_template, "}: ");

	if (!end || strncmp(f->text_template, "{dev}", strlen("{dev}")) != 0)
		return 0;
	snprintf(template, sizeof(template), "%.*s", (int)(end + strlen("}: ") - f->text_template),
		 f->text_template);
	location_text(template, &f->place, names, text, sizeof(text));
	return strlen(text);
}

/* {what} is filled in last: it may have braces of its own, an attach's message. */
static void set_text(struct finding *f, struct netns_names *names)
{
	char text[FINDING_TEXT_LEN];
	char *hole;

	f->cause = place_length(f, names);
	location_text(f->text_template, &f->place, names, text, sizeof(text));
	hole = strstr(text, "{what}");
	if (hole)
		snprintf(f->text, sizeof(f->text), "%.*s%s%s", (int)(hole - text), text, f->what,
			 hole + strlen("{what}"));
	else
		snprintf(f->text, sizeof(f->text), "%s", text);
}

/* The commands whose names are all known. */
static void set_next(struct finding *f, struct netns_names *names)
{
	const char *templates = f->next_template;
	size_t used = 0;

	f->next[0] = '\0';
	while (templates && *templates) {
		size_t len = strcspn(templates, "\n");
		char template[256], command[FINDING_NEXT_LEN];
		int n;

		snprintf(template, sizeof(template), "%.*s", (int)len, templates);
		n = location_command(template, &f->place, names, command, sizeof(command));
		if (n > 0 && used + (size_t)n + 2 <= sizeof(f->next))
			used += (size_t)snprintf(f->next + used, sizeof(f->next) - used, "%s%s",
						 used ? "\n" : "", command);
		templates += len;
		templates += *templates == '\n';
	}
}

static int take(struct findings *f, const struct rule *rule, const struct evidence *e,
		struct netns_names *names)
{
	const struct finding_code *code = finding_code_find(rule->code);
	const struct snapshot *to = e->rates->to;
	const struct cause *m = NULL;
	struct finding *finding;
	struct location place;
	uint64_t id;
	int err;

	location_init(&place);
	if (e->series) {
		location_set(&place, e->series, to);
		m = cause_find(e->tracepoint, &e->series->key);
	} else if (e->event) {
		place.dev.netns = e->event->key.netns;
		m = cause_find(e->tracepoint, &(struct series_key){ 0 });
	}
	id = finding_id(rule, code, &place, e);
	if (e->series)
		find_origin(e, &place);
	finding = find(f, id);
	if (finding && finding->seen) {
		/* several series of one place: the text is of the first */
		finding->count += e->count;
		finding->total += e->count;
		return 0;
	}
	if (!finding) {
		err = add(f, &finding);
		if (err)
			return err == -ENOSPC ? 0 : err;
		memset(finding, 0, sizeof(*finding));
		finding->id = id;
		finding->first = to->wall;
	} else if (!finding->active) {
		/* it came back: this is when it began */
		finding->first = to->wall;
	}
	finding->code = code;
	finding->advice = e->advice ? e->advice : code->next ? code->next : m ? m->next : NULL;
	finding->tracepoint = e->tracepoint;
	finding->place = place;
	finding->seen = true;
	finding->active = true;
	finding->last = to->wall;
	finding->last_ns = to->mono_ns;
	finding->count = e->count;
	finding->total += e->count;
	finding->text_template = rule->text ? rule->text : default_text(rule);
	finding->next_template = rule->next ? rule->next : m ? m->commands : NULL;
	snprintf(finding->what, sizeof(finding->what), "%s",
		 e->what[0] || !m ? e->what : m->meaning);
	set_text(finding, names);
	set_next(finding, names);
	return 0;
}

/* What a series lost in the interval. */
static uint64_t lost(const struct series *s, const struct series_counters *c)
{
	uint64_t drops;

	if (series_drops(s->tracepoint, c, &drops) && drops)
		return drops;
	/* an errno loses the whole bulk, however a driver counts it */
	return tracepoints[s->tracepoint].has & HAS_ERR && s->key.code < 0 ? c->events : 0;
}

static bool code_fits(const struct rule *rule, const struct series *s)
{
	int code = s->key.code;

	if (rule->err == RULE_ANY)
		return true;
	if (rule->err == RULE_ERRNO)
		return code < 0;
	/* u32 in the kernel: -1 is as bad a value as 17 */
	if (tracepoints[s->tracepoint].has & HAS_ACT && (code < 0 || code > CAUSE_BAD_ACT))
		code = CAUSE_BAD_ACT;
	return rule->err == code;
}

static bool rule_fits(const struct rule *rule, enum rule_subject subject, struct evidence *e)
{
	if (rule->subject != subject || !(rule->tracepoints & BIT(e->tracepoint)))
		return false;
	if (e->series && !code_fits(rule, e->series))
		return false;
	if (rule->through && !(rule->through & cause_through(&e->series->key)))
		return false;
	e->what[0] = '\0';
	e->advice = NULL;
	return !rule->when || rule->when(e);
}

static void set_devices(struct evidence *e)
{
	const struct snapshot *to = e->rates->to;
	struct location p;

	location_set(&p, e->series, to);
	e->dev = snapshot_find_netdev(to, p.dev.netns, p.dev.ifindex);
	e->to = snapshot_find_netdev(to, p.to.netns, p.to.ifindex);
	e->peer = snapshot_find_netdev(to, p.peer.netns, p.peer.ifindex);
}

static int look_at_series(struct findings *f, const struct rates *r, struct netns_names *names)
{
	int err = 0;

	for (size_t i = 0; r->delta && i < r->to->n_series && !err; i++) {
		const struct series *s = &r->to->series[i];
		struct evidence e = { .rates = r,
				      .tracepoint = s->tracepoint,
				      .index = i,
				      .series = s,
				      .delta = &r->delta[i] };

		/* a full table knows no place; RULE_TRACEPOINT tells of it */
		if (s->overflow || !r->delta[i].events)
			continue;
		set_devices(&e);
		e.count = lost(s, e.delta);
		for (size_t k = 0; e.count && k < n_rules && !err; k++) {
			if (!rule_fits(&rules[k], RULE_LOSS, &e))
				continue;
			err = take(f, &rules[k], &e, names);
			break;
		}
		for (size_t k = 0; k < n_rules && !err; k++) {
			e.count = e.delta->events;
			if (rule_fits(&rules[k], RULE_SERIES, &e))
				err = take(f, &rules[k], &e, names);
		}
	}
	return err;
}

static int look_at_events(struct findings *f, const struct rates *r, struct netns_names *names)
{
	int err = 0;

	for (size_t i = 0; i < r->to->n_event && !err; i++) {
		struct evidence e = { .rates = r,
				      .tracepoint = r->to->event[i].tracepoint,
				      .event = &r->to->event[i],
				      .count = 1 };

		for (size_t k = 0; k < n_rules && !err; k++)
			if (rule_fits(&rules[k], RULE_EVENT, &e))
				err = take(f, &rules[k], &e, names);
	}
	return err;
}

static int look_at_tracepoints(struct findings *f, const struct rates *r, struct netns_names *names)
{
	int err = 0;

	for (uint32_t tp = 0; r->from && tp < TP_COUNT && !err; tp++) {
		struct evidence e = { .rates = r, .tracepoint = tp };

		for (size_t k = 0; k < n_rules && !err; k++)
			if (rule_fits(&rules[k], RULE_TRACEPOINT, &e))
				err = take(f, &rules[k], &e, names);
	}
	return err;
}

/* The order in which they are shown. */
static int by_weight(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->active != y->active)
		return x->active ? -1 : 1;
	if (x->active && x->code->severity != y->code->severity)
		return x->code->severity > y->code->severity ? -1 : 1;
	if (timespec_to_ns(&x->first) != timespec_to_ns(&y->first))
		return timespec_to_ns(&x->first) < timespec_to_ns(&y->first) ? -1 : 1;
	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

int findings_update(struct findings *f, const struct rates *r, struct netns_names *names)
{
	/* with long intervals, one without the cause is enough */
	uint64_t hold = FINDING_HOLD_S * NSEC_PER_SEC;
	int err;

	if (f->started && f->mono_ns == r->to->mono_ns)
		return 0;
	f->started = true;
	f->mono_ns = r->to->mono_ns;
	f->left_out = 0;
	for (size_t i = 0; i < f->n; i++)
		f->finding[i].seen = false;
	err = look_at_series(f, r, names);
	if (!err)
		err = look_at_events(f, r, names);
	if (!err)
		err = look_at_tracepoints(f, r, names);
	f->n_active = 0;
	for (size_t i = 0; i < f->n; i++) {
		struct finding *finding = &f->finding[i];

		finding->active = finding->seen || r->to->mono_ns - finding->last_ns < hold;
		if (finding->active && location_rename(&finding->place, r->to)) {
			set_text(finding, names);
			set_next(finding, names);
		}
		f->n_active += finding->active;
	}
	if (f->n)
		qsort(f->finding, f->n, sizeof(*f->finding), by_weight);
	return err;
}

int findings_line(const struct findings *f, char *buf, size_t size)
{
	if (!f->n_active)
		return snprintf(buf, size, "%s", "");
	return snprintf(buf, size, "%zu finding%s: %s: %s", f->n_active + f->left_out,
			f->n_active + f->left_out == 1 ? "" : "s", f->finding[0].code->name,
			f->finding[0].text);
}
