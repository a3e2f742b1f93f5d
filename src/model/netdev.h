/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A network device as netlink reports it: facts that tracepoints do not have. Part of a snapshot.
 * If a series names a device that the snapshot lacks, nothing else is known of it (its namespace
 * could not be entered at start). Strings are printable.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NETDEV_NAME_LEN     65 /* SNAPSHOT_NAME_LEN */
#define NETDEV_FEATURES_LEN 96
#define NETDEV_OFFLOADS_LEN 256
#define NETDEV_DRIVER_LEN   33    /* struct ethtool_drvinfo has 32 bytes for it */
#define NETDEVS_MAX         32768 /* known at a time */
#define NETNS_COUNTED_MAX   256   /* other namespaces whose devices' counters are read */

/* Where XDP programs are attached: IFLA_XDP_ATTACHED, include/uapi/linux/if_link.h */
enum netdev_mode {
	NETDEV_NONE,
	NETDEV_NATIVE,
	NETDEV_GENERIC,
	NETDEV_OFFLOAD,
	NETDEV_MULTI, /* more than one mode */
	NETDEV_MODES,
};

/* How a program is attached to a device. */
enum netdev_attach {
	NETDEV_ATTACH_UNKNOWN, /* before 5.17: only the walk sees it */
	NETDEV_BY_NETLINK,     /* by IFLA_XDP: stays until detached */
	NETDEV_BY_LINK,        /* by a BPF link: stays while the link is held */
	NETDEV_ATTACHES,
};

/* enum netdev_xdp_act of include/uapi/linux/netdev.h (6.3+) */
enum netdev_feature {
	NETDEV_XDP_BASIC = 1 << 0,
	NETDEV_XDP_REDIRECT = 1 << 1,
	NETDEV_XDP_NDO_XMIT = 1 << 2, /* accepts redirected frames now */
	NETDEV_XDP_XSK_ZEROCOPY = 1 << 3,
	NETDEV_XDP_HW_OFFLOAD = 1 << 4,
	NETDEV_XDP_RX_SG = 1 << 5,
	NETDEV_XDP_NDO_XMIT_SG = 1 << 6,
};

/* Network namespaces whose devices could be queried. */
enum netdev_coverage {
	NETDEVS_UNKNOWN, /* a recording that does not say */
	NETDEVS_NONE,
	NETDEVS_AT_START, /* namespaces that existed at the start */
	NETDEVS_ALL,
	NETDEVS_COVERAGES,
};

/* clang-format off */
/*
 * Counters: enum netdev_count, name in recordings and outputs, meaning. The kernel has the link
 * counters of every device, in each interval. The driver's come from ethtool -S, by names of its
 * own (src/inventory/driver_counters.h), every few seconds. Those of the namespace are read together
 * with them, by the kernel's name (net/ipv4/proc.c, net/ipv6/proc.c), summed over protocols.
 */
#define NETDEV_LINK_COUNT_ROWS(ROW) \
	ROW(RX_PACKETS, "rx_packets", "Packets that the device received") \
	ROW(RX_MISSED, "rx_missed", "Packets lost in the NIC because its ring had no free buffer") \
	ROW(RX_DROPPED, "rx_dropped", "Received packets that the driver or the stack dropped") \
	ROW(RX_OTHERHOST, "rx_otherhost", "Packets that the stack dropped because their MAC address " \
					  "is not the device's") \
	ROW(TX_PACKETS, "tx_packets", "Packets that the device sent") \
	ROW(TX_DROPPED, "tx_dropped", "Packets dropped on their way out") \
	ROW(TX_ERRORS, "tx_errors", "Packets that could not be sent") \
	ROW(CARRIER_CHANGES, "carrier_changes", "Times that the carrier was gained or lost")
