/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source programs: the XDP programs that are attached to devices, and the parts of those that
 * are dispatchers (libxdp): since when they are loaded, by whom, and what holds them.
 */
#ifndef XDPTOP_PROGRAMS_H
#define XDPTOP_PROGRAMS_H

#include "model/row_walk.h"

struct live;

#define PROGRAMS_MAX 65536 /* that are known at a time */
#define PROGRAM_MAPS 20    /* of a program that are named in its row */

enum program_attach {
	PROGRAM_ATTACH_UNKNOWN, /* a kernel without BPF iterator of links, before 5.19 */
	PROGRAM_NETLINK,        /* by IFLA_XDP: it stays until it is taken off */
	PROGRAM_LINK,           /* by a BPF link: it stays while the link is held */
	PROGRAM_ATTACHES,
};

enum program_pinned { PROGRAM_PINNED_UNKNOWN, PROGRAM_NOT_PINNED, PROGRAM_PINNED };

/* Whose files were looked at for the program and its links. */
enum program_sight {
	PROGRAM_SIGHT_NONE,
	PROGRAM_SIGHT_NAMESPACE, /* those of xdptop's pid namespace, which is not the first */
	PROGRAM_SIGHT_ALL,
	PROGRAM_SIGHTS,
};

/* Whether its verdicts are counted (source/verdicts.h). */
enum program_verdicts {
	PROGRAM_VERDICTS_UNKNOWN, /* not asked for: no --verdicts */
	PROGRAM_VERDICTS_OFF,     /* asked for, and switched off now */
	PROGRAM_VERDICTS_ASKED,   /* they will be soon */
	PROGRAM_VERDICTS_ON,
	PROGRAM_VERDICTS_REFUSED, /* they cannot be: verdicts_reason */
	PROGRAM_VERDICTS_STATES,
};

struct program {
	uint32_t prog_id;
	bool gone;        /* only in a recording's row: the last one of it */
	uint32_t part_of; /* the program that it is a part of, by freplace, of several the
			     lowest; 0 = it is attached itself */
	enum program_attach attach;
	uint32_t link_id;           /* of several the lowest; 0 = none, or unknown */
	enum program_pinned pinned; /* it, or its link, in a bpffs */
	enum program_sight sight;
	uint32_t holders; /* processes with a file of it or of its link */
	uint32_t pid;     /* the lowest of them; 0 = none is seen */
	uint32_t parts;   /* programs that are a part of it */
	/* Looks in a row, two at most, in which no process, link, part or pin held it. */
	uint32_t unheld;
	uint32_t uid;               /* that loaded it */
	uint32_t map[PROGRAM_MAPS]; /* ids of maps that it redirects through; 0 = no more */
	uint32_t maps_total;        /* those that are not named included */
	bool maps_known;            /* false: there may be any number of others */
	struct timespec loaded_at;  /* CLOCK_REALTIME; 0 = unknown, and uid too */
	char prog_name[SNAPSHOT_NAME_LEN];
	char comm[SNAPSHOT_NAME_LEN]; /* of pid */
	enum program_verdicts verdicts;
	char verdicts_reason[SNAPSHOT_REASON_LEN];
	uint64_t verdicts_missed; /* runs that the kernel's recursion guard did not show */
	/* Its runs between these are in no verdict, and their number is not known: it was attached
	 * after the first and is traced since the second, 0 = not yet. Both 0 = there are none. */
	struct timespec unseen_from, unseen_until;
	uint64_t not_before_ns; /* live: when it was not attached yet, CLOCK_MONOTONIC */
};

/* Rows of the snapshot, ascending by prog_id. */
const struct program *programs(const struct snapshot *s, size_t *n);
/* One program; NULL = unknown. s may be NULL. */
const struct program *program_find(const struct snapshot *s, uint32_t prog_id);
/* The parts of a program. */
extern const struct row_key parts_by_program;
/*
 * Who holds it: "loader[812]", "loader[812] +2" of three processes, "pinned", "parts" of it, "link
 * 12", "none"; NULL = unknown.
 */
const char *program_owner(const struct program *p, char *buf, size_t size);
/* "on", "off", "asked", "refused"; NULL = unknown */
const char *program_verdicts_name(enum program_verdicts state);
/*
 * When it ran uncounted since the baseline, NULL = the start: "up to 51.20ms from 13:02:11 on",
 * "since 13:02:11"; NULL = never.
 */
const char *program_unseen(const struct program *p, const struct snapshot *base, char *buf,
			   size_t size);
/* What keeps it: "netlink", "link", "link, pin"; NULL = unknown */
const char *program_held(const struct program *p, char *buf, size_t size);

/*
 * Live, between two snapshots: the programs that devices run now, and parts of them, *n ascending
 * by prog_id, until the next look or snapshot. Who holds them is not read. 0 or -errno.
 */
int programs_look(struct live *live, const struct program **row, size_t *n);

#endif
