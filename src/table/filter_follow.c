// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sanitize.h"
#include "model/kernel_names.h"
#include "model/tracepoint.h"
#include "table/filter.h"
#include "table/filter_follow.h"

const char filter_follow_help[] =
	"tracepoint, ifname, netns, target, prog_name, prog_id, map_id, errname = VALUE";

/* A choice being built, and what a tracepoint needs for it. */
struct choice {
	struct follow_choice words;
	uint16_t has;
	bool never; /* contradictory */
	bool zero;  /* compares a field with 0 or nothing, which an absent field also matches */
};

struct follow_parse {
	struct netns_names *names;
	const struct snapshot *snapshot;
	struct choice choice[FOLLOW_CHOICES];
	uint32_t n;
	uint32_t tracepoints; /* named by terms; all if none is named */
	struct error *error;
};

#define refuse(p, ...) error_set((p)->error, -EINVAL, __VA_ARGS__)

/* Refuses a value. It may come from a script, so it is made printable. */
static int refuse_value(const struct follow_parse *p, const char *value, const char *what)
{
	char shown[64];

	sanitize(shown, sizeof(shown), value, strlen(value));
	return refuse(p, "'%s' %s", shown, what);
}

/* Terms are combined by and, so a byte that was set to another value before can never match. */
static void set_bytes(struct choice *c, size_t at, const void *value, size_t len)
{
	const unsigned char *from = value;
	unsigned char *to = (unsigned char *)c->words.value + at;
	unsigned char *mask = (unsigned char *)c->words.mask + at;

	for (size_t i = 0; i < len; i++) {
		c->never |= mask[i] && to[i] != from[i];
		to[i] = from[i];
		mask[i] = 0xff;
	}
}

#define set_key(c, member, number)                                                           \
	set_bytes(c, offsetof(struct series_key, member), &(uint32_t){ (uint32_t)(number) }, \
		  sizeof(uint32_t))

/* The kernel cuts program names to 15 bytes. */
static int set_name(const struct follow_parse *p, struct choice *c, int word, const char *value)
{
	char name[SERIES_NAME_LEN] = "";
	size_t len = strlen(value), any = strcspn(value, "*"), most = sizeof(name) - 1;

	if (any + 1 < len)
		return refuse_value(p, value,
				    "has text after a *; the kernel can match a * only at the end");
	if (word != FOLLOW_PROG_NAME && any > most)
		return refuse_value(p, value,
				    "is too long for the name of a device; the limit is 15 bytes");
	memcpy(name, value, any < most ? any : most);
	set_bytes(c, (size_t)word * sizeof(uint64_t), name,
		  any < len && any < most ? any : sizeof(name));
	return 0;
}

static int set_number(const struct follow_parse *p, struct choice *c, size_t member,
		      const char *value)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);
	uint32_t number = (uint32_t)n;

	if (!isdigit((unsigned char)*value) || *end || n != number)
		return refuse_value(p, value, "is not an id; bpftool lists them");
	set_bytes(c, member, &number, sizeof(number));
	return 0;
}

static int set_ifname(const struct follow_parse *p, struct choice *c, const char *value)
{
	return set_name(p, c, FOLLOW_IFNAME, value);
}

static int set_netns(const struct follow_parse *p, struct choice *c, const char *value)
{
	uint32_t inode = p->names ? netns_names_find(p->names, value) : ~0u;

	if (!inode)
		return refuse_value(p, value,
				    "is not a network namespace; give init, a name of `ip netns`, "
				    "or ns:INODE");
	set_key(c, netns, inode);
	return 0;
}

/* A device name, or "CPU 3" for a cpumap. */
static int set_target(const struct follow_parse *p, struct choice *c, const char *value)
{
	unsigned int cpu;
	int end = 0;

	if (sscanf(value, "CPU %9u%n", &cpu, &end) != 1 || value[end]) {
		c->has |= HAS_TO_DEVICE;
		return set_name(p, c, FOLLOW_TO_IFNAME, value);
	}
	c->has |= HAS_TO_CPU;
	set_key(c, map_type, SERIES_MAP_CPUMAP);
	set_key(c, target, cpu);
	return 0;
}

static int set_prog_name(const struct follow_parse *p, struct choice *c, const char *value)
{
	return set_name(p, c, FOLLOW_PROG_NAME, value);
}

static int set_prog_id(const struct follow_parse *p, struct choice *c, const char *value)
{
	return set_number(p, c, offsetof(struct series_key, prog_id), value);
}

static int set_map_id(const struct follow_parse *p, struct choice *c, const char *value)
{
	return set_number(p, c, offsetof(struct series_key, map_id), value);
}

/* The code is an errno or, for xdp_exception, an action. */
static int set_errname(const struct follow_parse *p, struct choice *c, const char *value)
{
	int err = errno_find(value), act = act_find(value);

	if (err > 0) {
		c->has |= HAS_ERR;
		set_key(c, code, -err);
		return 0;
	}
	if (act < 0)
		return refuse_value(p, value, "is neither an errno nor an XDP action");
	c->has |= HAS_ACT;
	set_key(c, code, act);
	return 0;
}

