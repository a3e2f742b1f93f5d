/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The series in the shared memory: found when a program has created them, given an id and printable
 * names, read into snapshots, and freed when the table runs full and they are idle.
 */
#ifndef XDPTOP_SERIES_TABLE_H
#define XDPTOP_SERIES_TABLE_H

#include "base/cpu_set.h"
#include "tracing/probe.h"
#include "model/snapshot.h"

/* From GONE on, what counts under its key next is another series. */
enum slot_state {
	SLOT_LIVE,
	SLOT_GONE,           /* its device, or its target's, is gone */
	SLOT_IFINDEX_REUSED, /* another device has its (netns, ifindex) */
	SLOT_FREEING,        /* no program finds it: freed at the next read */
	SLOT_SUPERSEDED,     /* the same, and a newer slot has its key: not in snapshots */
};

struct slot {
	struct series series; /* total: of the last read */
	uint32_t slot;        /* index into the shared memory */
	enum slot_state state;
	bool unlinked;            /* no program finds it by its key any more */
	bool looked_up;           /* its devices were compared with the device table */
	bool has_objects;         /* the names of its program and map are known */
	uint32_t to_prog_changes; /* of struct series_info, at the last look */
	uint64_t changed_ns;      /* monotonic time of the read that saw the last change */
	uint64_t generation,
		to_generation; /* of its devices, see struct netdev_entry; 0 = unknown */
};

struct series_table {
	struct slot *slot; /* ascending by id */
	size_t n, cap;
	uint64_t next_id;
	uint64_t created;                         /* series_created at the last look */
	uint64_t names_seen;                      /* netdev_table.version then */
	uint64_t generations_seen;                /* netdev_table.last_generation then */
	uint8_t *known;                           /* [memory.slots] */
	struct series_counters retired[TP_COUNT]; /* of series that were taken back */
	uint64_t unlinked_ns;                     /* when a series was last unlinked */
	uint32_t cpus_online;
	struct cpu_set cpus; /* that ever counted: others are zero */
};

/* 0 or -ENOMEM */
int series_table_init(struct series_table *s, const struct probe_memory *m);
void series_table_free(struct series_table *s);
/* Look for series created since the last time. 0 or -ENOMEM. */
int series_table_find(struct series_table *s, const struct probe_memory *m);
/*
 * Append every series with its counters to `to`, and add its events to to->tp[]. Costs grow with
 * series times CPUs that ever counted, not with the table's size. 0 or -ENOMEM.
 */
int series_table_read(struct series_table *s, const struct probe_memory *m, struct snapshot *to);
/*
 * Unlink series whose device is gone, so that the next event under their key creates a new one, and
 * free idle ones when the table runs full. Call after series_table_read().
 */
void series_table_recycle(struct series_table *s, const struct probe_memory *m, uint64_t now_ns);

#endif
