/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of all network namespaces, as netlink messages and the BPF iterator report them. Has
 * no sockets, so that tests can feed it. A deleted device stays, marked as gone, until
 * netdev_table_fill() has reported it.
 */
#pragma once

#include "base/suggest.h"
#include "inventory/link_message.h"
#include "model/ethtool_stat.h"
#include "model/netdev_queue.h"
#include "model/page_pool.h"

/* When something was last read that is not read for each snapshot. */
struct netdev_reading {
	struct timespec at; /* CLOCK_REALTIME */
	bool is_new;        /* since the last snapshot */
};

struct netdev_entry {
	struct link_message link;
	uint64_t generation;      /* changes when the ifindex is reused */
	uint64_t dump;            /* last dump of its namespace that had it */
	uint64_t last_fill;       /* last netdev_table_fill() that reported it */
	bool reported;            /* is in snapshots, and stays in them until gone_reported */
	bool gone_reported;       /* was in a snapshot as gone */
	bool driver_asked;        /* ethtool has answered, even if it knows no driver */
	uint64_t counts_due_ns;   /* when to read the driver's counters next */
	uint64_t settings_due_ns; /* when to read the settings next */
	uint64_t settings;        /* in the last walk, as in the link_message */
	uint64_t counted_ns;      /* when the driver's counters were read; 0 = never */
	bool with_driver;         /* the driver's were; else only the namespace's */
	uint8_t readings;         /* of them, up to READINGS_SOON */
	uint64_t queues_due_ns;   /* when to read its receive queues next */
	uint64_t queues_read_ns;  /* when they were read; 0 = never */
	struct netdev_reading counters, settings_read, queues_read;
	uint64_t resolve_generation; /* last_generation of the table when the peer was looked for */
};

/* The devices of one namespace, ascending by ifindex. */
struct netdev_netns {
	uint32_t netns;
	uint64_t dump;   /* number of dumps */
	uint64_t cookie; /* SO_NETNS_COOKIE, 0 = unknown */
	struct netdev_entry *entry;
	size_t n, cap;
	size_t left_out;        /* devices without room in this dump */
	size_t left_out_before; /* and in the last complete dump */
};

struct netdev_question {
	uint32_t ifindex; /* 0 = no more questions */
	bool driver, counts;
	bool driver_counts, settings, queues; /* slow */
	bool with_driver;                     /* driver_counts: else only the namespace's */
	bool soon, queues_soon;               /* read driver_counts or queues again soon */
	struct netdev_hardware hardware;      /* for queues */
	uint64_t generation;                  /* of the netdev_entry */
	char name_of_driver[NETDEV_NAME_LEN]; /* for driver_counts */
};

struct netdev_table {
	struct netdev_netns *netns; /* ascending by netns */
	size_t n, cap;
	size_t n_devices;
	uint64_t last_generation, n_fills;
	uint64_t version;             /* changes with names, and when a device appears or is gone */
	uint64_t programs;            /* changes when a device has other programs */
	char wanted[NETDEV_NAME_LEN]; /* name of devices for every snapshot; "" = none */
	struct ethtool_stat *stat;    /* unnamed counters of drivers, sorted as in a snapshot */
	size_t n_stats, cap_stats;
	struct netdev_queue *queue; /* sorted as in a snapshot */
	size_t n_queues, cap_queues;
	struct page_pool *pool; /* sorted as in a snapshot */
	size_t n_pools, cap_pools;
};

static inline void netdev_reading_done(struct netdev_reading *r)
{
	r->is_new = !clock_gettime(CLOCK_REALTIME, &r->at);
}

void netdev_table_free(struct netdev_table *t);
/* Find or add a namespace. Valid until the next call. */
struct netdev_netns *netdev_table_netns(struct netdev_table *t, uint32_t netns);
/* NULL = unknown; the device may be gone. Valid until the table changes. */
struct netdev_entry *netdev_table_find(const struct netdev_table *t, uint32_t netns,
				       uint32_t ifindex);
/*
 * Store a message about a device. A peer resolved to another namespace is kept while messages name
 * the same peer. A new cookie means that a new namespace reuses the inode.
 */
void netdev_table_take(struct netdev_table *t, struct netdev_netns *ns,
		       const struct link_message *m);
