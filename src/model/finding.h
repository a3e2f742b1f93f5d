/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A finding: one cause at one location, inferred from the counts of an interval. */
#pragma once

#include "model/location.h"
#include "model/tracepoint.h"

#define FINDING_TEXT_LEN     768
#define FINDING_WHAT_LEN     640 /* the message of an attach, and some words */
#define FINDING_COMMANDS_LEN 1024
#define FINDING_CHANGES_LEN  640
#define FINDING_HOLD_S       10 /* seconds without the cause until it counts as cleared */

enum finding_severity { FINDING_INFO, FINDING_WARNING, FINDING_CRITICAL, FINDING_SEVERITIES };

/* What to do about an error. NULL = nothing is known to help. */
struct remedy {
	const char *text;
	const char *commands; /* templates (src/diagnose/location_text.h), one per line */
};

struct rule; /* src/diagnose/finding_code.h */

/* One kind of finding: its texts and its rules. */
struct finding_code {
	const char *name;
	enum finding_severity severity; /* the highest; a rule's condition can lower it */
	const char *meaning;            /* one line: for help and xdptop -e CODE */
	struct remedy remedy;           /* NULL members come from the error: struct cause */
	const struct rule *rules;       /* RULES() */
};

/* Packets lost: in the last interval, and since the start. */
struct finding_loss {
	double per_s; /* NAN = the evidence is not a loss */
	uint64_t count, total;
};

#define FINDING_SOURCES 4

/* Devices that received packets for one target, for a rule that does not tell them apart. */
struct finding_sources {
	struct netdev_ref dev[FINDING_SOURCES];
	uint8_t n;
	bool more;
};

/*
 * As struct_group_tagged() of the kernel's include/linux/stddef.h: the members, and all of them as
 * a struct.
 */
#define STRUCT_GROUP(tag, name, ...) \
	union {                      \
		struct {             \
			__VA_ARGS__  \
		};                   \
		struct tag {         \
			__VA_ARGS__  \
		} name;              \
	}

/* clang-format off */
struct finding {
	const struct finding_code *code;
	/*
	 * What it says: the text of its first interval, then of the last one with evidence before
	 * and after it. An interval in which the cause ends shows the state after that.
	 */
	STRUCT_GROUP(finding_story, story,
		const struct rule *rule;
		struct remedy remedy;
		enum finding_severity severity;
		uint32_t tracepoint;      /* its counts are the evidence */
		struct location location; /* without a device if there were several sources */
		uint64_t since_ns;        /* when the evidence began, CLOCK_MONOTONIC */
		char what[FINDING_WHAT_LEN]; /* the cause; unused if the rule has a text */
		char text[FINDING_TEXT_LEN]; /* the location and the cause, with names */
		size_t cause_offset;      /* in text, after "DEVICE -> TARGET: "; 0 = neither */
		char commands[FINDING_COMMANDS_LEN]; /* of the remedy, with names, one per line */
	);
	struct finding_story next; /* of the last interval with evidence, not yet reported */
	bool has_next, is_told;
	struct finding_sources sources;
	uint64_t place;              /* identifies code and location; never 0 */
	uint64_t id;                 /* also identifies the cause; never 0 */
	bool seen;                   /* in the interval of the last update */
	bool was_seen;               /* in the interval before */
	bool begins;                 /* in this interval, not before the first one */
	bool active;                 /* not cleared */
	bool changed;                /* by the last update, apart from counts and times */
	uint64_t words;              /* hash of what `changed` compares */
	struct timespec first, last; /* when it was seen, CLOCK_REALTIME */
	uint64_t last_ns;            /* `last` by CLOCK_MONOTONIC */
	/*
	 * Why its evidence is not counted now, after the tracepoint's name: so it is unknown
	 * whether it has cleared. NULL = it is counted.
	 */
	const char *uncounted;
	uint64_t uncounted_ns; /* when it was last not counted; 0 = always counted */
	uint64_t total;        /* events or packets of evidence: the largest of `counted` */
	uint64_t count;        /* growth of `total` in the last interval that saw the cause */
	uint64_t before;       /* of `total`: what was counted before `first` */
	uint64_t counted[STAGE_COUNT]; /* since the start, by stage */
	double lost_per_s; /* packets in the last interval; NAN = the evidence is not a loss */
	struct finding_loss loss; /* with its consequences, for outputs */
	/* The finding whose consequence this is and that shows it; 0 = none. */
	uint64_t cause;
	const char *consequences; /* codes of the active ones, one per line; NULL = none */
	/* What changed at its location shortly before it began, one per line; "" = nothing. */
	char changes[FINDING_CHANGES_LEN];
};
/* clang-format on */

/* Whether it is about packets from this device. */
bool finding_is_from(const struct finding *f, uint32_t netns, uint32_t ifindex);
/* "eth0, eth1"; ends with "..." if there are more. "" = one source, or none */
void finding_sources_text(const struct finding *f, char *buf, size_t size);
/* When it clears, if its cause is not seen again, CLOCK_MONOTONIC; 0 = it is seen, or has cleared.
 */
uint64_t finding_clears_ns(const struct finding *f);
/* "info", "warning", "critical" */
const char *finding_severity_name(enum finding_severity severity);
