// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/findings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/sanitize.h"
#include "base/wrap.h"
#include "diagnose/attach_cause.h"
#include "diagnose/driver.h"
#include "diagnose/finding_code.h"
#include "diagnose/finding_location.h"
#include "diagnose/finding_rules.h"
#include "diagnose/location_text.h"

/* A rule for several intervals that has not held in enough of them yet. */
struct suspect {
	uint64_t id;
	uint64_t counted[STAGE_COUNT]; /* struct finding.counted */
	struct timespec first;
	enum finding_severity severity;
	uint8_t intervals; /* consecutive ones */
	bool seen;         /* in the interval of the last update */
};

void findings_free(struct findings *f)
{
	free(f->finding);
	free(f->suspect);
	device_pasts_free(&f->pasts);
	verdict_pasts_free(&f->verdicts);
	recent_changes_free(&f->changes);
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
	findings_free(to);
	*to = *from;
	to->finding = finding;
	to->cap = from->n;
	to->suspect = NULL;
	to->n_suspects = to->cap_suspects = 0;
	memset(&to->pasts, 0, sizeof(to->pasts));
	memset(&to->verdicts, 0, sizeof(to->verdicts));
	memset(&to->changes, 0, sizeof(to->changes));
	return 0;
}

static struct finding *finding_find(struct findings *f, uint64_t id)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->finding[i].id == id)
			return &f->finding[i];
	return NULL;
}

/*
 * A zeroed finding. If there are FINDINGS_MAX, it replaces the finding that cleared first, else a
 * less severe one. NULL = none can be replaced, or no memory.
 */
static struct finding *finding_add(struct findings *f, enum finding_severity severity)
{
	struct finding *place = NULL;

	if (f->n < FINDINGS_MAX)
		return array_append(f->finding, f->n, f->cap);
	for (size_t i = 0; i < f->n; i++) {
		struct finding *other = &f->finding[i];

		if (!other->active && (!place || place->active || other->last_ns < place->last_ns))
			place = other;
		else if (other->active && other->severity < severity &&
			 (!place || (place->active && other->severity < place->severity)))
			place = other;
	}
	if (!place)
		return NULL;
	f->truncated += place->seen;
	return memset(place, 0, sizeof(*place));
}

static const char *location_template(uint8_t per, const struct location *l)
{
	if (per & PER_REFUSAL) /* the cause names the process and message */
		return l->dev.ifindex ? "{dev}: " : "";
	if (per & PER_TARGET)
		return per & PER_MAP && !(per & PER_DEVICE) ? "{map} -> {to}: "
		       : l->dev.ifindex                     ? "{dev} -> {to}: "
							    : "{to}: ";
	if (per & PER_DEVICE)
		return per & PER_PROG ? "{dev}, {prog}: " : "{dev}: ";
	return per & PER_MAP ? "{map}: " : "";
}

/* "eth0, eth1 (blue) -> ". Returns the length. */
static size_t set_sources(struct finding *f, struct netns_names *names)
{
	const struct finding_sources *s = &f->sources;
	struct location l;
	size_t len = 0;

	location_init(&l);
	for (uint8_t i = 0; i < s->n && s->n > 1; i++) {
		l.dev = s->dev[i];
		len += (size_t)location_text(i + 1 < s->n ? "{dev}, "
					     : s->more    ? "{dev}, ... -> "
							  : "{dev} -> ",
					     &l, names, f->text + len, sizeof(f->text) - len);
	}
	return len;
}

/* `what` is not a template, because it may have braces. Commands need all names to be known. */
static void set_texts(struct finding *f, struct netns_names *names)
{
	char template[256], command[FINDING_COMMANDS_LEN];
	const char *templates = f->remedy.commands;
	size_t used = 0, len;

	len = set_sources(f, names);
	len += (size_t)location_text(location_template(f->rule->per, &f->location), &f->location,
				     names, f->text + len, sizeof(f->text) - len);
	f->cause_offset = f->rule->per & (PER_DEVICE | PER_TARGET) ? len : 0;
	if (f->rule->text)
		location_text(f->rule->text, &f->location, names, f->text + len,
			      sizeof(f->text) - len);
	else
		sanitize_keep_escapes(f->text + len, sizeof(f->text) - len, f->what,
				      sizeof(f->what));
	f->commands[0] = '\0';
	while ((templates = next_line(templates, template, sizeof(template)))) {
		int n = location_command(template, &f->location, names, command, sizeof(command));

		if (n > 0 && used + (size_t)n + 2 <= sizeof(f->commands))
			used += (size_t)snprintf(f->commands + used, sizeof(f->commands) - used,
						 "%s%s", used ? "\n" : "", command);
	}
}

