/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of findings: one row each, with the rules that lead to it. src/diagnose/finding_rules.c
 * applies the rules. Each file of rows is one group.
 */
#pragma once

#include "diagnose/cause.h"
#include "model/rates.h"

/* Subject of a rule. 0 ends an array of rules. */
enum rule_subject {
	RULE_LOSS = 1,   /* a series with losses: of all codes' rules only one applies */
	RULE_SERIES,     /* a series that counted: every matching rule applies, as below */
	RULE_ROW,        /* all series of a tracepoint and device, or cpumap, that counted */
	RULE_EVENT,      /* a rare event */
	RULE_REFUSED,    /* an event of CHANGE_SETUP_REFUSED */
	RULE_TRACEPOINT, /* a tracepoint */
	RULE_NETDEV,     /* a device, whatever was counted for it */
	RULE_CPU,        /* a CPU, whatever was counted on it; PER_TARGET separates CPUs */
	RULE_MAP,        /* a map of which RULE_MAP_LEAST or more is in use, or an odd one */
	RULE_UNUSED,     /* a map for redirects that has entries, but that no program uses */
	RULE_POOL,       /* a page pool */
	RULE_SOCKET,     /* an AF_XDP socket that was bound for the whole interval */
};

/* Bits of struct rule.per: a code has one finding for each of these. */
enum {
	PER_DEVICE = 1 << 0,
	PER_TARGET = 1 << 1,
	PER_PROG = 1 << 2,
	PER_MAP = 1 << 3,
	PER_TRACEPOINT = 1 << 4,
	PER_REFUSAL = 1 << 5, /* a refused attach: by process and message */
	PER_QUEUE = 1 << 6,   /* a socket's queue; sockets that share it share the finding */
	PER_RULE = 1 << 7,    /* the rule names its cause; without this bit, any cause fits */
};

/* There can be thousands of maps, so rules look only at those that are this full. */
#define RULE_MAP_LEAST 0.75

/* struct rule.code: any errno, action or drop without an errno; any errno except 0. */
#define RULE_ANY   (-100000)
#define RULE_ERRNO (-100001)

struct program_devices {
	const struct netdev *first; /* NULL = none */
	size_t n;
};

/* Indexed as programs(). The caller frees it. */
struct program_devices *program_devices(const struct snapshot *s);

/*
 * Input and output of a condition. Input is NULL if the subject does not have it, or if it is
 * unknown. A condition does not change it. Output, from by_entry on, is what a condition may set.
 * It is reset before each rule, and ignored if the condition returns false.
 */
struct evidence {
	const struct rates *rates;
	uint32_t tracepoint;
	const struct series *series;
	const struct series_counters *delta;
	const struct series *const *row; /* for RULE_ROW; the first is `series` */
	size_t n_row;
	const struct netdev *dev, *to, *peer; /* NULL = unknown */
	const struct event *event;
	const struct softnet_cpu *cpu, *cpu_before;
	const struct map_fill *fill;
	const struct map_entry *unused;
	const struct page_pool *pool;
	const struct xdp_socket *socket, *socket_before;
	/* The first bound socket of its queue, then the queue's others. Ends with NULL. */
	const struct xdp_socket *const *queue;
	const struct program_devices *devices;
	const struct device_past *past;       /* for a device */
	const struct verdict_pasts *verdicts; /* for a device: the verdicts of its programs */

	/* The location, as far as the condition knows the location: */
	bool by_entry;                 /* the devmap entry's program caused the loss */
	const struct map_entry *map;   /* the map's own row */
	const struct map_entry *entry; /* the entry whose program caused the loss */
	uint32_t maps[LOCATION_MAPS];  /* ids of candidate maps; 0 = end */
	const struct program *program; /* the attached program that caused the loss */
	uint32_t part_id;              /* struct location.part_id */
	bool had_program;              /* the program is the last one of `past` */
	const struct netdev *other;    /* a device that commands change, in struct location.peer */
	uint32_t number;               /* struct location.number */
	/* The text: */
	const struct cause *cause;      /* has the remedy; NULL = the series' cause */
	char what[FINDING_WHAT_LEN];    /* the cause in words; "" = struct cause.meaning */
	enum finding_severity severity; /* the code's, or a lower one */
	/*
	 * The counts. Before each rule `count` is the packets that the series lost (RULE_LOSS), its
	 * events (RULE_SERIES), 1 (RULE_EVENT), or 0. A condition may replace it. It counts lost
	 * packets only for RULE_LOSS, or if the condition sets lost_per_s; else it is evidence.
	 */
	uint64_t count;
	/*
	 * If the evidence is not from this interval alone: when it began, and the end of the first
	 * interval with some of it (CLOCK_MONOTONIC). 0 = this interval.
	 */
	uint64_t since_ns, first_ns;
	/* `count` of earlier intervals, which is added if the last one did not have the finding. */
	uint64_t count_before;
	double lost_per_s; /* packets per second; NAN = not a loss; RULE_LOSS ignores it */
};

