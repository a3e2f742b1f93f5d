// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/target.h"

#include <stdio.h>
#include <string.h>
#include "base/sanitize.h"
#include "model/tracepoint.h"

/* to_netns 0: the target is in the source's namespace, or the map's record has none. */
static struct target device(const struct series_key *k)
{
	return (struct target){ .kind = TARGET_DEVICE,
				.netns = k->to_netns ? k->to_netns : k->netns,
				.index = k->target };
}

/* A map slot that is not a device. */
static struct target in_map(enum target_kind kind, const struct series_key *k)
{
	return (struct target){ .kind = kind, .index = k->target, .map_id = k->map_id };
}

static struct target redirected(const struct series_key *k)
{
	switch (k->map_type) {
	case SERIES_MAP_NONE:
		if (k->map_id != SERIES_MAP_ID_IFINDEX)
			return (struct target){ .kind = TARGET_NONE };
		/* bpf_redirect(ifindex) looks in the namespace of the device */
		return device(k);
	case SERIES_MAP_CPUMAP:
		return in_map(TARGET_CPU, k);
	case SERIES_MAP_XSKMAP:
		return in_map(TARGET_SOCKET, k);
	case SERIES_MAP_DEVMAP:
	case SERIES_MAP_DEVMAP_HASH:
	case SERIES_MAP_SOME_DEVMAP:
		if (k->target)
			return device(k);
		/* a broadcast whose key has no entry names no device */
		return (struct target){ .kind = TARGET_MAP, .map_id = k->map_id };
	default:
		return (struct target){ .kind = TARGET_MAP,
					.index = k->map_type == SERIES_MAP_UNKNOWN ? k->target : 0,
					.map_id = k->map_id };
	}
}

struct target target_of(const struct series *s)
{
	const struct series_key *k = &s->key;
	uint16_t has = tracepoints[s->tracepoint].has;

	if (s->overflow)
		return (struct target){ .kind = TARGET_NONE };
	if (has & HAS_TX_BACK)
		return (struct target){ .kind = TARGET_BACK };
	if (has & HAS_TO_DEVICE && has & HAS_MAP)
		return redirected(k);
	if (has & HAS_TO_DEVICE)
		return device(k);
	if (has & HAS_TO_CPU)
		return in_map(TARGET_CPU, k);
	return (struct target){ .kind = TARGET_NONE };
}

struct netdev_ref series_netdev(const struct series *s)
{
	const struct tracepoint *tp = &tracepoints[s->tracepoint];
	/* sent frames are counted at the target device, not at the one that received them */
	bool at_target = tp->stage == STAGE_SENT && tp->has & HAS_TO_DEVICE;
	struct netdev_ref ref = { .netns = at_target ? s->key.to_netns : s->key.netns,
				  .ifindex = at_target ? s->key.target : s->key.ifindex };

	memcpy(ref.name, at_target ? s->to_ifname : s->ifname, sizeof(ref.name));
	return ref;
}

struct series event_series(const struct event *e)
{
	struct series s = { .tracepoint = e->tracepoint, .key = e->key };

	memcpy(s.ifname, e->ifname, sizeof(s.ifname));
	memcpy(s.to_ifname, e->to_ifname, sizeof(s.to_ifname));
	memcpy(s.prog_name, e->prog_name, sizeof(s.prog_name));
	return s;
}

/*
 * proc_alloc_inum() takes the lowest free number (fs/proc/generic.c), so inodes of one machine
 * rarely differ in other digits.
 */
#define NETNS_DIGITS 1000000u

int netns_text(uint32_t inode, struct netns_names *netns, char *buf, size_t size)
{
	const char *name = inode && netns ? netns_names_get(netns, inode) : NULL;

	if (!inode)
		return snprintf(buf, size, "%s", "");
	if (name)
		return sanitize_format(buf, size, "%s", name);
	if (inode < NETNS_DIGITS)
		return netns_inode_text(inode, buf, size);
	return snprintf(buf, size, "+%06u", inode % NETNS_DIGITS);
}

int netns_inode_text(uint32_t inode, char *buf, size_t size)
{
	return snprintf(buf, size, "ns:%u", inode);
}

int target_text(const struct series *s, struct netns_names *netns, char *buf, size_t size)
{
	struct target t = target_of(s);
	const char *type;
	char ns[SNAPSHOT_NAME_LEN], around[SNAPSHOT_NAME_LEN];

	switch (t.kind) {
	case TARGET_DEVICE:
		if (*s->to_ifname)
			snprintf(around, sizeof(around), "%s", s->to_ifname);
		else
			snprintf(around, sizeof(around), "ifindex %u", t.index);
		if (t.netns == s->key.netns || !t.netns)
			return snprintf(buf, size, "%s", around);
		netns_text(t.netns, netns, ns, sizeof(ns));
		return snprintf(buf, size, "%s (%s)", around, ns);
	case TARGET_CPU:
		return snprintf(buf, size, "CPU %u (map %u)", t.index, t.map_id);
	case TARGET_SOCKET:
		return snprintf(buf, size, "xsk map %u [%u]", t.map_id, t.index);
	case TARGET_MAP:
		if (s->key.map_type == SERIES_MAP_UNKNOWN)
			return snprintf(buf, size, "map %u [%u]", t.map_id, t.index);
		type = map_type_name(s->key.map_type);
		return snprintf(buf, size, "%s %u", type ? type : "map", t.map_id);
	case TARGET_BACK:
		return snprintf(buf, size, "TX back");
	case TARGET_NONE:
		break;
	}
	return snprintf(buf, size, "%s", "");
}