/* Each text from the rule, else the code, else the cause. */
static struct remedy remedy_of(const struct rule *rule, const struct finding_code *code,
			       const struct cause *cause)
{
	const struct remedy *a = &rule->remedy, *b = &code->remedy;
	struct remedy last = cause ? cause->remedy : (struct remedy){ 0 };

	return (struct remedy){ a->text ?: b->text ?: last.text,
				a->commands ?: b->commands ?: last.commands };
}

/* Finds or adds a suspect. NULL = no memory, or FINDINGS_MAX others that are at least as severe. */
static struct suspect *suspect(struct findings *f, uint64_t id, enum finding_severity severity,
			       const struct snapshot *to)
{
	struct suspect *s = NULL;

	for (size_t i = 0; i < f->n_suspects; i++)
		if (f->suspect[i].id == id)
			return &f->suspect[i];
	if (f->n_suspects < FINDINGS_MAX)
		s = array_append(f->suspect, f->n_suspects, f->cap_suspects);
	for (size_t i = 0; i < f->n_suspects && !s; i++)
		if (f->suspect[i].severity < severity)
			s = &f->suspect[i];
	if (s)
		*s = (struct suspect){ .id = id, .severity = severity, .first = to->wall };
	return s;
}

static enum tp_stage stage_of(const struct evidence *e)
{
	return e->tracepoint == TP_NONE ? STAGE_NONE : tracepoints[e->tracepoint].stage;
}

static bool is_confirmed(struct suspect *s, const struct rule *rule, const struct evidence *e)
{
	s->intervals += !s->seen;
	s->seen = true;
	if (s->intervals >= rule->intervals)
		return true;
	s->counted[stage_of(e)] += e->count;
	return false;
}

/* Removes suspects that were not seen in the last interval. */
static void begin_suspects(struct findings *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_suspects; i++) {
		if (!f->suspect[i].seen)
			continue;
		f->suspect[n] = f->suspect[i];
		f->suspect[n++].seen = false;
	}
	f->n_suspects = n;
}

/*
 * Two stages can report the same packets a moment apart, so the total is the larger of their sums.
 * Adding the larger count of each interval would count such packets twice.
 */
static void count_evidence(struct finding *f, const struct evidence *e)
{
	const struct rates *r = e->rates;
	double seconds = r->seconds;
	uint64_t *counted = &f->counted[stage_of(e)];

	if (e->tracepoint != TP_NONE && r->tp_seconds[e->tracepoint] > 0)
		seconds = r->tp_seconds[e->tracepoint];
	*counted += e->count;
	if (!isnan(e->lost_per_s) && !(f->lost_per_s > e->lost_per_s))
		f->lost_per_s = e->lost_per_s;
	if (*counted <= f->total)
		return;
	f->count += *counted - f->total;
	f->total = *counted;
	if (f->rule->subject == RULE_LOSS)
		f->lost_per_s = per_second((double)f->count, seconds);
}

/* Adds counts of earlier intervals: of the suspect (NULL = none), or of a window. */
static void count_before(struct finding *f, const struct suspect *s, const struct evidence *e)
{
	if (!f->was_seen)
		f->counted[stage_of(e)] += e->count_before;
	for (int i = 0; i < STAGE_COUNT; i++) {
		f->counted[i] += s ? s->counted[i] : 0;
		if (f->counted[i] > f->total)
			f->total = f->counted[i];
	}
}

/* A target has one finding, however many devices send to it. */
static void add_source(struct finding *f, const struct rule *rule, const struct netdev_ref *dev)
{
	struct finding_sources *s = &f->sources;
	uint8_t i = 0;

	if (!dev->ifindex || (rule->per & (PER_TARGET | PER_MAP | PER_DEVICE)) != PER_TARGET)
		return;
	while (i < s->n && (s->dev[i].netns != dev->netns || s->dev[i].ifindex != dev->ifindex))
		i++;
	if (i == FINDING_SOURCES)
		s->more = true;
	else if (i == s->n)
		s->dev[s->n++] = *dev;
	if (s->n < 2)
		return;
	for (i = 1; i < s->n && s->dev[i].netns == s->dev[0].netns;)
		i++;
	f->location.dev = (struct netdev_ref){ .netns = i == s->n ? s->dev[0].netns : 0 };
	f->location.prog_id = 0;
	f->location.prog_name[0] = '\0';
}

/* A cpumap's queue lost at least half of an interval's packets: not a burst. */
#define LOST_MIN 100
static bool is_queue_lost(const struct rule *rule, const struct evidence *e)
{
	return rule->subject == RULE_LOSS && BIT(e->tracepoint) & AT_ENQUEUE &&
	       e->count >= LOST_MIN && e->count >= tracepoints[e->tracepoint].offered(e->delta) / 2;
}