/* Only the most specific of several rules for a loss applies: see rule_rank(). */
struct rule {
	enum rule_subject subject;
	uint32_t tracepoints; /* AT_* of src/diagnose/cause.h */
	uint8_t redirect;     /* REDIRECT_*; 0 = any */
	int code;             /* struct cause.code, or RULE_* */
	uint8_t per;
	uint8_t intervals; /* consecutive intervals in which the rule must hold; 0 = one */
	/* Instead of `intervals`: this many with losses, each within FINDING_HOLD_S of the last. */
	uint8_t bursts;
	bool is_event; /* an interval's text is complete on its own, and is reported at once */
	/* Seconds of verdicts that the rule judges together; 0 = none. */
	uint16_t window_s;
	/*
	 * Name of another code. That code's findings at the same place (as in `per`), and with the
	 * same program if both know one, are consequences of this rule's. NULL = none.
	 */
	const char *leads_to;
	/* Whether an active finding has become mere information; NULL = never. */
	bool (*settled)(const struct finding *f, const struct rates *r);
	/* Additional condition, NULL = none. It may set the output of struct evidence. */
	bool (*when)(struct evidence *e);
	/* The cause, printed after the location: a template; NULL = evidence.what. */
	const char *text;
	struct remedy remedy; /* NULL members default to the code's, then to struct cause's */
};

/* Define a rule's condition that is an expression of the evidence `e`. */
#define WHEN(fn, condition)                \
	static bool fn(struct evidence *e) \
	{                                  \
		return condition;          \
	}

/* Attaches a passing program: ATTACH_PASS("{ip_to}", "{to}") to the target. */
#define ATTACH_PASS(ip, device)                                                                  \
	ip " -d link show dev " device "\n"                                                      \
	   "echo '__attribute__((section(\"xdp\"))) int pass(void *ctx) { return 2; }' | clang " \
	   "-O2 "                                                                                \
	   "-target bpf -x c - -c -o pass.o\n" ip " link set dev " device                        \
	   " xdpdrv obj pass.o sec xdp"

/* clang-format off */
#define RULES(...) (const struct rule[]){ __VA_ARGS__, { 0 } }
/* clang-format on */

struct finding_group {
	const struct finding_code *code;
	size_t n;
};

extern const struct finding_group redirect_findings, loss_findings, cpumap_findings,
	socket_findings, socket_tx_findings, traffic_findings, driver_findings, device_findings,
	program_findings, fill_findings, pool_findings, verdict_findings, queue_findings,
	setup_findings, stack_findings, self_findings;
/* In the order in which help lists their codes; NULL after the last. */
extern const struct finding_group *const finding_groups[];

/* The codes in that order; NULL after the last. */
const struct finding_code *finding_code_at(size_t i);
size_t finding_code_index(const struct finding_code *code);
/* Finds a code by name; NULL = none. */
const struct finding_code *finding_code_find(const char *name);
/* Seconds of verdicts that even its shortest rule needs; 0 = none. */
unsigned int finding_code_window(const struct finding_code *code);
/*
 * Whether a cause can lead to this code: a rule of it has the error, and no rule is more specific.
 */
bool finding_has_cause(const struct finding_code *code, const struct cause *cause);

/* The device at the beginning of the interval; NULL = unknown. */
const struct netdev *evidence_device_before(const struct evidence *e);

/* How specific a rule is, 0 to RULE_RANK_MAX: the error counts more than a condition. */
#define RULE_RANK_MAX 3
int rule_rank(const struct rule *rule);
/* Whether the rule covers an error: struct cause.code, and REDIRECT_* (0 = not a redirect). */
bool rule_has_error(const struct rule *rule, uint8_t redirect, int code);