#define NETDEV_DRIVER_COUNT_ROWS(ROW) \
	ROW(XDP_DROP, "xdp_drop", "Packets dropped by XDP, as the driver counts them") \
	ROW(XDP_ABORTED, "xdp_aborted", "Packets for which the program returned XDP_ABORTED") \
	ROW(XDP_INVALID, "xdp_invalid", "Packets for which the program returned an invalid value") \
	ROW(XDP_TX, "xdp_tx", "Packets of XDP_TX") \
	ROW(XDP_TX_ERRORS, "xdp_tx_errors", "XDP_TX packets that were not sent") \
	ROW(XDP_XMIT_ERRORS, "xdp_xmit_errors", "Frames that XDP gave to the device and that were " \
						"not sent") \
	ROW(XDP_REDIRECTED, "xdp_redirect", "Packets that were redirected") \
	ROW(XDP_REDIRECT_ERRORS, "xdp_redirect_errors", "Packets whose redirect failed") \
	ROW(RX_ALLOC_FAIL, "rx_alloc_fail", "Receive buffers that could not be allocated") \
	ROW(RX_OUT_OF_BUFFER, "rx_out_of_buffer", \
	    "Packets lost in the NIC, for drivers whose rx_missed does not include all of them") \
	ROW(RX_DISCARDS, "rx_discards", "Packets that the NIC discarded at its port") \
	ROW(LIMIT_EXCEEDED, "limit_exceeded", "Packets beyond a limit of the cloud's network")
#define NETDEV_NETNS_COUNT_ROWS(ROW) \
	ROW(CSUM_ERRORS, "netns_csum_errors", \
	    "Packets with a wrong checksum, in the device's whole network namespace", \
	    "InCsumErrors") \
	ROW(ADDR_ERRORS, "netns_addr_errors", \
	    "Packets to an address that is not local, in the device's whole network namespace", \
	    "InAddrErrors") \
	ROW(NO_ROUTES, "netns_no_routes", \
	    "Packets without a route, in the device's whole network namespace", "InNoRoutes") \
	ROW(RP_FILTERED, "netns_rp_filtered", \
	    "Packets that the reverse path filter dropped, in the device's whole network namespace", \
	    "IPReversePathFilter") \
	ROW(LISTEN_DROPS, "netns_listen_drops", \
	    "Connections that a listening socket could not take, in the device's whole network " \
	    "namespace", \
	    "ListenDrops")

/* Settings that ethtool -l and -g show; the last two are the kernel's own. */
#define NETDEV_SETTING_ROWS(ROW) \
	ROW(CHANNELS, "channels") \
	ROW(CHANNELS_MAX, "channels_max") \
	ROW(RX_RING, "rx_ring") \
	ROW(RX_RING_MAX, "rx_ring_max") \
	ROW(TX_RING, "tx_ring") \
	ROW(TX_RING_MAX, "tx_ring_max") \
	ROW(MTU_MAX, "mtu_max") \
	ROW(PROMISCUITY, "promiscuity")

#define ROW_ID(id, ...) NETDEV_##id,
enum netdev_count {
	NETDEV_LINK_COUNT_ROWS(ROW_ID)
	NETDEV_DRIVER_COUNT_ROWS(ROW_ID)
	NETDEV_NETNS_COUNT_ROWS(ROW_ID)
	NETDEV_COUNTS,
	NETDEV_DRIVER_COUNT = NETDEV_XDP_DROP, /* the first of the driver's */
	NETDEV_DRIVER_COUNTS = NETDEV_COUNTS - NETDEV_DRIVER_COUNT,
	NETDEV_NETNS_COUNT = NETDEV_CSUM_ERRORS, /* the first of the namespace's */
	NETDEV_NETNS_COUNTS = NETDEV_COUNTS - NETDEV_NETNS_COUNT,
};

enum netdev_setting {
	NETDEV_SETTING_ROWS(ROW_ID)
	NETDEV_SETTINGS,
};
#undef ROW_ID
/* clang-format on */

/* Bits of the offloads that matter to XDP and are on, with the kernel's names for ethtool -k. */
enum netdev_offload {
	NETDEV_LRO = 1 << 0,          /* rx-lro */
	NETDEV_GRO_HW = 1 << 1,       /* rx-gro-hw */
	NETDEV_GRO = 1 << 2,          /* rx-gro */
	NETDEV_GRO_UDP_FWD = 1 << 3,  /* rx-udp-gro-forwarding */
	NETDEV_RXVLAN = 1 << 4,       /* rx-vlan-hw-parse */
	NETDEV_RX_CSUM = 1 << 5,      /* rx-checksum */
	NETDEV_TX_CSUM_IPV4 = 1 << 6, /* tx-checksum-ipv4 */
	NETDEV_TX_CSUM_IP = 1 << 7,   /* tx-checksum-ip-generic */
	NETDEV_TX_CSUM_IPV6 = 1 << 8, /* tx-checksum-ipv6 */
	NETDEV_TX_SG = 1 << 9,        /* tx-scatter-gather */
	NETDEV_TSO = 1 << 10,         /* tx-tcp-segmentation */
	NETDEV_GSO = 1 << 11,         /* tx-generic-segmentation */
	NETDEV_TX_CSUM = NETDEV_TX_CSUM_IPV4 | NETDEV_TX_CSUM_IP | NETDEV_TX_CSUM_IPV6,
};