/* Fields that can be compared; has 0 = set() decides. */
static const struct {
	enum column_id column;
	uint16_t has;
	int (*set)(const struct follow_parse *p, struct choice *c, const char *value);
} fields[] = {
	{ COL_DEVICE, HAS_DEVICE, set_ifname }, { COL_NETNS, HAS_DEVICE, set_netns },
	{ COL_TARGET, 0, set_target },          { COL_PROGRAM, HAS_PROG, set_prog_name },
	{ COL_PROG_ID, HAS_PROG, set_prog_id }, { COL_MAP_ID, HAS_MAP, set_map_id },
	{ COL_ERROR, 0, set_errname },
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

/* The tracepoints that a term names, several with `*`; 0 = none. */
static uint32_t named_tracepoints(const struct follow_parse *p, const struct filter_term *term)
{
	uint32_t set = 0;

	if (term->column != COL_TRACEPOINT && term->column != COLUMN_COUNT)
		return 0;
	for (int i = 0; i < TP_COUNT; i++) {
		const char *name = p->snapshot ? snapshot_tracepoint(p->snapshot, (uint32_t)i)
					       : tracepoints[i].name;

		if (*name && !fnmatch(term->text, name, FNM_CASEFOLD))
			set |= BIT(i);
	}
	/* this version may not know it */
	if (!set && !p->snapshot && term->column == COL_TRACEPOINT)
		set = (BIT(TP_OTHERS) - 1) << TP_OTHER;
	return set;
}

/* Combine each choice so far with the value of the term. */
static int add_value(struct follow_parse *p, const struct choice *from, uint32_t n,
		     const struct filter_term *term)
{
	size_t i = 0;

	while (i < N_FIELDS && fields[i].column != term->column)
		i++;
	if (i == N_FIELDS)
		return term->column == COLUMN_COUNT
			       ? refuse_value(p, term->text,
					      "is not a tracepoint; give FIELD=VALUE")
			       : refuse(p, "%s is not compared in the kernel; these are: %s",
					columns[term->column].name, filter_follow_help);
	for (uint32_t k = 0; k < n; k++) {
		struct choice c = from[k];
		int err = fields[i].set(p, &c, term->text);

		if (err)
			return err;
		if (c.never)
			continue;
		if (p->n == FOLLOW_CHOICES)
			return refuse(p, "more than %d alternatives; follow fewer at a time",
				      FOLLOW_CHOICES);
		c.has |= fields[i].has;
		c.zero |= !memcmp(c.words.value, from[k].words.value, sizeof(c.words.value));
		p->choice[p->n++] = c;
	}
	return 0;
}

/* Add terms joined by `|` from the ith on. Returns how many, or -errno. */
static int add_terms(struct follow_parse *p, const struct filter *f, size_t i)
{
	struct choice before[FOLLOW_CHOICES];
	uint32_t n = p->n, set = 0;
	struct filter_term term;
	int count = 0, sets = 0;

	memcpy(before, p->choice, sizeof(before));
	p->n = 0;
	while (filter_term(f, i + (size_t)count, &term) && (!count || term.alternative)) {
		uint32_t named = named_tracepoints(p, &term);
		int err;

		if (!term.equals)
			return refuse(p, "the kernel compares only FIELD=VALUE; leave other "
					 "comparisons out");
		if (term.column == COL_TRACEPOINT && !named)
			return refuse_value(p, term.text, "is not a tracepoint; --list shows them");
		err = named ? 0 : add_value(p, before, n, &term);
		if (err)
			return err;
		set |= named;
		sets += !!named;
		count++;
	}
	if (sets && sets < count)
		return refuse(p, "a tracepoint and another field cannot be alternatives; put a "
				 "blank in place of the |");
	if (sets) {
		p->tracepoints &= set;
		p->n = n;
	}
	return count;
}

/* The named tracepoints that have what some choice compares. */
static uint32_t fitting(const struct follow_parse *p)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < p->n; i++)
		set |= tracepoints_with(p->choice[i].has);
	return set & p->tracepoints;
}

static int filter_finish(const struct follow_parse *p, struct follow_filter *to)
{
	const struct follow_choice none = { 0 };

	if (!p->n)
		return refuse(p, "no event matches all of that; put a | in place of a blank");
	to->tracepoints = fitting(p) & ~(BIT(TP_VERDICTS) | BIT(TP_FOLLOW));
	if (!to->tracepoints)
		return refuse(p, "no tracepoint has all of these fields; leave out a field or the "
				 "tracepoint");
	for (uint32_t i = 0; i < p->n; i++) {
		if (p->choice[i].zero && fitting(p) & ~tracepoints_with(p->choice[i].has))
			return refuse(p,
				      "ABORTED, *, 0 and \"\" also match tracepoints that lack the "
				      "field; follow each alternative on its own");
		to->choices.choice[i] = p->choice[i].words;
		for (int word = FOLLOW_KEY_WORDS; word < FOLLOW_WORDS; word++)
			to->choices.by_name |= !!p->choice[i].words.mask[word];
	}
	to->choices.n = p->n;
	/* a single choice that compares nothing matches every event */
	if (p->n == 1 && !memcmp(&to->choices.choice[0], &none, sizeof(none)))
		to->choices.n = 0;
	return 0;
}

int filter_follow_parse(const char *expr, struct netns_names *names, const struct snapshot *s,
			struct follow_filter *to, struct error *error)
{
	struct follow_parse p = {
		.names = names,
		.snapshot = s,
		.n = 1,
		.tracepoints = BIT(TP_COUNT) - 1,
		.error = error,
	};
	struct filter_term term;
	struct filter *f;
	int err = filter_parse(expr, &f, error);

	if (err == -ENOMEM)
		error_set(error, err, "%s", strerror(ENOMEM));
	if (err)
		return err;
	memset(to, 0, sizeof(*to));
	snprintf(to->text, sizeof(to->text), "%s", expr);
	for (size_t i = 0; err >= 0 && filter_term(f, i, &term); i += (size_t)err)
		err = add_terms(&p, f, i);
	if (err >= 0)
		err = filter_finish(&p, to);
	filter_free(f);
	return err;
}
