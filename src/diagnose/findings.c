// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/findings.h"

#include <inttypes.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/sanitize.h"
#include "base/format.h"
#include "diagnose/attach_cause.h"
#include "diagnose/driver.h"
#include "diagnose/finding_location.h"
#include "diagnose/finding_rules.h"
#include "diagnose/location_text.h"
#include "source/sockets.h"

#define HOLD_NS    (FINDING_HOLD_S * NSEC_PER_SEC)
#define TAKERS_MAX 1024

/* A rule for several intervals that has not yet held in enough of them. */
struct suspect {
	uint64_t id;
	uint64_t counted[STAGE_COUNT]; /* struct finding.counted */
	struct timespec first;
	uint64_t last_ns; /* CLOCK_MONOTONIC */
	enum finding_severity severity;
	uint8_t intervals; /* consecutive ones, or bursts */
	bool bursts;       /* remembered for FINDING_HOLD_S, else only until the next interval */
	bool seen;         /* in the interval of the last update */
};

/* The finding that took the losses of a series. */
struct taker {
	uint64_t series; /* hash of tracepoint and key */
	uint64_t id;     /* of the finding */
	uint64_t other;  /* the finding that the last interval gave instead; 0 = none */
	bool seen;       /* in the interval of the last update */
};

void findings_free(struct findings *f)
{
	free(f->finding);
	free(f->suspect);
	free(f->taker);
	device_pasts_free(&f->pasts);
	verdict_pasts_free(&f->verdicts);
	recent_changes_free(&f->changes);
	memset(f, 0, sizeof(*f));
}

void findings_copy(struct findings *to, const struct findings *from)
{
	struct finding *finding = NULL;

	if (to == from)
		return;
	if (from->n) {
		finding = memory_new(from->n, sizeof(*finding));
		memcpy(finding, from->finding, from->n * sizeof(*finding));
	}
	findings_free(to);
	*to = *from;
	to->finding = finding;
	to->cap = from->n;
	to->suspect = NULL;
	to->n_suspects = to->cap_suspects = 0;
	to->taker = NULL;
	to->n_takers = to->cap_takers = 0;
	memset(&to->pasts, 0, sizeof(to->pasts));
	memset(&to->verdicts, 0, sizeof(to->verdicts));
	memset(&to->changes, 0, sizeof(to->changes));
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
 * less severe one. NULL = none can be replaced.
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

static const char *location_template(uint8_t per, const struct location *l, bool sources)
{
	if (per & PER_REFUSAL) /* the cause names the process and message */
		return l->dev.ifindex ? "{dev}: " : "";
	if (per & PER_TARGET)
		return per & PER_MAP && !(per & PER_DEVICE) ? "{map} -> {to}: "
		       : l->dev.ifindex && !sources         ? "{dev} -> {to}: "
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
					     &l, names, f->next.text + len,
					     sizeof(f->next.text) - len);
	}
	return len;
}

/* `what` is not a template, because it may have braces. Commands need all names to be known. */
static void set_texts(struct finding *f, struct netns_names *names)
{
	char template[256], command[FINDING_COMMANDS_LEN];
	struct finding_story *s = &f->next;
	const char *templates = s->remedy.commands;
	size_t used = 0, len;

	len = set_sources(f, names);
	len += (size_t)location_text(location_template(s->rule->per, &s->location, len),
				     &s->location, names, s->text + len, sizeof(s->text) - len);
	s->cause_offset = s->rule->per & (PER_DEVICE | PER_TARGET) ? len : 0;
	if (s->rule->text)
		location_text(s->rule->text, &s->location, names, s->text + len,
			      sizeof(s->text) - len);
	else
		sanitize_keep_escapes(s->text + len, sizeof(s->text) - len, s->what,
				      sizeof(s->what));
	s->commands[0] = '\0';
	while ((templates = next_line(templates, template, sizeof(template)))) {
		int n = location_command(template, &s->location, names, command, sizeof(command));

		if (n > 0 && used + (size_t)n + 2 <= sizeof(s->commands))
			used += (size_t)snprintf(s->commands + used, sizeof(s->commands) - used,
						 "%s%s", used ? "\n" : "", command);
	}
}

/* Takes each text from the rule, else from the code, else from the cause. */
static struct remedy remedy_of(const struct rule *rule, const struct finding_code *code,
			       const struct cause *cause)
{
	const struct remedy *a = &rule->remedy, *b = &code->remedy;
	struct remedy last = cause ? cause->remedy : (struct remedy){ 0 };

	return (struct remedy){ a->text ?: b->text ?: last.text,
				a->commands ?: b->commands ?: last.commands };
}