struct netdev {
	uint32_t netns, ifindex; /* an ifindex is unique within its netns only */
	char name[NETDEV_NAME_LEN];
	char kind[NETDEV_NAME_LEN];     /* "veth", "bond", ...; "" = none (a NIC, or loopback) */
	char driver[NETDEV_DRIVER_LEN]; /* of a NIC; "" = unknown, or it has a kind */
	enum netdev_mode mode;
	uint32_t prog_id;     /* 0 = none; of several the native one, else the offloaded one */
	uint32_t skb_prog_id; /* in generic mode, even beside another one; 0 = none */
	char prog_name[NETDEV_NAME_LEN]; /* of prog_id; "" = unknown */
	enum netdev_attach attach;       /* of prog_id */
	bool up;                         /* administratively: IFF_UP */
	bool running;                    /* IFF_RUNNING: has a carrier and is not dormant */
	bool has_features;               /* false = not reported (before 6.3) */
	bool gone;         /* it or its namespace was deleted; fields keep their last values */
	uint64_t features; /* enum netdev_feature */
	uint32_t mtu;
	bool has_offloads;                 /* false = unknown */
	uint8_t set;                       /* BIT of each known setting */
	uint16_t offloads;                 /* enum netdev_offload that are on */
	uint32_t setting[NETDEV_SETTINGS]; /* by enum netdev_setting */
	/*
	 * By enum netdev_count, since the device was created: netdev_count() and netdev_grew().
	 * per_s is the growth of a driver's counter between its last two readings, which can be
	 * rarer than snapshots; negative = unknown.
	 */
	uint32_t counted; /* BIT of each known counter */
	float per_s[NETDEV_DRIVER_COUNTS];
	uint64_t count[NETDEV_COUNTS];
	/*
	 * When the driver's counters, the settings and the receive queues were read; 0 = in the
	 * interval that ends with the snapshot, or never. See rates_age().
	 */
	struct timespec counters_read_at, settings_read_at, queues_read_at;
	uint32_t peer_netns, peer_ifindex; /* the other end of a veth or netkit; 0 = unknown */
	/*
	 * 0 = none, unknown, or in another namespace. The lower device of
	 * a VLAN, macvlan and so on; the bridge, bond or other device that it is a member of.
	 */
	uint32_t lower_ifindex, master_ifindex;
	uint32_t vlan_id;   /* of a VLAN device */
	uint32_t link_type; /* ARPHRD_* of include/uapi/linux/if_arp.h */
};

/* Refers to a device. ifindex 0 = none, or unknown. */
struct netdev_ref {
	uint32_t netns, ifindex;
	char name[NETDEV_NAME_LEN]; /* "" = unknown */
};

/* Names in recordings and outputs, without _total. */
extern const char *const netdev_counts[NETDEV_COUNTS];
/* The kernel's names for the namespace's counters, from NETDEV_NETNS_COUNT on. */
extern const char *const netdev_netns_counts[NETDEV_NETNS_COUNTS];

/* A counter since the device was created; false = unknown. d may be NULL. */
bool netdev_count(const struct netdev *d, enum netdev_count which, uint64_t *n);
void netdev_set_count(struct netdev *d, enum netdev_count which, uint64_t n);
/*
 * By how much a counter grew between two snapshots. False = unknown in either, or it went back: the
 * device was reset or created again. Either may be NULL. A driver's counter changes only when it is
 * read again.
 */
bool netdev_grew(const struct netdev *from, const struct netdev *to, enum netdev_count which,
		 uint64_t *n);
/*
 * Whether two snapshots show the same device, and not one that got the inode of its namespace and
 * its ifindex, as when a container restarts.
 */
