/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The series that live in the shared memory: found when they are born, given an id and printable
 * names, read into snapshots, and taken back when the table fills and they have long been idle.
 */
#ifndef XDPTOP_SERIES_TABLE_H
#define XDPTOP_SERIES_TABLE_H

#include "base/cpu_set.h"
#include "tracing/probe.h"
#include "model/snapshot.h"

struct slot {
	uint32_t slot;
	uint64_t id;
	uint32_t tracepoint;
	bool overflow;
	struct series_key key;
	char ifname[SNAPSHOT_NAME_LEN];
	char to_ifname[SNAPSHOT_NAME_LEN];
	char prog_name[SNAPSHOT_NAME_LEN];
	char map_name[SNAPSHOT_NAME_LEN];
	uint64_t events; /* at the last read */
	struct timespec last_seen;
	uint64_t changed_ns;    /* monotonic time of the read that saw the last change */
	uint64_t life, to_life; /* of its devices (src/inventory/netdev_table.h); 0 = not known */
	bool looked_up;         /* what is known of its devices has been seen */
	bool has_objects;       /* the names of its program and map are what is known of them */
	bool ended;             /* its device is gone: what comes with these numbers is another's */
	bool another;           /* another device has its numbers by now */
	bool forgotten;         /* no program finds it any more */
	bool replaced; /* there is a newer one with its key: it has no row of its own any more */
	bool dying;    /* forgotten, and freed at the next read */
};

struct series_table {
	struct slot *slot; /* ascending by id */
	size_t n, cap;
	uint64_t next_id;
	uint64_t born;                            /* series_born when we last looked */
	uint64_t names_seen;                      /* slot_names: the table's version, and */
	uint64_t lives_seen;                      /* its lives, when it was looked at last */
	uint8_t *known;                           /* [memory.slots] */
	struct series_counters retired[TP_COUNT]; /* of series that were taken back */
	uint64_t forgotten_ns;                    /* when series were last made unfindable */
	uint32_t cpus_online;
	struct cpu_set cpus; /* every CPU that was ever online: others are zero */
};

/* 0 or -ENOMEM */
int series_table_init(struct series_table *s, const struct probe_memory *m);
void series_table_free(struct series_table *s);
/* Look for series that were born since the last time. 0 or -ENOMEM. */
int series_table_find(struct series_table *s, struct probe *p);
/*
 * Append every series with its counters to `to`, and add its events to to->tp[]. Costs grow with
 * series times CPUs ever online, not with the table's size. 0 or -ENOMEM.
 */
int series_table_read(struct series_table *s, struct probe *p, struct snapshot *to);
/*
 * Let events of those that have ended begin a new series, and take back idle ones where the table
 * runs full. Call after series_table_read().
 */
void series_table_recycle(struct series_table *s, struct probe *p, uint64_t now_ns);

#endif
