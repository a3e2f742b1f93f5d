/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The netlink messages that tell of devices: requests are built, answers and notifications parsed.
 * No socket is touched here.
 */
#ifndef XDPTOP_LINK_MESSAGE_H
#define XDPTOP_LINK_MESSAGE_H

#include <libmnl/libmnl.h>
#include "model/netdev.h"

#define NETLINK_REQUEST_LEN 256

/* What RTM_NEWLINK or RTM_DELLINK says of one device. */
struct link_message {
	struct netdev device; /* netns, features and peer_netns are not in it; gone = RTM_DELLINK */
	bool peer_elsewhere;  /* the peer is in another namespace, known there by: */
	int32_t peer_nsid;
	uint64_t netns_cookie; /* tells two namespaces with the same inode apart; 0 = not told */
};

/* Each fills buf (NETLINK_REQUEST_LEN bytes, aligned for a struct nlmsghdr). */

/* Every device of the socket's namespace, without statistics. */
struct nlmsghdr *netlink_links_request(void *buf, uint32_t seq);
/* The number by which the socket's namespace knows that of nsfd. */
struct nlmsghdr *netlink_nsid_request(void *buf, uint32_t seq, int nsfd);
/* On a generic netlink socket: the number of the netdev family (6.3+). */
struct nlmsghdr *netlink_family_request(void *buf, uint32_t seq);
/* On a generic netlink socket: the XDP features of every device of its namespace. */
struct nlmsghdr *netlink_features_request(void *buf, uint32_t seq, uint16_t family);

/*
 * Each takes a message whose length has been checked by mnl_nlmsg_ok(). False when it is another
 * one, or cut.
 */
bool netlink_link_parse(const struct nlmsghdr *message, struct link_message *link);
/* nsid -1 = it has no number there. */
bool netlink_nsid_parse(const struct nlmsghdr *message, int32_t *nsid);
bool netlink_family_parse(const struct nlmsghdr *message, uint16_t *family);
bool netlink_features_parse(const struct nlmsghdr *message, uint16_t family, uint32_t *ifindex,
			    uint64_t *features);

#endif
