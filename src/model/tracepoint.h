/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registry of tracepoints: one row each. Keys, help, --list, the probe, the columns and the
 * outputs all read it. Adding a tracepoint is a row here and a program in bpf/.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "bpf/shared.h"

/* The name of TP_VERDICTS in snapshots, with --verdicts only. */
#define TP_VERDICTS_NAME "verdicts"
/* The name of TP_FOLLOW, once something has been followed. */
#define TP_FOLLOW_NAME "follow"
/* enum tracepoint_id: no tracepoint. */
#define TP_NONE TP_COUNT
/* An element of a set of tracepoints or stages. */
#define BIT(id) (1u << (id))

/* Where a derived count comes from. */
enum tracepoint_count {
	COUNT_NONE,    /* not applicable: `-`, null */
	COUNT_EVENTS,  /* one per event */
	COUNT_COUNTER, /* its own counter */
	/*
	 * its own counter, at least 1 per event. If it is 0 despite events, the backend cannot
	 * count it
	 */
	COUNT_SEGMENTS,
};

/* Where on a packet's path a tracepoint fires, in the order of the path. */
enum tp_stage {
	STAGE_NONE,    /* not on the path, or unknown */
	STAGE_VERDICT, /* the program's verdict: dropped for an error */
	STAGE_FAILED,  /* redirect failed, not queued */
	STAGE_QUEUED,  /* redirect queued the frame for its target */
	STAGE_SENT,    /* handed to the target: a driver, or another CPU's queue */
	STAGE_TAKEN,   /* taken from that queue by the CPU's thread */
	STAGE_STACK,   /* the network stack queues an skb for transmission */
	STAGE_COUNT,
};

/* Which identity fields a tracepoint carries (bits of struct tracepoint.has). */
enum {
	HAS_DEVICE = 1 << 0,    /* netns, ifindex, ifname */
	HAS_TO_DEVICE = 1 << 1, /* to_netns, to_ifindex, to_ifname */
	HAS_TO_CPU = 1 << 2,
	HAS_PROG = 1 << 3,
	HAS_MAP = 1 << 4,
	HAS_ACT = 1 << 5, /* key.code is the action */
	HAS_ERR = 1 << 6, /* key.code is -errno or 0 */
	HAS_BYTES = 1 << 7,
	HAS_KTHREAD = 1 << 8,  /* sched, xdp_pass, xdp_drop, xdp_redirect */
	HAS_TEXT = 1 << 9,     /* each event is rare and listed with a text */
	HAS_NETNS = 1 << 10,   /* netns without a device */
	HAS_TX_BACK = 1 << 11, /* frames leave by the device that they came in on */
};

/* One Prometheus family: the sum of a field over the series of the tracepoints that name it. */
struct tp_metric {
	const char *name, *help;
	const char *field; /* of the sample object, src/schema/record_fields.c */
};

/* One line of a packet's path (src/explain/packet_path.c). */
struct tp_path {
	const char *label; /* NULL = not shown */
	const char *says;
};

struct tracepoint {
	/* "" for generic rows until one is found, and for rows without a tracepoint */
	const char *name;
	char key;         /* toggles it; a digit for the kernel's tracepoints, 0 = none */
	bool on;          /* at start */
	bool per_packet;  /* may fire for every packet; shed if it costs too much */
	bool failure;     /* each event reports a failure or, where packets count, a failed
			   * packet */
	bool native_only; /* does not fire for XDP in generic mode */
	uint8_t args[2];  /* accepted argument counts of its prototype; 0 = unused */
	uint16_t has;
	enum tp_stage stage;
	uint8_t bulk; /* maximum of frames per event; 0 = no bulking */
	/* frames in its bulks, lost ones included; NULL = no bulking */
	uint64_t (*offered)(const struct series_counters *c);
	enum tracepoint_count packets, drops;
	int act;                         /* action of all its events; -1 = none or key.code */
	struct tp_path path, path_drops; /* its packets, its drops */
	const struct tp_metric *metrics; /* the last has no name; NULL = none */
	uint16_t metric_labels;          /* bits of `has` that are labels of its metrics */
	const char *fires;               /* when, in a few words */
	const char *what;                /* one line for help and --list */
};

/* All TP_COUNT rows, indexed by enum tracepoint_id, and the row of changes: TP_NONE. */
extern const struct tracepoint tracepoints[TP_COUNT + 1];

/* The id of a tracepoint by name or -1. The generic rows have no name here. */
int tracepoint_find(const char *name);

/* Names that have not fired since 5.6 and were removed in 6.17; the last has name = NULL. */
struct silent_tracepoint {
	const char *name, *instead; /* instead: the tracepoint that has its events */
};
extern const struct silent_tracepoint silent_tracepoints[];

/* The tracepoint that has the events of such a name; NULL = not such a name. */
const char *tracepoint_instead(const char *name);
/* The message about such a name. */
#define TRACEPOINT_SILENT "silent since 5.6, removed in 6.17; %s has its events"

/* Tracepoints at any of these stages; tracepoints that carry all of `has`. */
uint32_t tracepoints_at(uint32_t stages);
uint32_t tracepoints_with(uint16_t has);
/* Tracepoints that report failures, whether of packets or of anything else. */
uint32_t tracepoints_failing(void);

/*
 * A set of tracepoints as bits (1 << id) from a -t LIST: "all", "default", "none", NAME, +NAME,
 * -NAME, comma separated. A plain NAME first in the list starts from none, +/- from default.
 * Returns 0 and *set; -EINVAL with *bad pointing at a copy of the offending word (caller frees).
 * *set is untouched on error.
 */
int tracepoint_parse_set(const char *list, uint32_t *set, char **bad);

/* The names nearest to an unknown one, comma separated, for messages; "" when none is near. */
void tracepoint_suggest(const char *name, char *buf, unsigned int size);