/* Enclose a complete dump of a namespace: devices that are not in it are gone. */
void netdev_table_dump_begin(struct netdev_table *t, struct netdev_netns *ns);
void netdev_table_dump_end(struct netdev_table *t, struct netdev_netns *ns);
/* How many devices had no room in the table. */
size_t netdev_table_left_out(const struct netdev_table *t);
/* Whether a device has XDP, or the peer of one has. */
bool netdev_table_has_xdp(const struct netdev_table *t, const struct netdev_netns *ns);
/* Whether a device in the namespace (NULL = in any) has the wanted name. */
bool netdev_table_has_wanted(const struct netdev_table *t, const struct netdev_netns *ns);
/* The namespace was deleted: all its devices are gone. */
void netdev_table_netns_ended(struct netdev_table *t, struct netdev_netns *ns);
/* The namespace may exist, but is no longer watched: remove its devices. */
void netdev_table_netns_forget(struct netdev_table *t, struct netdev_netns *ns);
void netdev_table_features(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			   uint64_t features);
/*
 * Store what a walk found for a known device: state, program and MTU, which netlink may report
 * later, features, and the driver of the bus. Its settings are read again if they may have changed.
 */
void netdev_table_walked(struct netdev_table *t, const struct link_message *m);
/*
 * Find the next device after ask->ifindex with a question that is due now (CLOCK_MONOTONIC). For
 * devices with XDP and devices in a snapshot: the kernel's counters, the driver (once), settings.
 * For devices with XDP: the driver's counters, and its receive queues. For others: the counters of
 * their namespace.
 */
void netdev_table_next_question(const struct netdev_table *t, uint32_t netns, uint64_t now_ns,
				struct netdev_question *ask);
/* Number of devices in the namespace whose counters are read; *all is set to that of all. */
size_t netdev_table_matter(const struct netdev_table *t, uint32_t netns, size_t *all);
/* Store the driver that ethtool names; NULL = no answer: keep the one from the walk. */
void netdev_table_driver(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			 const char *name);
/* Store the kernel's counters that `from` has, if the device's counters are read at all. */
void netdev_table_counts(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			 const struct netdev *from);
/*
 * Store the driver's counters as of now_ns; NULL = it did not answer. They are read again at
 * due_ns.
 */
void netdev_table_driver_counts(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
				const struct netdev *from, uint64_t now_ns, uint64_t due_ns);
/* Replace the device's unnamed counters by n others. Sets their netns and ifindex. */
void netdev_table_stats(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			const struct ethtool_stat *from, size_t n);
/* Add them to `to`, after netdev_table_fill(). */
void netdev_table_fill_stats(struct netdev_table *t, struct snapshot *to);
/*
 * Replace the device's receive queues by n others, read at now_ns. Sets their netns, ifindex,
 * left_out and rates. They are read again at due_ns.
 */
void netdev_table_queues(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			 struct netdev_queue *row, size_t n, uint64_t now_ns, uint64_t due_ns);
void netdev_table_fill_queues(struct netdev_table *t, struct snapshot *to);
/*
 * Replace the namespace's page pools by n others, in any order, read at this time (CLOCK_BOOTTIME
 * and CLOCK_REALTIME). `beyond` more of them were not read.
 */
void netdev_table_pools(struct netdev_table *t, uint32_t netns, struct page_pool_message *m,
			size_t n, size_t beyond, int64_t boot_ns, int64_t wall_ns);
/* Add them to `to`. Their devices will be in the next snapshot. */
void netdev_table_fill_pools(struct netdev_table *t, struct snapshot *to);
/*
 * Store settings except MTU_MAX and PROMISCUITY, and offloads. They are read again at due_ns, or
 * when it changes.
 */
void netdev_table_settings(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			   const struct netdev *from, uint64_t due_ns);
/*
 * Copy at most n devices whose peer is in an unknown namespace into `of`. Returns how many. A
 * device is returned again only after new devices have appeared.
 */
size_t netdev_table_unresolved(struct netdev_table *t, struct link_message *of, size_t n);
/* Whether `of` and the device in `netns` that may be its peer name each other. */
bool netdev_table_matches(const struct netdev_table *t, const struct link_message *of,
			  uint32_t netns);
/* Set the namespace of the peer of `of`. Ignored if the device has another peer by now. */
void netdev_table_resolve(struct netdev_table *t, const struct link_message *of, uint32_t netns);
/* Add the names of devices that are near it. */
void netdev_table_suggest(const struct netdev_table *t, const char *name, struct suggestions *near);
/*
 * Have the next snapshot include this device, its peer, its lower device and its master, in
 * addition to all that netdev_table_fill() finds.
 */
void netdev_table_need(struct netdev_table *t, uint32_t netns, uint32_t ifindex);
/*
 * Add the devices that struct snapshot promises to `to`, whose series are complete, and forget
 * devices that were reported as gone.
 */
void netdev_table_fill(struct netdev_table *t, struct snapshot *to);
