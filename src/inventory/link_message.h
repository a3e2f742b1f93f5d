/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds netlink requests about devices, and parses answers and notifications. No sockets. */
#pragma once

#include <libmnl/libmnl.h>
#include "model/netdev.h"

#define NETLINK_REQUEST_LEN 256

/* A page pool of a device in the socket's namespace. */
struct page_pool_message {
	uint32_t id;
	uint32_t ifindex;      /* 0 = its device is gone */
	uint32_t napi_id;      /* 0 = none */
	uint64_t inflight;     /* pages outside the pool */
	uint64_t inflight_mem; /* bytes */
	uint64_t detach_time;  /* seconds of CLOCK_BOOTTIME; 0 = the driver uses it */
};

/* What only a walk reports: the receive queues, and the device on a bus. */
struct netdev_hardware {
	uint32_t rx_queues; /* in use; 0 = unknown */
	int32_t node;       /* NUMA node; -1 = none, or unknown */
	char bus[9];        /* "pci", "virtio"; "" = none */
	char name[17];      /* its name on the bus: "0000:3b:00.0" */
};

/* A device as RTM_NEWLINK or RTM_DELLINK describes it. */
struct link_message {
	/*
	 * netns, features, driver and peer_netns are not set. CARRIER_CHANGES is the only counter;
	 * MTU_MAX and PROMISCUITY are the only settings. gone = RTM_DELLINK.
	 */
	struct netdev device;
	bool notified;       /* a notification, not the answer to a dump */
	bool peer_elsewhere; /* the peer is in another namespace */
	int32_t peer_nsid;   /* IFLA_LINK_NETNSID */
	/*
	 * From a walk: another number after a change of offloads or queues, which means that the
	 * settings must be read again.
	 */
	uint64_t settings;
	struct netdev_hardware hardware;
	uint64_t netns_cookie; /* unique, unlike the inode; 0 = unknown (netlink) */
};

/* Each fills buf (NETLINK_REQUEST_LEN bytes, aligned for a struct nlmsghdr). */

/* Request all devices of the socket's namespace, without statistics. */
struct nlmsghdr *netlink_put_link_dump(void *buf, uint32_t seq);
/* Request the nsid that the socket's namespace has for the namespace nsfd. */
struct nlmsghdr *netlink_put_nsid_get(void *buf, uint32_t seq, int nsfd);
/* Request the statistics of a device, or with ifindex 0 of all in the namespace. */
struct nlmsghdr *netlink_put_stats_get(void *buf, uint32_t seq, uint32_t ifindex);
/* Request the number of the netdev family (6.3+), on a generic netlink socket. */
struct nlmsghdr *netlink_put_family_get(void *buf, uint32_t seq);
/* Request the XDP features of all devices in the namespace, on a generic netlink socket. */
struct nlmsghdr *netlink_put_features_dump(void *buf, uint32_t seq, uint16_t family);
/* Request all page pools in the namespace (6.8+), on a generic netlink socket. */
struct nlmsghdr *netlink_put_page_pools_dump(void *buf, uint32_t seq, uint16_t family);

/* Each takes a message that passed mnl_nlmsg_ok(). False = another message type, or truncated. */
bool netlink_parse_link(const struct nlmsghdr *message, struct link_message *link);
/* nsid -1 = none assigned */
bool netlink_parse_nsid(const struct nlmsghdr *message, int32_t *nsid);
/* Sets the ifindex of d and its counters that the kernel keeps. */
bool netlink_parse_counts(const struct nlmsghdr *message, struct netdev *d);
bool netlink_parse_family(const struct nlmsghdr *message, uint16_t *family);
bool netlink_parse_features(const struct nlmsghdr *message, uint16_t family, uint32_t *ifindex,
			    uint64_t *features);
bool netlink_parse_page_pool(const struct nlmsghdr *message, uint16_t family,
			     struct page_pool_message *pool);
