/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the packets of a series go, for every tracepoint: xdp_redirect says "map 5, ifindex 4",
 * xdp_devmap_xmit only "ifindex 4", and both are the same target.
 */
#pragma once

#include "base/format.h"
#include "model/netns_names.h"
#include "model/snapshot.h"

enum target_kind {
	TARGET_NONE,   /* the tracepoint has none, or the program called no helper */
	TARGET_DEVICE, /* index is the ifindex in netns */
	TARGET_CPU,    /* index is the CPU, through map_id */
	TARGET_SOCKET, /* index is the slot in the xskmap map_id */
	TARGET_MAP,    /* through map_id to an unknown slot */
	TARGET_BACK,   /* XDP_TX: out of the device it came from */
};

struct target {
	enum target_kind kind;
	uint32_t netns;
	uint32_t index;
	uint32_t map_id;
};

/* The device where an event happened or, for frames sent to a device, the target. */
struct netdev_ref series_netdev(const struct series *s);
struct target target_of(const struct series *s);
/* The series of an event: its identity and names. */
struct series event_series(const struct event *e);
/*
 * "eth1", "eth1 (ns)" if its namespace is not that of the source, "ifindex 7", "CPU 3 (map 17)",
 * "xsk map 7 [2]", "devmap 5", "TX back". netns may be NULL. Returns the length, 0 for TARGET_NONE.
 */
int target_text(const struct series *s, struct netns_names *netns, char *buf, size_t size);
/*
 * The namespace's name, or "+" and the last six digits of its inode, the same in all tables and
 * texts. netns may be NULL. Returns the length, 0 for inode 0.
 */
int netns_text(uint32_t inode, struct netns_names *netns, char *buf, size_t size);
/* "ns:INODE", with all digits. */
int netns_inode_text(uint32_t inode, char *buf, size_t size);
