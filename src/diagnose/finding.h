/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings: what the counts of an interval say about causes. One table of rules
 * (src/diagnose/finding_rules.c) over the rates; one finding for each (code, place). A finding
 * clears when its cause has not been seen for FINDING_HOLD_S, and stays known with the time it was
 * last seen.
 */
#ifndef XDPTOP_FINDING_H
#define XDPTOP_FINDING_H

#include "diagnose/location.h"
#include "model/rates.h"

#define FINDING_TEXT_LEN 768
#define FINDING_WHAT_LEN 640 /* an attach's message, and a little around it */
#define FINDING_NEXT_LEN 1024
#define FINDING_HOLD_S   10  /* seconds without the cause until it counts as cleared */
#define FINDINGS_MAX     256 /* kept at most; cleared ones go first */

enum finding_severity { FINDING_INFO, FINDING_WARNING, FINDING_CRITICAL, FINDING_SEVERITIES };

/* One kind of finding, as DESIGN section 4 lists them. */
struct finding_code {
	const char *name;
	enum finding_severity severity;
	const char *meaning; /* one line: for help and xdptop -e CODE */
	/* What to do about it; NULL = it follows from an error, and src/diagnose/cause.c tells. */
	const char *next;
};

extern const struct finding_code finding_codes[];
extern const size_t n_finding_codes;
/* By name, NULL when there is none. */
const struct finding_code *finding_code_find(const char *name);

struct cause; /* src/diagnose/cause.h */
/* The code that such an error leads to when nothing more is known of it; NULL = none. */
const struct finding_code *finding_for_cause(const struct cause *m);

struct finding {
	const struct finding_code *code;
	uint32_t tracepoint; /* whose counts are the evidence */
	struct location place;
	uint64_t id;                 /* of (code, place); never 0 */
	bool seen;                   /* in the interval of the last update */
	bool active;                 /* not cleared */
	struct timespec first, last; /* seen, CLOCK_REALTIME */
	uint64_t last_ns;            /* the same, monotonic */
	uint64_t count;     /* events or packets of evidence in the interval that saw it last */
	uint64_t total;     /* the same in all intervals */
	const char *advice; /* what to do, in words; NULL = nothing is known to help */
	/* What text and next are made of, again when a device is renamed. */
	const char *text_template, *next_template; /* NULL = no commands */
	char what[FINDING_WHAT_LEN];
	char text[FINDING_TEXT_LEN]; /* the place and the cause, with names */
	size_t cause; /* where in text the cause begins, behind "DEVICE -> TARGET: " */
	char next[FINDING_NEXT_LEN]; /* commands ready to be pasted, one a line */
};

/* All that is known; zeroed at first use. Active ones first, then by severity, then by age. */
struct findings {
	struct finding *finding;
	size_t n, cap;
	size_t n_active;
	size_t left_out;  /* in the last update: more than FINDINGS_MAX */
	uint64_t mono_ns; /* of the snapshot looked at last */
	bool started;
};

/*
 * Look at an interval; the same one a second time changes nothing. names may be NULL. 0 or -ENOMEM.
 */
int findings_update(struct findings *f, const struct rates *r, struct netns_names *names);
/* Deep copy, for the pause; 0 or -ENOMEM (*to is then as it was). */
int findings_copy(struct findings *to, const struct findings *from);
void findings_free(struct findings *f);
/* "2 findings: CODE TEXT", "" without an active one: the line below the header. The length. */
int findings_line(const struct findings *f, char *buf, size_t size);

/* "info", "warning", "critical" */
const char *finding_severity_name(enum finding_severity severity);

#endif
