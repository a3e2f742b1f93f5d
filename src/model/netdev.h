/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A network interface as the kernel tells of it over netlink: what a tracepoint cannot say. Part of
 * a snapshot. A device that a series names and that is not in the snapshot is one of which nothing
 * but that is known (its namespace could not be entered at start). Strings are printable.
 */
#ifndef XDPTOP_NETDEV_H
#define XDPTOP_NETDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NETDEV_NAME_LEN     65 /* SNAPSHOT_NAME_LEN */
#define NETDEV_FEATURES_LEN 96
#define NETDEV_DRIVER_LEN   33    /* struct ethtool_drvinfo has 32 bytes for it */
#define NETDEVS_MAX         65536 /* that are known at a time */

/* Where XDP programs are attached: IFLA_XDP_ATTACHED, include/uapi/linux/if_link.h */
enum netdev_mode {
	NETDEV_NONE,
	NETDEV_NATIVE,
	NETDEV_GENERIC,
	NETDEV_OFFLOAD,
	NETDEV_MULTI, /* more than one of them */
	NETDEV_MODES,
};

/* enum netdev_xdp_act of include/uapi/linux/netdev.h (6.3+) */
enum netdev_feature {
	NETDEV_XDP_BASIC = 1 << 0,
	NETDEV_XDP_REDIRECT = 1 << 1,
	NETDEV_XDP_NDO_XMIT = 1 << 2, /* takes redirected frames now */
	NETDEV_XDP_XSK_ZEROCOPY = 1 << 3,
	NETDEV_XDP_HW_OFFLOAD = 1 << 4,
	NETDEV_XDP_RX_SG = 1 << 5,
	NETDEV_XDP_NDO_XMIT_SG = 1 << 6,
};

/* Which network namespaces netlink could be asked in. */
enum netdev_coverage {
	NETDEVS_UNKNOWN, /* a recording that does not say */
	NETDEVS_NONE,
	NETDEVS_AT_START, /* namespaces that existed at the start */
	NETDEVS_ALL,
	NETDEVS_COVERAGES,
};

struct netdev {
	uint32_t netns, ifindex; /* an ifindex is unique within its netns only */
	char name[NETDEV_NAME_LEN];
	char kind[NETDEV_NAME_LEN];     /* "veth", "bond", ...; "" = none (a NIC, or loopback) */
	char driver[NETDEV_DRIVER_LEN]; /* of a NIC; "" = unknown, or it has a kind */
	enum netdev_mode mode;
	uint32_t prog_id;     /* 0 = none; where there are several: native, else offloaded */
	uint32_t skb_prog_id; /* in generic mode, also beside another; 0 = none */
	char prog_name[NETDEV_NAME_LEN]; /* of prog_id; "" = unknown */
	bool up;                         /* administratively: IFF_UP */
	bool running;                    /* IFF_RUNNING: has a carrier and is not dormant */
	bool has_features;               /* false = this kernel does not tell (before 6.3) */
	uint64_t features;               /* enum netdev_feature */
	uint32_t mtu;
	bool has_rx_packets;
	uint64_t rx_packets;               /* that came in, since the device exists */
	uint32_t peer_netns, peer_ifindex; /* the other end of a veth or netkit; 0 = unknown */
	bool gone; /* deleted, or its namespace has ended; fields keep their last values */
};

/* Refers to a device. ifindex 0 = none, or unknown. */
struct netdev_ref {
	uint32_t netns, ifindex;
	char name[NETDEV_NAME_LEN]; /* "" = unknown */
};

/* Whether all fields are equal, but for the packets received. */
bool netdev_is_same(const struct netdev *a, const struct netdev *b);
/* Its driver, as ethtool -i shows it; of a virtual device its kind; "" = unknown. */
const char *netdev_driver(const struct netdev *d);
/* "none", "native", "generic", "offload", "multi" */
const char *netdev_mode_name(enum netdev_mode mode);
/* The reverse; -1 when unknown. */
int netdev_mode_find(const char *name);
/* "none", "start", "all"; NULL for NETDEVS_UNKNOWN */
const char *netdev_coverage_name(enum netdev_coverage coverage);
/* The reverse; NETDEVS_UNKNOWN when it is none. */
enum netdev_coverage netdev_coverage_find(const char *name);
/* "up", "no-carrier", "down" or "gone" */
const char *netdev_state_name(const struct netdev *d);
/* Sets up, running and gone from such a name; false when it is unknown. */
bool netdev_set_state(struct netdev *d, const char *name);
/*
 * "basic,redirect,ndo-xmit" as in Documentation/netlink/specs/netdev.yaml, "none" for none of them,
 * bits without a name in hex. Needs NETDEV_FEATURES_LEN bytes at most.
 */
const char *netdev_features_text(uint64_t features, char *buf, size_t size);
/* The reverse; false when it is no such text. */
bool netdev_features_find(const char *text, uint64_t *features);

#endif
