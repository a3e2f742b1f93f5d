/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of findings: one row each, with the rules by which counts lead to it, as
 * src/diagnose/finding_rules.c applies them. A file of rows is one group.
 */
#ifndef XDPTOP_FINDING_CODE_H
#define XDPTOP_FINDING_CODE_H

#include "diagnose/cause.h"
#include "model/rates.h"

/* Subject of a rule. 0 ends an array of rules. */
enum rule_subject {
	RULE_LOSS = 1,   /* a series that lost something: of all codes' rules one holds */
	RULE_SERIES,     /* a series that counted: every rule that fits holds, as below */
	RULE_ROW,        /* all series of a tracepoint and device, or cpumap, that counted */
	RULE_EVENT,      /* a rare event */
	RULE_TRACEPOINT, /* a tracepoint */
	RULE_NETDEV,     /* a device, whatever it counted */
	RULE_CPU,        /* a CPU, whatever its tracepoints; PER_TARGET tells CPUs apart */
	RULE_SOCKET,     /* an AF_XDP socket that was bound all the interval */
};

/* A code has one finding for each of these: bits of struct rule.per. */
enum {
	PER_DEVICE = 1 << 0,
	PER_TARGET = 1 << 1,
	PER_PROG = 1 << 2,
	PER_MAP = 1 << 3,
	PER_TRACEPOINT = 1 << 4,
	PER_REFUSAL = 1 << 5, /* of an attach: by process and message */
	PER_QUEUE = 1 << 6,   /* of a socket; those that share it share the finding */
	PER_RULE = 1 << 7,
};

/* struct rule.code: any errno, action, and drops without an errno; any errno but 0. */
#define RULE_ANY   (-100000)
#define RULE_ERRNO (-100001)

/* The devices that run a program. */
struct program_devices {
	const struct netdev *first; /* NULL = none */
	size_t n;
};

/* By the places of programs(), for the caller to free; NULL = no memory. */
struct program_devices *program_devices(const struct snapshot *s);

/*
 * What a condition looks at, and what it may set. Input is NULL where the subject has none. What it
 * sets holds for its rule alone, and is not looked at where it returns false.
 */
struct evidence {
	const struct rates *rates;
	uint32_t tracepoint;
	const struct series *series;
	const struct series_counters *delta;
	const struct series *const *row; /* of RULE_ROW, the first is `series` */
	size_t n_row;
	const struct netdev *dev, *to, *peer; /* NULL = unknown */
	const struct event *event;
	const struct softnet_cpu *cpu, *cpu_before;
	const struct xdp_socket *socket, *socket_before;
	/* The first bound one of its queue; the others of it are next. Ends with NULL. */
	const struct xdp_socket *const *queue;
	/* Of a device, to find those of its programs by. */
	const struct program_devices *devices;
	const struct device_past *past;       /* of a device */
	const struct verdict_pasts *verdicts; /* of the devices' programs, for those of a device */

	/* Set by conditions, where they know. The location: */
	bool by_entry;                 /* the program of the devmap entry did it */
	const struct map_entry *map;   /* whose map it is */
	const struct map_entry *entry; /* whose program did it */
	uint32_t maps[LOCATION_MAPS];  /* ids of some, one of which it is; 0 = no more */
	const struct program *program; /* an attached one that did it */
	uint32_t number;               /* struct location.number */
	/* The words: */
	const struct cause *cause;      /* whose remedy it is; NULL = the series' */
	char what[FINDING_WHAT_LEN];    /* the cause in words; "" = struct cause.meaning */
	enum finding_severity severity; /* the code's, or less */
	/*
	 * The numbers. `count` is set before: what RULE_LOSS lost, what a series or event counted,
	 * else 0. It is lost packets with RULE_LOSS, and where lost_per_s is not NAN.
	 */
	uint64_t count;
	/* The same of intervals before, which count when the last one did not have the cause. */
	uint64_t count_before;
	double lost_per_s; /* packets; with RULE_LOSS it follows from `count` */
};

/* Of rules for a loss the most specific one holds: see rule_rank(). */
struct rule {
	enum rule_subject subject;
	uint32_t tracepoints; /* AT_* of src/diagnose/cause.h */
	uint8_t redirect;     /* REDIRECT_*; 0 = any */
	int code;             /* struct cause.code, or RULE_* */
	uint8_t per;
	uint8_t intervals; /* it holds from the so-manyth in a row on; 0 = the first */
	/* It judges so many seconds of verdicts as a whole; 0 = intervals only. */
	uint16_t window_s;
	/*
	 * Name of another code: its findings at the place that `per` tells, of the same program
	 * where both know it, are consequences of this rule's. NULL = it has none.
	 */
	const char *leads_to;
	/* What makes an active finding information, asked in each interval; NULL = nothing. */
	bool (*settled)(const struct finding *f, const struct rates *r);
	/* Further condition, NULL = none. What it may set: struct evidence. */
	bool (*when)(struct evidence *e);
	/*
	 * The cause, behind the location that `per` tells: a template of
	 * src/diagnose/location_text.h; NULL = evidence.what.
	 */
	const char *text;
	struct remedy remedy; /* what is NULL in it is as the code or struct cause has it */
};

/* The rules of a code. */
/* clang-format off */
#define RULES(...) (const struct rule[]){ __VA_ARGS__, { 0 } }
/* clang-format on */

struct finding_group {
	const struct finding_code *code;
	size_t n;
};

extern const struct finding_group redirect_findings, loss_findings, cpumap_findings,
	socket_findings, traffic_findings, driver_findings, device_findings, program_findings,
	verdict_findings, self_findings;

/* The codes in the order in which help lists them; NULL after the last. */
const struct finding_code *finding_code_at(size_t i);
/* The reverse. */
size_t finding_code_index(const struct finding_code *code);
/* By name, NULL when there is none. */
const struct finding_code *finding_code_find(const char *name);
/* Seconds of verdicts without which no rule of it holds; 0 = none are needed. */
unsigned int finding_code_window(const struct finding_code *code);
/* Whether a cause can lead to this code: it has a rule for the error, and none is more specific. */
bool finding_has_cause(const struct finding_code *code, const struct cause *cause);

/* How specific a rule is, 0 to RULE_RANK_MAX: for one error or any, then with a condition. */
#define RULE_RANK_MAX 3
int rule_rank(const struct rule *rule);
/* Whether it is for an error: struct cause.code, and REDIRECT_* (0 = it was no redirect). */
bool rule_has_error(const struct rule *rule, uint8_t redirect, int code);

#endif
