/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules by which counts become findings: what src/diagnose/finding.c walks through. */
#ifndef XDPTOP_FINDING_RULES_H
#define XDPTOP_FINDING_RULES_H

#include "diagnose/finding.h"

/* What a rule looks at. Several of a series belong together: each is a cause of the same loss. */
enum rule_subject {
	RULE_LOSS,       /* a series that lost something: the first rule that fits holds */
	RULE_SERIES,     /* any series that counted: each rule that fits holds */
	RULE_EVENT,      /* a rare event */
	RULE_TRACEPOINT, /* a tracepoint */
};

/* What tells findings of one code apart (bits of rule.place). */
enum {
	LOCATION_DEVICE = 1 << 0,
	LOCATION_TARGET = 1 << 1,
	LOCATION_PROG = 1 << 2,
	LOCATION_MAP = 1 << 3,
	LOCATION_TRACEPOINT = 1 << 4,
	LOCATION_PROCESS = 1 << 5,
};

/* Any errno, drops without one included, or any action; any errno but 0. */
#define RULE_ANY   (-100000)
#define RULE_ERRNO (-100001)

/* What a rule decides by. Fields of what is no subject of it are NULL. */
struct evidence {
	const struct rates *rates;
	uint32_t tracepoint;
	size_t index; /* of the series */
	const struct series *series;
	const struct series_counters *delta;
	const struct netdev *dev, *to, *peer; /* NULL = not known */
	const struct event *event;
	uint64_t count; /* what was lost, else what was counted */
	/* In words, for {what} in the rule's text: src/diagnose/cause.c's meaning unless the rule
	 * sets it.
	 */
	char what[FINDING_WHAT_LEN];
	const char *advice; /* what to do, where the meaning's would be wrong; NULL = as there */
};

struct rule {
	const char *code; /* of finding_codes[] */
	enum rule_subject subject;
	uint32_t tracepoints; /* bits 1 << id */
	uint8_t through;      /* THROUGH_* of src/diagnose/cause.h; 0 = any */
	int err;              /* -errno, 0 = drops without one, an action, or RULE_* */
	uint8_t place;
	/* Whether it holds beyond that; NULL = it does. */
	bool (*when)(struct evidence *e);
	/* Templates of src/diagnose/location.h, with {what}; NULL = as src/diagnose/cause.c has it.
	 */
	const char *text;
	const char *next; /* one command a line */
};

extern const struct rule rules[];
extern const size_t n_rules;

#endif