/* Finds or adds a suspect. NULL = FINDINGS_MAX others that are at least as severe. */
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
	s->bursts = rule->bursts;
	s->last_ns = e->rates->to->mono_ns;
	if (s->intervals >= rule->intervals + rule->bursts)
		return true;
	s->counted[stage_of(e)] += e->count;
	return false;
}

/* Forgets suspects and takers that were not seen in the last interval. */
static void begin_interval(struct findings *f, uint64_t now_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_suspects; i++) {
		const struct suspect *s = &f->suspect[i];

		if (!s->seen && (!s->bursts || now_ns - s->last_ns >= HOLD_NS))
			continue;
		f->suspect[n] = *s;
		f->suspect[n++].seen = false;
	}
	f->n_suspects = n;
	n = 0;
	for (size_t i = 0; i < f->n_takers; i++) {
		if (!f->taker[i].seen)
			continue;
		f->taker[n] = f->taker[i];
		f->taker[n++].seen = false;
	}
	f->n_takers = n;
}

/*
 * Two stages can report the same packets a moment apart, so the total is the larger of their sums.
 * Adding the larger count of each interval would count such packets twice.
 */
static void count_evidence(struct finding *f, const struct rule *rule, const struct evidence *e)
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
	if (rule->subject == RULE_LOSS)
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
	f->next.location.dev = (struct netdev_ref){ .netns = i == s->n ? s->dev[0].netns : 0 };
	f->next.location.prog_id = 0;
	f->next.location.prog_name[0] = '\0';
}

/* A cpumap's queue lost at least half of an interval's packets, so it was not just a burst. */
#define LOST_MIN 100
static bool is_queue_lost(const struct rule *rule, const struct evidence *e)
{
	return rule->subject == RULE_LOSS && BIT(e->tracepoint) & AT_ENQUEUE &&
	       e->count >= LOST_MIN && e->count >= tracepoints[e->tracepoint].offered(e->delta) / 2;
}

/*
 * Whether the evidence has the finding's cause. A rule that names no cause of its own (PER_RULE)
 * leaves the cause open until more is known. A new socket in a slot belongs to another process.
 * Sockets that share a queue share its finding.
 */
static bool is_same_cause(const struct finding *f, const struct rule *rule,
			  const struct location *l, const struct snapshot *to)
{
	uint32_t inode = f->location.socket_inode;

	if (inode && l->socket_inode && inode != l->socket_inode &&
	    (!(rule->per & PER_QUEUE) || !xdp_socket_find(to, inode)))
		return false;
	return f->rule == rule || !(f->rule->per & PER_RULE);
}

/* The active finding with this cause, else the cleared one with *id; NULL = none has the id yet. */
static struct finding *finding_of(struct findings *f, uint64_t place, const struct rule *rule,
				  const struct location *l, const struct snapshot *to, uint64_t *id)
{
	struct finding *other;

	for (size_t i = 0; i < f->n; i++) {
		other = &f->finding[i];
		if (other->place != place || !other->active || !is_same_cause(other, rule, l, to))
			continue;
		*id = other->id;
		return other;
	}
	while ((other = finding_find(f, *id)) && other->active)
		*id = hash_add(*id, 1);
	return other;
}

/*
 * The active finding that took this series' losses in the previous interval, if the evidence now
 * leads to another one for the first time: the last packets are lost before a repair, and the state
 * is read after it. *again: the evidence leads there for the second time.
 */
static struct finding *taker_of(struct findings *f, const struct evidence *e, uint64_t id,
				bool *again)
{
	uint64_t series =
		hash_add_words(hash_add(1, e->tracepoint), &e->series->key, sizeof(e->series->key));
	struct taker *t = NULL;
	struct finding *held;

	for (size_t i = 0; i < f->n_takers && !t; i++)
		if (f->taker[i].series == series)
			t = &f->taker[i];
	held = t && t->id != id && t->other != id ? finding_find(f, t->id) : NULL;
	if (!t && f->n_takers < TAKERS_MAX)
		t = array_append(f->taker, f->n_takers, f->cap_takers);
	if (!t)
		return NULL;
	t->series = series;
	t->seen = true;
	if (held && held->active && (held->seen || held->was_seen)) {
		t->other = id;
		return held;
	}
	*again = t->other == id;
	t->id = id;
	t->other = 0;
	return NULL;
}

