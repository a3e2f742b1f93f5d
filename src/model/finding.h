/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A finding: one cause at one location, inferred from the counts of an interval. */
#ifndef XDPTOP_FINDING_H
#define XDPTOP_FINDING_H

#include "model/location.h"
#include "model/tracepoint.h"

#define FINDING_TEXT_LEN     768
#define FINDING_WHAT_LEN     640 /* an attach's message, and a little around it */
#define FINDING_COMMANDS_LEN 1024

enum finding_severity { FINDING_INFO, FINDING_WARNING, FINDING_CRITICAL, FINDING_SEVERITIES };

/* What to do about an error. Each may be NULL: nothing is known to help. */
struct remedy {
	const char *text;
	const char *commands; /* templates of src/diagnose/location_text.h, one a line */
};

struct rule; /* src/diagnose/finding_code.h */

/* One kind of finding: its texts and its rules. */
struct finding_code {
	const char *name;
	enum finding_severity severity; /* the worst: a rule's condition can say less */
	const char *meaning;            /* one line: for help and xdptop -e CODE */
	struct remedy remedy;     /* what is NULL in it follows from the error: struct cause */
	const struct rule *rules; /* RULES() */
};

/* Packets lost: in the last interval, and since the start. */
struct finding_loss {
	double per_s; /* NAN = the evidence is no loss */
	uint64_t count, total;
};

#define FINDING_SOURCES 4

/* The devices that packets for one target came in on, for a rule that does not tell them apart. */
struct finding_sources {
	struct netdev_ref dev[FINDING_SOURCES];
	uint8_t n;
	bool more;
};

struct finding {
	const struct finding_code *code;
	enum finding_severity severity;
	uint32_t tracepoint;      /* whose counts are the evidence */
	struct location location; /* where there are several sources, without a device */
	struct finding_sources sources;
	uint64_t id;                 /* of code and location; never 0 */
	bool seen;                   /* in the interval of the last update */
	bool was_seen;               /* in the one before */
	bool active;                 /* not cleared */
	bool changed;                /* by the last update, in more than its counts and times */
	uint64_t words;              /* hash of what `changed` looks at */
	struct timespec first, last; /* seen, CLOCK_REALTIME */
	uint64_t last_ns;            /* the same, CLOCK_MONOTONIC */
	uint64_t total;              /* events or packets of evidence: the largest of `counted` */
	uint64_t count; /* by how much it grew in the last interval that saw the cause */
	uint64_t counted[STAGE_COUNT]; /* since the start, by the stage that counted */
	double lost_per_s;        /* packets, in the last interval; NAN = its evidence is no loss */
	struct finding_loss loss; /* what is lost with its consequences: for outputs */
	/* Of the finding whose consequence it is, and with which it is told; 0 = of none. */
	uint64_t cause;
	const char *consequences; /* codes of those that are active, one a line; NULL = none */
	const struct rule *rule;
	struct remedy remedy;
	char what[FINDING_WHAT_LEN];         /* the cause; unused where the rule has a text */
	char text[FINDING_TEXT_LEN];         /* the location and the cause, with names */
	size_t cause_offset;                 /* in text, behind "DEVICE -> TARGET: "; 0 = neither */
	char commands[FINDING_COMMANDS_LEN]; /* the remedy's with real names, one a line */
};

/* Whether it is about packets of this device. */
bool finding_is_from(const struct finding *f, uint32_t netns, uint32_t ifindex);
/* "eth0, eth1"; with "..." at the end where there are more. "" = one, or none */
void finding_sources_text(const struct finding *f, char *buf, size_t size);
/* "info", "warning", "critical" */
const char *finding_severity_name(enum finding_severity severity);

#endif
