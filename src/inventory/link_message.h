/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink messages about devices: builds requests, parses answers and notifications. No sockets. */
#ifndef XDPTOP_LINK_MESSAGE_H
#define XDPTOP_LINK_MESSAGE_H

#include <libmnl/libmnl.h>
#include "model/netdev.h"

#define NETLINK_REQUEST_LEN 256

/* What RTM_NEWLINK or RTM_DELLINK says of one device. */
struct link_message {
	/*
	 * Without netns, features, driver and peer_netns, and of counters and settings with
	 * CARRIER_CHANGES and MTU_MAX; gone = RTM_DELLINK.
	 */
	struct netdev device;
	bool notified;         /* it has changed: not the answer to a dump */
	bool peer_elsewhere;   /* the peer is in another namespace: */
	int32_t peer_nsid;     /* IFLA_LINK_NETNSID */
	uint64_t netns_cookie; /* unique, unlike the inode; 0 = unknown (netlink) */
};

/* Each fills buf (NETLINK_REQUEST_LEN bytes, aligned for a struct nlmsghdr). */

/* Every device of the socket's namespace, without statistics. */
struct nlmsghdr *netlink_put_link_dump(void *buf, uint32_t seq);
/* The nsid that the socket's namespace has for the namespace nsfd. */
struct nlmsghdr *netlink_put_nsid_get(void *buf, uint32_t seq, int nsfd);
/* The statistics of one device; of ifindex 0 all in the namespace. */
struct nlmsghdr *netlink_put_stats_get(void *buf, uint32_t seq, uint32_t ifindex);
/* On a generic netlink socket: the number of the netdev family (6.3+). */
struct nlmsghdr *netlink_put_family_get(void *buf, uint32_t seq);
/* On a generic netlink socket: the XDP features of every device of its namespace. */
struct nlmsghdr *netlink_put_features_dump(void *buf, uint32_t seq, uint16_t family);

/* Each takes a message that passed mnl_nlmsg_ok(). false = of another type, or truncated. */
bool netlink_parse_link(const struct nlmsghdr *message, struct link_message *link);
/* nsid -1 = none assigned */
bool netlink_parse_nsid(const struct nlmsghdr *message, int32_t *nsid);
/* Sets the counters that the kernel keeps of a device, and its ifindex. */
bool netlink_parse_counts(const struct nlmsghdr *message, struct netdev *d);
bool netlink_parse_family(const struct nlmsghdr *message, uint16_t *family);
bool netlink_parse_features(const struct nlmsghdr *message, uint16_t family, uint32_t *ifindex,
			    uint64_t *features);

#endif