bool netdev_is_still(const struct netdev *was, const struct netdev *now);
/*
 * Whether the device's counters and settings are read. A BPF iterator (5.17) may list the devices
 * of all namespaces, but counters need a socket that was opened in the device's namespace.
 */
bool netdev_is_asked(const struct netdev *d);
/* Why they are not, for texts. */
#define NETDEV_NOT_ASKED "xdptop did not enter its namespace at start"
/* The counter of packets that the NIC lost because it had no free buffer. d may be NULL. */
enum netdev_count netdev_missed(const struct netdev *d);
/* Growth of a driver's counter per second between its last two readings; false = unknown. */
bool netdev_per_s(const struct netdev *d, enum netdev_count which, double *rate);
/* False = unknown. d may be NULL. */
bool netdev_setting(const struct netdev *d, enum netdev_setting which, uint32_t *value);
void netdev_set_setting(struct netdev *d, enum netdev_setting which, uint32_t value);

/* Parts of ethtool(8) that only some devices support. */
enum netdev_has {
	NETDEV_HAS_RINGS = 1 << 0,    /* -g, -G */
	NETDEV_HAS_CHANNELS = 1 << 1, /* -l, -L */
	NETDEV_HAS_HASH = 1 << 2,     /* -x, -X, -n, -N */
	NETDEV_HAS_COALESCE = 1 << 3, /* -c, -C */
	NETDEV_HAS_COUNTERS = 1 << 4, /* -S */
	NETDEV_HAS_DRIVER = 1 << 5,   /* -i */
};

/* Bits of enum netdev_has that it is known to lack. d may be NULL: only ifindex is known. */
uint8_t netdev_lacks(const struct netdev *d, uint32_t ifindex);
/*
 * Whether its NIC may discard packets to other MAC addresses before XDP: it is not promiscuous. A
 * virtual device has no such filter.
 */
bool netdev_filters_macs(const struct netdev *d);
/* The id of its program; of two, not the generic one's; 0 = none. */
uint32_t netdev_program(const struct netdev *d);
/* Whether an XDP program is attached whose id is known. */
bool netdev_has_program(const struct netdev *d);
/* Whether the device runs this program, in any mode. */
bool netdev_runs(const struct netdev *d, uint32_t prog_id);
/*
 * Whether the frames of its link do not begin with an Ethernet header; false = they do, or unknown.
 */
bool netdev_lacks_ethernet(const struct netdev *d);
/* Whether all fields that a recording has are equal. */
bool netdev_is_same(const struct netdev *a, const struct netdev *b);
/* The driver as ethtool -i shows it; for a virtual device its kind; "" = unknown. */
const char *netdev_driver(const struct netdev *d);
/* "none", "native", "generic", "offload", "multi" */
const char *netdev_mode_name(enum netdev_mode mode);
extern const char *const netdev_modes[NETDEV_MODES];
/* "netlink", "link"; NULL for NETDEV_ATTACH_UNKNOWN */
extern const char *const netdev_attaches[NETDEV_ATTACHES];
/* "none", "start", "all"; NULL for NETDEVS_UNKNOWN */
extern const char *const netdev_coverages[NETDEVS_COVERAGES];
/* "up", "no-carrier", "down" or "gone" */
const char *netdev_state_name(const struct netdev *d);
/* Sets the members up, running and gone by such a name; false = the name is unknown. */
bool netdev_set_state(struct netdev *d, const char *name);
/*
 * "basic,redirect,ndo-xmit" as in Documentation/netlink/specs/netdev.yaml; "none" if no bit is set;
 * bits without a name in hex. Needs NETDEV_FEATURES_LEN bytes at most.
 */
const char *netdev_features_text(uint64_t features, char *buf, size_t size);
/* The reverse; false = not such a text. */
bool netdev_features_find(const char *text, uint64_t *features);
/* The same for enum netdev_offload, by the kernel's names; NETDEV_OFFLOADS_LEN bytes at most. */
const char *netdev_offloads_text(uint64_t offloads, char *buf, size_t size);
bool netdev_offloads_find(const char *text, uint64_t *offloads);
/* The bit with the kernel's name; 0 = none of these. */
uint64_t netdev_offload_find(const char *name);
