/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The series in the shared memory: found when a program has created them, given ids and printable
 * names, read into snapshots, and freed when they are idle and the table fills up.
 */
#pragma once

#include "base/cpu_set.h"
#include "inventory/netdev_table.h"
#include "tracing/probe.h"

/* From GONE on, the next event under the same key belongs to another series. */
enum slot_state {
	SLOT_LIVE,
	SLOT_GONE,           /* its device or target was deleted */
	SLOT_IFINDEX_REUSED, /* another device has its (netns, ifindex) */
	SLOT_FREEING,        /* programs no longer find it: freed at the next read */
	SLOT_SUPERSEDED,     /* as FREEING, but a newer slot has its key: not in snapshots */
};

struct slot {
	struct series series; /* total: as of the last read */
	uint32_t slot;        /* index into the shared memory */
	enum slot_state state;
	bool unlinked;                  /* programs no longer find it by its key */
	bool looked_up;                 /* its devices were looked up in the device table */
	bool has_objects;               /* the names of its program and map are known */
	uint32_t to_prog_changes, lost; /* as in struct series_info at the last look */
	uint64_t changed_ns;            /* monotonic time of the read that saw the last change */
	uint64_t generation,
		to_generation; /* of its devices as in struct netdev_entry; 0 = unknown */
};

struct series_table {
	struct slot *slot; /* ascending by id */
	size_t n, cap;
	uint64_t next_id;
	uint64_t created;          /* series_created at the last look */
	uint64_t names_seen;       /* netdev_table.version at the last look */
	uint64_t generations_seen; /* netdev_table.last_generation at the last look */
	uint8_t *known;            /* [memory.slots] */
	struct series_counters retired[TP_COUNT]; /* sums of series whose slots were freed */
	uint64_t unlinked_ns;                     /* when a series was last unlinked */
	uint32_t cpus_online;
	struct cpu_set cpus; /* CPUs that ever counted: the others are zero */
};

void series_table_init(struct series_table *s, const struct probe_memory *m);
void series_table_free(struct series_table *s);
/* Look for series created since the last time. 0 or -errno. */
int series_table_find(struct series_table *s, const struct probe_memory *m);
/*
 * Append every series with its counters to `to`, and add its events to to->tp[]. The cost grows
 * with the number of series times CPUs that ever counted, not with the size of the table.
 */
void series_table_read(struct series_table *s, const struct probe_memory *m, struct snapshot *to);
/*
 * Unlink series whose device is gone, so that the next event under their key creates a new series,
 * and free idle series when the table fills up. Call it after series_table_read().
 */
void series_table_recycle(struct series_table *s, const struct probe_memory *m, uint64_t now_ns);

/*
 * Names of devices are captured by the program that creates a series, and updated here. Series of
 * a renamed device take its new name. Series of a deleted device keep the last name and become
 * SLOT_GONE, or SLOT_IFINDEX_REUSED if another device got the ifindex.
 *
 * The first look binds a series to the device that then has its (netns, ifindex). That needs a
 * `fresh` table, read after the series was found, because an older one may still have the previous
 * device.
 */
void series_names_update(struct series_table *s, const struct netdev_table *t, bool fresh);
