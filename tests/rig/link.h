/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Network devices: veth pairs, created and changed by plain rtnetlink and ifindex, because `ip`
 * refuses names that the kernel allows (ESC, quotes, invalid UTF-8), and starting it is slow. All
 * functions return 0 or -errno.
 */
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "netns.h"

struct link {
	const struct netns *ns;
	int ifindex;
	int socket; /* AF_PACKET, opened by the first frame_send(); 0 = closed */
	char name[IFNAMSIZ];
};

struct link_counters {
	uint64_t rx_packets;
	uint64_t rx_dropped;
};

/* Sets the name of a link that does not exist yet. */
void link_init(struct link *link, const struct netns *ns, const char *name);
/* Both ends up and with carrier; each in its ->ns, with its ->name and, unless 0, its ->ifindex. */
int link_add_veth(struct link *a, struct link *b, int mtu);
int link_set_up(const struct link *link, bool up);
int link_set_mtu(const struct link *link, int mtu);
/* Over netlink, as ip does; it stays without a holder. */
int link_attach_xdp(const struct link *link, int prog_fd, uint32_t flags);
int link_set_tx_csum(const struct link *link, bool on);
/* GRO gives a veth a NAPI context, which its peer needs to send XDP frames to it. */
int link_set_gro(const struct link *link, bool on);
/* Both ends of a veth need as many, and Linux 5.15. */
int link_set_queues(const struct link *link, uint32_t queues);
/* Closes the descriptors; the device itself disappears with its namespace. */
void link_close(struct link *link);
int link_read_counters(const struct link *link, struct link_counters *counters);