static void begin_evidence(struct finding *f, const struct rule *rule, const struct snapshot *to)
{
	f->seen = f->active = true;
	f->last = to->wall;
	f->last_ns = to->mono_ns;
	f->count = 0;
	f->lost_per_s = rule->subject == RULE_LOSS ? 0 : NAN;
}

/* Reports what the previous interval said, unless that was the last one before a pause. */
static void tell(struct finding *f)
{
	if (f->is_told && f->has_next && f->was_seen)
		f->story = f->next;
	f->has_next = false;
}

/* When the evidence began: the same time for all intervals that share a reading. */
static uint64_t counted_since(const struct evidence *e)
{
	const struct rates *r = e->rates;

	return e->since_ns ?: (r->from ?: r->to)->mono_ns;
}

static struct timespec began(const struct evidence *e, const struct suspect *before)
{
	const struct snapshot *to = e->rates->to;

	if (before)
		return before->first;
	if (!e->first_ns)
		return to->wall;
	return ns_to_timespec(timespec_to_ns(&to->wall) - (int64_t)(to->mono_ns - e->first_ns));
}

static void set_story(struct finding *f, const struct finding_code *code, const struct rule *rule,
		      const struct evidence *e, const struct cause *cause,
		      const struct location *location)
{
	const struct cause *refused = e->event ? attach_cause(e->event) : NULL;
	struct finding_story *s = &f->next;

	s->rule = rule;
	s->severity = e->severity;
	s->tracepoint = e->tracepoint;
	s->since_ns = counted_since(e);
	s->location = *location;
	s->remedy = remedy_of(rule, code, cause);
	if (refused) /* the finding's commands need a known device */
		s->remedy = (struct remedy){ refused->remedy.text,
					     location->dev.ifindex ? refused->remedy.commands
								   : s->remedy.commands };
	snprintf(s->what, sizeof(s->what), "%s", e->what[0] || !cause ? e->what : cause->meaning);
	f->has_next = true;
}

static void evidence_take(void *ctx, const struct finding_code *code, const struct rule *rule,
			  const struct evidence *e)
{
	struct findings *f = ctx;
	const struct snapshot *to = e->rates->to;
	const struct cause *cause = e->cause;
	struct suspect *before = NULL;
	struct finding *finding, *held;
	struct location location;
	uint64_t place, id;
	bool again = false;

	evidence_location(e, rule, &location);
	if (e->series && !cause)
		cause = cause_in(to, e->tracepoint, &e->series->key);
	else if (e->event)
		cause = cause_find(to->kernel, e->tracepoint, &(struct series_key){ 0 });
	place = evidence_place(e, code, rule, &location);
	id = rule->per & PER_RULE ? hash_add(place, (uint64_t)(rule - code->rules)) : place;
	finding = finding_of(f, place, rule, &location, to, &id);
	held = rule->subject == RULE_LOSS ? taker_of(f, e, id, &again) : NULL;
	if (held) {
		if (!held->seen) {
			held->has_next = false; /* the finding's earlier text may have said less */
			begin_evidence(held, rule, to);
		}
		count_evidence(held, rule, e);
		return;
	}
	if (finding && finding->seen) {
		/* several series at one location: keep the first text */
		count_evidence(finding, rule, e);
		add_source(finding, rule, &location.dev);
		if (e->severity > finding->next.severity)
			finding->next.severity = e->severity;
		return;
	}
	if (rule->intervals + rule->bursts > 1 && !(finding && finding->active) && !again &&
	    !is_queue_lost(rule, e)) {
		before = suspect(f, id, e->severity, to);
		if (!before || !is_confirmed(before, rule, e))
			return;
	}
	if (!finding) {
		finding = finding_add(f, e->severity);
		f->truncated += !finding;
		if (!finding)
			return;
		finding->code = code;
		finding->place = place;
		finding->id = id;
	}
	/* a cleared finding starts again, with equal counts for all stages */
	if (!finding->active) {
		finding->first = began(e, before);
		finding->changes[0] = '\0';
		finding->begins = f->watched && (rule->subject == RULE_LOSS || e->first_ns ||
						 !isnan(e->lost_per_s));
		finding->is_told = finding->has_next = false;
		finding->rule = rule;
		finding->severity = e->severity;
		finding->sources = (struct finding_sources){ 0 };
		finding->before = finding->total;
		for (int i = 0; i < STAGE_COUNT; i++)
			finding->counted[i] = finding->total;
	}
	/* a reading of counters lasts for several intervals */
	if (!(finding->was_seen && finding->has_next &&
	      finding->next.since_ns == counted_since(e))) {
		tell(finding);
		/* walks all series, so only for findings that are kept */
		if (e->series)
			evidence_infer_source(e, &location);
		set_story(finding, code, rule, e, cause, &location);
	}
	add_source(finding, rule, &location.dev);
	begin_evidence(finding, rule, to);
	count_before(finding, before, e);
	count_evidence(finding, rule, e);
}