static int evidence_take(void *ctx, const struct finding_code *code, const struct rule *rule,
			 const struct evidence *e)
{
	struct findings *f = ctx;
	const struct snapshot *to = e->rates->to;
	const struct cause *cause = e->cause, *refused;
	struct suspect *before = NULL;
	struct finding *finding;
	struct location location;
	uint64_t id;

	evidence_location(e, rule, &location);
	if (e->series && !cause)
		cause = cause_in(to, e->tracepoint, &e->series->key);
	else if (e->event)
		cause = cause_find(to->kernel, e->tracepoint, &(struct series_key){ 0 });
	id = evidence_id(e, code, rule, &location);
	finding = finding_find(f, id);
	if (finding && finding->seen) {
		/* several series at one location: keep the first text */
		count_evidence(finding, e);
		add_source(finding, rule, &location.dev);
		if (e->severity > finding->severity)
			finding->severity = e->severity;
		return 0;
	}
	if (rule->intervals > 1 && !(finding && finding->active) && !is_queue_lost(rule, e)) {
		before = suspect(f, id, e->severity, to);
		if (!before || !is_confirmed(before, rule, e))
			return 0;
	}
	if (!finding) {
		bool full = f->n == FINDINGS_MAX;

		finding = finding_add(f, e->severity);
		f->truncated += full && !finding;
		if (!finding)
			return full ? 0 : -ENOMEM;
		finding->id = id;
	}
	/* a cleared finding starts again, with equal counts for all stages */
	if (!finding->active) {
		finding->first = before ? before->first : to->wall;
		finding->changes[0] = '\0';
		finding->begins = f->watched;
		finding->sources = (struct finding_sources){ 0 };
		for (int i = 0; i < STAGE_COUNT; i++)
			finding->counted[i] = finding->total;
	}
	/* walks all series, so only for findings that are kept */
	if (e->series)
		evidence_infer_source(e, &location);
	finding->code = code;
	finding->severity = e->severity;
	finding->remedy = remedy_of(rule, code, cause);
	refused = e->event ? attach_cause(e->event) : NULL;
	if (refused) /* its commands need a known device */
		finding->remedy =
			(struct remedy){ refused->remedy.text, location.dev.ifindex
								       ? refused->remedy.commands
								       : finding->remedy.commands };
	finding->tracepoint = e->tracepoint;
	/* the socket was replaced: keep the old one */
	if (finding->active && !location.socket_inode) {
		location.socket_inode = finding->location.socket_inode;
		location.pid = finding->location.pid;
		location.queue = finding->location.queue;
	}
	finding->location = location;
	add_source(finding, rule, &location.dev);
	finding->seen = true;
	finding->active = true;
	finding->last = to->wall;
	finding->last_ns = to->mono_ns;
	finding->rule = rule;
	finding->count = 0;
	finding->lost_per_s = rule->subject == RULE_LOSS ? 0 : NAN;
	count_before(finding, before, e);
	count_evidence(finding, e);
	snprintf(finding->what, sizeof(finding->what), "%s",
		 e->what[0] || !cause ? e->what : cause->meaning);
	return 0;
}

static int by_weight(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	/* findings that are not losses come after losses of 0 */
	double lost_x = isnan(x->loss.per_s) ? -1 : x->loss.per_s;
	double lost_y = isnan(y->loss.per_s) ? -1 : y->loss.per_s;

	if (!x->cause != !y->cause)
		return x->cause ? 1 : -1;
	if (x->active != y->active)
		return x->active ? -1 : 1;
	/* information, such as a filter's drops, comes after real losses */
	if (x->active && (x->severity == FINDING_INFO) != (y->severity == FINDING_INFO))
		return x->severity == FINDING_INFO ? 1 : -1;
	if (x->active && lost_x != lost_y)
		return lost_x > lost_y ? -1 : 1;
	if (x->active && x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (timespec_to_ns(&x->first) != timespec_to_ns(&y->first))
		return timespec_to_ns(&x->first) < timespec_to_ns(&y->first) ? -1 : 1;
	if (x->code != y->code)
		return finding_code_index(x->code) < finding_code_index(y->code) ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Updates names and severity. A finding not seen in the interval keeps its evidence. */
static void renew(struct finding *f, const struct rates *r, struct netns_names *names)
{
	location_rename(&f->location, r->to);
	location_set_pods(&f->location, r->to);
	for (uint8_t i = 0; i < f->sources.n; i++)
		netdev_ref_rename(&f->sources.dev[i], r->to);
	set_texts(f, names);
	if (f->rule->settled && f->rule->settled(f, r))
		f->severity = FINDING_INFO;
}

/* Everything in the output except counts and times. A consequence alone counts as absent. */
static void set_changed(struct finding *f)
{
	const struct location *l = &f->location;
	const uint32_t ids[] = { f->active,     f->severity,         f->tracepoint,
				 l->dev.netns,  l->dev.ifindex,      l->to.netns,
				 l->to.ifindex, (uint32_t)l->to_cpu, l->prog_id,
				 l->map_id,     (uint32_t)l->queue,  l->socket_inode };
	const char *const words[] = { l->dev.name, l->to.name,  l->prog_name,
				      f->text,     f->commands, f->consequences ?: "",
				      f->changes };
	uint64_t hash = hash_add_words(1, ids, sizeof(ids));

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = hash_add_text(hash_add(hash, i), words[i]);
	if (f->cause)
		hash = 0;
	f->changed = f->words != hash;
	f->words = hash;
}

/* Whether two locations are the same place for the rule. */
static bool is_at_place(const struct rule *rule, const struct location *a, const struct location *b)
{
	if (a->prog_id && b->prog_id && a->prog_id != b->prog_id)
		return false;
	return (!(rule->per & PER_DEVICE) ||
		(a->dev.netns == b->dev.netns && a->dev.ifindex == b->dev.ifindex)) &&
	       (!(rule->per & PER_QUEUE) || (a->queue >= 0 && a->queue == b->queue));
}

static const struct finding *cause_of(const struct findings *f, const struct finding *of)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *cause = &f->finding[i];
		const char *leads_to = cause->rule->leads_to;

		if (cause->active && leads_to && !strcmp(leads_to, of->code->name) &&
		    is_at_place(cause->rule, &cause->location, &of->location))
			return cause;
	}
	return NULL;
}

