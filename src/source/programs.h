/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source programs: the XDP programs attached to devices, and the parts of dispatchers
 * (libxdp): when they were loaded, by whom, and what holds them.
 */
#pragma once

#include "model/row_walk.h"

struct live;

#define PROGRAMS_MAX 65536 /* limit of known programs */
#define PROGRAM_MAPS 20    /* maps named in the row of a program */

/* How it is attached to its devices. For one device: enum netdev_attach. */
enum program_attach {
	PROGRAM_ATTACH_UNKNOWN, /* before 5.19: no BPF iterator over links */
	PROGRAM_NETLINK,        /* by IFLA_XDP: stays until detached */
	PROGRAM_LINK,           /* by a BPF link: stays while the link is held */
	PROGRAM_LINK_NETLINK,   /* to some devices by a link, to others over netlink */
	PROGRAM_ATTACHES,
};

enum program_pinned { PROGRAM_PINNED_UNKNOWN, PROGRAM_NOT_PINNED, PROGRAM_PINNED };

/* Whose open files were searched for the program and its links. */
enum program_sight {
	PROGRAM_SIGHT_NONE,
	PROGRAM_SIGHT_NAMESPACE, /* only xdptop's pid namespace, which is not the initial one */
	PROGRAM_SIGHT_ALL,
	PROGRAM_SIGHTS,
};

/* Whether its verdicts are counted (source/verdicts.h). */
enum program_verdicts {
	PROGRAM_VERDICTS_UNKNOWN, /* not asked for: no --verdicts */
	PROGRAM_VERDICTS_OFF,     /* asked for, but switched off now */
	PROGRAM_VERDICTS_ASKED,   /* not counted yet */
	PROGRAM_VERDICTS_ON,
	PROGRAM_VERDICTS_REFUSED, /* cannot be counted: verdicts_reason */
	PROGRAM_VERDICTS_STATES,
};

/* Whether the kernel counts its runs: only while BPF statistics are on. */
enum program_runs_state {
	PROGRAM_RUNS_UNKNOWN, /* before 5.19, or not read twice yet */
	PROGRAM_RUNS_OFF,
	PROGRAM_RUNS_ON,
};

struct program {
	uint32_t prog_id;
	bool gone;        /* only in a recording: the last row of the program */
	uint32_t part_of; /* lowest program it is a part of (freplace); 0 = attached itself */
	enum program_attach attach;
	uint32_t link_id;           /* lowest one; 0 = none, or unknown */
	enum program_pinned pinned; /* the program or its link, in a bpffs */
	enum program_sight sight;
	uint32_t holders; /* processes with an open file of it or its link */
	uint32_t pid;     /* lowest of these; 0 = none seen */
	uint32_t parts;   /* programs that are parts of it */
	/* How many looks in a row, up to 2, found no process, link, part or pin that holds it. */
	uint32_t unheld;
	uint32_t uid;               /* user who loaded it */
	uint32_t map[PROGRAM_MAPS]; /* maps that it redirects through; 0 = no more */
	uint32_t maps_total;        /* including unnamed ones */
	uint32_t prog_array;        /* for its tail calls, if it uses maps; 0 = none */
	bool maps_known;            /* false = there may be any number of others */
	struct timespec loaded_at;  /* CLOCK_REALTIME; 0 = unknown, as is uid */
	char prog_name[SNAPSHOT_NAME_LEN];
	char comm[SNAPSHOT_NAME_LEN]; /* of pid */
	enum program_verdicts verdicts;
	char verdicts_reason[SNAPSHOT_REASON_LEN];
	uint64_t verdicts_missed; /* runs that the kernel's recursion guard skipped */
	/*
	 * Its runs between these times were not counted: it was attached after the first, and has
	 * been traced since the second (0 = not yet). Both 0 = all runs were counted.
	 */
	struct timespec unseen_from, unseen_until;
	enum program_runs_state runs;
	/* Between the last two readings; 0 unless it is PROGRAM_RUNS_ON and ran. */
	double runs_per_s, ns_per_run;
	uint64_t run_cnt, run_time_ns; /* since it was loaded, while statistics were on */
	/*
	 * The newest program of the same name, loaded later, that nothing runs: no device, link,
	 * program array or map entry. 0 = none, or unknown; pid 0 = no process was seen holding it.
	 */
	uint32_t newer_id, newer_pid;
	struct timespec newer_loaded_at;
	char newer_comm[SNAPSHOT_NAME_LEN];
	uint64_t not_before_ns; /* live: not attached yet at this time (CLOCK_MONOTONIC) */
};

/* Rows of the snapshot, ascending by prog_id. */
const struct program *programs(const struct snapshot *s, size_t *n);
/* The row of a program; NULL = unknown. s may be NULL. */
const struct program *program_find(const struct snapshot *s, uint32_t prog_id);
extern const struct row_key parts_by_program;
/*
 * Who holds it: "loader[812]", "loader[812] +2" for three processes, "pinned", "parts", "link 12",
 * "none"; NULL = unknown.
 */
const char *program_owner(const struct program *p, char *buf, size_t size);
/* "on", "off", "asked", "refused"; NULL = unknown */
const char *program_verdicts_name(enum program_verdicts state);
/*
 * When it ran uncounted since the baseline (NULL = the start): "up to 51.20ms, from 13:02:11",
 * "since 13:02:11"; NULL = never.
 */
const char *program_unseen(const struct program *p, const struct snapshot *base, char *buf,
			   size_t size);
/* What keeps it attached: "netlink", "link", "link, pin"; NULL = unknown */
const char *program_held(const struct program *p, char *buf, size_t size);

/*
 * Live, between two snapshots: the *n programs that devices run now and their parts, ascending by
 * prog_id, valid until the next look or snapshot. Does not read who holds them.
 */
void programs_look(struct live *live, const struct program **row, size_t *n);