static int by_weight(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	/* findings that are not losses come after losses of 0 */
	double lost_x = isnan(x->loss.per_s) ? -1 : x->loss.per_s;
	double lost_y = isnan(y->loss.per_s) ? -1 : y->loss.per_s;
	int order = ORDER(!!x->cause, !!y->cause) ?: ORDER(y->active, x->active);

	/* information, such as a filter's drops, comes after real losses */
	if (!order && x->active)
		order = ORDER(x->severity == FINDING_INFO, y->severity == FINDING_INFO)
				?: ORDER(lost_y, lost_x)
				?: ORDER(y->severity, x->severity);
	return order
		       ?: ORDER(timespec_to_ns(&x->first), timespec_to_ns(&y->first))
		       ?: ORDER(finding_code_index(x->code), finding_code_index(y->code))
		       ?: ORDER(x->id, y->id);
}

/* Puts the current names into the interval's texts. */
static void write_story(struct finding *f, const struct snapshot *to, struct netns_names *names)
{
	struct location *l = &f->next.location;

	if (!f->has_next)
		return;
	for (uint8_t i = 0; i < f->sources.n; i++)
		netdev_ref_rename(&f->sources.dev[i], to);
	location_rename(l, to);
	location_set_pods(l, to);
	if (f->is_told)
		location_keep(l, &f->location);
	set_texts(f, names);
	if (f->is_told && !f->next.rule->is_event)
		return;
	f->story = f->next;
	f->is_told = true;
}

/* The output without counts and times. A consequence alone counts as absent. */
static void set_changed(struct finding *f)
{
	const struct location *l = &f->location;
	const uint32_t ids[] = { f->active,      f->seen,       f->severity,
				 f->tracepoint,  l->dev.netns,  l->dev.ifindex,
				 l->to.netns,    l->to.ifindex, (uint32_t)l->to_cpu,
				 l->prog_id,     l->map_id,     (uint32_t)l->queue,
				 l->socket_inode };
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

/* Without its counts an active finding neither lasts nor clears. */
static void take_uncounted(struct finding *f, const struct rates *r)
{
	f->uncounted = f->active && !f->seen && f->tracepoint != TP_NONE &&
				       r->to->tp[f->tracepoint].state != TP_ON
			       ? rates_uncounted(r, f->tracepoint)
			       : NULL;
	f->uncounted_ns = f->uncounted            ? r->to->mono_ns
			  : !f->active || f->seen ? 0
						  : f->uncounted_ns;
}

const char *finding_stopped_text(const struct finding *f, uint64_t now_ns, char *buf, size_t size)
{
	const uint64_t clears = finding_clears_ns(f), ago = now_ns - f->last_ns, s = NSEC_PER_SEC;

	buf[0] = '\0';
	if (clears > now_ns)
		snprintf(buf, size, "%s %" PRIu64 "s ago, clears in %" PRIu64 "s",
			 f->rule->is_event ? "happened" : "stopped", (ago + s - 1) / s,
			 (clears - now_ns + s - 1) / s);
	return buf;
}

int findings_update(struct findings *f, const struct rates *r, struct netns_names *names)
{
	const struct rule_run run = { r, &f->pasts, &f->verdicts, evidence_take, f };
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
	begin_interval(f, r->to->mono_ns);
	recent_changes_take(&f->changes, r->to);
	device_pasts_update(&f->pasts, r);
	verdict_pasts_update(&f->verdicts, r);
	err = finding_rules_apply(&run);
	for (size_t i = 0; i < f->n; i++) {
		struct finding *finding = &f->finding[i];

		take_uncounted(finding, r);
		/* an interval longer than the hold clears a finding at once */
		finding->active = finding->seen || finding->uncounted ||
				  finding_clears_ns(finding) > r->to->mono_ns;
		if (finding->seen)
			write_story(finding, r->to, names);
		if (finding->active && finding->rule->settled && finding->rule->settled(finding, r))
			finding->severity = FINDING_INFO;
		if (finding->begins)
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