/* A cause is at least as severe as its consequences, and loses at least as much. */
static void add_consequence(struct finding *f, const struct finding *of)
{
	if (of->severity > f->severity)
		f->severity = of->severity;
	if (!(f->loss.per_s >= of->loss.per_s) && !isnan(of->loss.per_s))
		f->loss = of->loss;
	f->consequences = of->code->name;
}

/* Findings seen in the interval get their current cause. The others keep theirs. */
static void set_causes(struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct finding *finding = &f->finding[i];

		finding->consequences = NULL;
		finding->loss =
			(struct finding_loss){ finding->lost_per_s,
					       finding->seen ? finding->count : 0, finding->total };
	}
	for (size_t i = 0; i < f->n; i++) {
		struct finding *finding = &f->finding[i];
		const struct finding *cause = finding->active ? cause_of(f, finding) : NULL;

		if (cause)
			add_consequence(&f->finding[cause - f->finding], finding);
		if (cause || finding->seen)
			finding->cause = cause ? cause->id : 0;
	}
}

const struct finding *findings_consequence(const struct findings *f, const struct finding *of,
					   const struct finding *after)
{
	const struct finding *end = f->finding + f->n;

	for (after = after ? after + 1 : f->finding; after < end; after++)
		if (after->cause == of->id && after->active)
			return after;
	return NULL;
}

const struct finding *findings_cause(const struct findings *f, const struct finding *of)
{
	for (size_t i = 0; of->cause && i < f->n; i++)
		if (f->finding[i].id == of->cause)
			return &f->finding[i];
	return of;
}

int findings_update(struct findings *f, const struct rates *r, struct netns_names *names)
{
	const struct rule_run run = { r, &f->pasts, &f->verdicts, evidence_take, f };
	/* an interval longer than the hold clears a finding at once */
	uint64_t hold = FINDING_HOLD_S * NSEC_PER_SEC;
	int err;

	if (f->started && f->mono_ns == r->to->mono_ns)
		return 0;
	f->started = true;
	f->mono_ns = r->to->mono_ns;
	f->truncated = 0;
	for (size_t i = 0; i < f->n; i++) {
		f->finding[i].was_seen = f->finding[i].seen;
		f->finding[i].seen = false;
		if (!isnan(f->finding[i].lost_per_s))
			f->finding[i].lost_per_s = 0;
	}
	begin_suspects(f);
	err = recent_changes_take(&f->changes, r->to);
	if (!err)
		err = device_pasts_update(&f->pasts, r);
	if (!err)
		err = verdict_pasts_update(&f->verdicts, r);
	if (!err)
		err = finding_rules_apply(&run);
	for (size_t i = 0; i < f->n; i++) {
		struct finding *finding = &f->finding[i];

		finding->active = finding->seen || r->to->mono_ns - finding->last_ns < hold;
		if (finding->active)
			renew(finding, r, names);
		if (finding->begins && !isnan(finding->lost_per_s))
			changes_before(&f->changes, finding, finding->changes,
				       sizeof(finding->changes));
		finding->begins = false;
	}
	f->watched = true;
	set_causes(f);
	f->n_active = f->n_listed = 0;
	for (size_t i = 0; i < f->n; i++) {
		set_changed(&f->finding[i]);
		f->n_listed += !f->finding[i].cause;
		f->n_active += !f->finding[i].cause && f->finding[i].active;
	}
	if (f->n)
		qsort(f->finding, f->n, sizeof(*f->finding), by_weight);
	return err;
}
