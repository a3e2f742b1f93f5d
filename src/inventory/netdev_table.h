/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of all network namespaces, as netlink messages and the BPF iterator report them. No
 * sockets here, so that tests can feed it. A deleted device stays, marked gone, until
 * netdev_table_fill() has reported it.
 */
#ifndef XDPTOP_NETDEV_TABLE_H
#define XDPTOP_NETDEV_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include "inventory/link_message.h"
#include "model/ethtool_stat.h"

struct netdev_entry {
	struct link_message link;
	uint64_t generation;         /* changes when the ifindex is reused */
	uint64_t dump;               /* last dump of its namespace that had it */
	uint64_t last_fill;          /* last netdev_table_fill() that needed it */
	bool reported;               /* was in a snapshot: stays in them until gone_reported */
	bool gone_reported;          /* was in a snapshot as gone */
	bool driver_asked;           /* ethtool has told its driver, or has none to tell */
	uint64_t counts_due_ns;      /* when ethtool is asked for its driver's counters */
	uint64_t settings_due_ns;    /* and for its settings */
	uint64_t counted_ns;         /* when its driver's counters were read; 0 = never */
	uint64_t resolve_generation; /* table's last_generation when its peer was looked for */
};

/* The devices of one namespace, ascending by ifindex. */
struct netdev_netns {
	uint32_t netns;
	uint64_t dump;   /* counts dumps */
	uint64_t cookie; /* SO_NETNS_COOKIE, 0 = unknown */
	struct netdev_entry *entry;
	size_t n, cap;
	size_t left_out;        /* devices without room, in this dump */
	size_t left_out_before; /* and in the last complete one */
};

/* What is to be asked of one device. */
struct netdev_question {
	uint32_t ifindex; /* 0 = of none */
	bool driver, counts;
	bool driver_counts, settings;         /* those that are slow */
	uint64_t generation;                  /* of its netdev_entry */
	char name_of_driver[NETDEV_NAME_LEN]; /* for driver_counts */
};

struct netdev_table {
	struct netdev_netns *netns; /* ascending by netns */
	size_t n, cap;
	size_t n_devices;
	uint64_t last_generation, n_fills;
	uint64_t version;          /* changes with a name, or when a device appears or is gone */
	uint64_t programs;         /* changes when a device runs other programs */
	struct ethtool_stat *stat; /* counters by their driver's names, as in a snapshot */
	size_t n_stats, cap_stats;
};

void netdev_table_free(struct netdev_table *t);
/* Find or add a namespace; NULL = out of memory. Valid until the next call. */
struct netdev_netns *netdev_table_netns(struct netdev_table *t, uint32_t netns);
/* NULL = unknown; may be gone. Valid until the next change of the table. */
struct netdev_entry *netdev_table_find(const struct netdev_table *t, uint32_t netns,
				       uint32_t ifindex);
/*
 * Store what a message says of a device. A resolved peer in another namespace stays while messages
 * name the same peer. A new cookie ends the namespace that had the inode before.
 */
void netdev_table_take(struct netdev_table *t, struct netdev_netns *ns,
		       const struct link_message *m);
/* Around a complete dump of a namespace: devices that it did not have are gone. */
void netdev_table_dump_begin(struct netdev_table *t, struct netdev_netns *ns);
void netdev_table_dump_end(struct netdev_table *t, struct netdev_netns *ns);
/* How many devices are not in the table for want of room. */
size_t netdev_table_left_out(const struct netdev_table *t);
/* The namespace was deleted: all its devices are gone. */
void netdev_table_netns_ended(struct netdev_table *t, struct netdev_netns *ns);
/* The namespace may exist, but is no longer watched: drop its devices. */
void netdev_table_netns_forget(struct netdev_table *t, struct netdev_netns *ns);
void netdev_table_features(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			   uint64_t features);
/*
 * Store what a walk says of a device that is known: its state, program and MTU, which netlink may
 * tell later, its features and the bus's driver.
 */
void netdev_table_walked(struct netdev_table *t, const struct link_message *m);
/*
 * The next device, behind ask->ifindex, with something to be asked now (CLOCK_MONOTONIC): where XDP
 * is attached and in devices of a snapshot the kernel's counters, the driver, once, and settings;
 * where XDP is attached the driver's counters.
 */
void netdev_table_next_question(const struct netdev_table *t, uint32_t netns, uint64_t now_ns,
				struct netdev_question *ask);
/* Of how many devices of a namespace, which has `all`, the counters are asked for. */
size_t netdev_table_matter(const struct netdev_table *t, uint32_t netns, size_t *all);
/* The driver by ethtool, NULL = it has no answer: the walk's stays. */
void netdev_table_driver(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			 const char *name);
/* The kernel's counters, those that are known in `from`, of a device that they are asked for of. */
void netdev_table_counts(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			 const struct netdev *from);
/* The driver's, as they were at now_ns, NULL = it had no answer; asked again at due_ns. */
void netdev_table_driver_counts(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
				const struct netdev *from, uint64_t now_ns, uint64_t due_ns);
/* n of its counters that have no name here are all that are known: netns and ifindex are set. */
void netdev_table_stats(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			const struct ethtool_stat *from, size_t n);
/* Add them to `to`, behind netdev_table_fill(). 0 or -ENOMEM. */
int netdev_table_fill_stats(struct netdev_table *t, struct snapshot *to);
/* Settings but for MTU_MAX, and offloads; asked again at due_ns, or when it has changed. */
void netdev_table_settings(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			   const struct netdev *from, uint64_t due_ns);
/*
 * Copy at most n devices whose peer is in another, unknown namespace into `of`; returns how many. A
 * device is returned again only after new devices have appeared.
 */
size_t netdev_table_unresolved(struct netdev_table *t, struct link_message *of, size_t n);
/* Whether `of` and the device in `netns` with its peer's ifindex name each other as peers. */
bool netdev_table_matches(const struct netdev_table *t, const struct link_message *of,
			  uint32_t netns);
/* Set the namespace of the peer of `of`; ignored when the device has another peer by now. */
void netdev_table_resolve(struct netdev_table *t, const struct link_message *of, uint32_t netns);
/* The next snapshot needs this device and its peer, besides what netdev_table_fill() finds. */
void netdev_table_need(struct netdev_table *t, uint32_t netns, uint32_t ifindex);
/*
 * Add to `to`, whose series are complete, the devices that struct snapshot promises, and forget
 * those that were reported as gone. 0 or -ENOMEM.
 */
int netdev_table_fill(struct netdev_table *t, struct snapshot *to);

#endif
