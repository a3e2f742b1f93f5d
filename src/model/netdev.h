/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A network interface as the kernel tells of it over netlink: what a tracepoint cannot say. Part of
 * a snapshot. A device that a series names and that is not in the snapshot is one of which nothing
 * but that is known (its namespace could not be entered at start). Strings are printable.
 */
#ifndef XDPTOP_DEVICE_H
#define XDPTOP_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICE_NAME_LEN     65 /* SNAPSHOT_NAME_LEN */
#define DEVICE_FEATURES_LEN 96

/* Where XDP programs are attached: IFLA_XDP_ATTACHED, include/uapi/linux/if_link.h */
enum device_mode {
	DEVICE_NONE,
	DEVICE_NATIVE,
	DEVICE_GENERIC,
	DEVICE_OFFLOAD,
	DEVICE_MULTI, /* more than one of them */
	DEVICE_MODES,
};

/* enum netdev_xdp_act of include/uapi/linux/netdev.h (6.3+) */
enum device_feature {
	DEVICE_XDP_BASIC = 1 << 0,
	DEVICE_XDP_REDIRECT = 1 << 1,
	DEVICE_XDP_NDO_XMIT = 1 << 2, /* takes redirected frames now */
	DEVICE_XDP_XSK_ZEROCOPY = 1 << 3,
	DEVICE_XDP_HW_OFFLOAD = 1 << 4,
	DEVICE_XDP_RX_SG = 1 << 5,
	DEVICE_XDP_NDO_XMIT_SG = 1 << 6,
};

/* Of which network namespaces the devices are known. */
enum device_facts {
	DEVICES_UNTOLD, /* a recording that does not say */
	DEVICES_NONE,
	DEVICES_START, /* those that were there at the start */
	DEVICES_ALL,
	DEVICES_FACTS,
};

struct device {
	uint32_t netns, ifindex; /* together they name it: ifindexes are per namespace */
	char name[DEVICE_NAME_LEN];
	char kind[DEVICE_NAME_LEN]; /* "veth", "bond", ...; "" = none (a NIC, or loopback) */
	enum device_mode mode;
	uint32_t prog_id;     /* 0 = none; where there are several: native, else offloaded */
	uint32_t skb_prog_id; /* in generic mode, also beside another; 0 = none */
	char prog_name[DEVICE_NAME_LEN]; /* of prog_id; "" = unknown */
	bool up;                         /* administratively: IFF_UP */
	bool running;                    /* IFF_RUNNING: has a carrier and is not dormant */
	bool has_features;               /* false = this kernel does not tell (before 6.3) */
	uint64_t features;               /* enum device_feature */
	uint32_t mtu;
	uint32_t peer_netns, peer_ifindex; /* the other end of a veth or netkit; 0 = unknown */
	bool gone; /* deleted, or its namespace has ended: what is here was seen last */
};

/* Whether both say the same of the same device. */
bool device_is_same(const struct device *a, const struct device *b);
/* "none", "native", "generic", "offload", "multi" */
const char *device_mode_name(enum device_mode mode);
/* The reverse; -1 when unknown. */
int device_mode_find(const char *name);
/* "none", "start", "all"; NULL for DEVICES_UNTOLD */
const char *device_facts_name(enum device_facts facts);
/* The reverse; DEVICES_UNTOLD when it is none. */
enum device_facts device_facts_find(const char *name);
/* "up", "no-carrier", "down" or "gone" */
const char *device_state_name(const struct device *d);
/* Sets up, running and gone by such a name; false when it is none. */
bool device_set_state(struct device *d, const char *name);
/*
 * "basic,redirect,ndo-xmit" as in Documentation/netlink/specs/netdev.yaml, "none" for none of them,
 * bits without a name in hex. Needs DEVICE_FEATURES_LEN bytes at most.
 */
const char *device_features_text(uint64_t features, char *buf, size_t size);
/* The reverse; false when it is no such text. */
bool device_features_find(const char *text, uint64_t *features);

#endif
