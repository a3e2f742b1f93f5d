// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/netdev.h"

#include <inttypes.h>
#include <linux/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const netdev_modes[NETDEV_MODES] = {
	[NETDEV_NONE] = "none",       [NETDEV_NATIVE] = "native", [NETDEV_GENERIC] = "generic",
	[NETDEV_OFFLOAD] = "offload", [NETDEV_MULTI] = "multi",
};

const char *const netdev_attaches[NETDEV_ATTACHES] = {
	[NETDEV_BY_NETLINK] = "netlink",
	[NETDEV_BY_LINK] = "link",
};

#define NAME(id, name, ...) [NETDEV_##id] = name,
const char *const netdev_counts[NETDEV_COUNTS] = { NETDEV_LINK_COUNT_ROWS(
	NAME) NETDEV_DRIVER_COUNT_ROWS(NAME) NETDEV_NETNS_COUNT_ROWS(NAME) };

#define KERNEL_NAME(id, name, words, kernel) [NETDEV_##id - NETDEV_NETNS_COUNT] = kernel,
const char *const netdev_netns_counts[NETDEV_NETNS_COUNTS] = { NETDEV_NETNS_COUNT_ROWS(
	KERNEL_NAME) };

/* Names in the order of their bits. */
struct bit_names {
	const char *const *name;
	size_t n;
};

#define BIT_NAMES(table)                                  \
	{                                                 \
		table, sizeof(table) / sizeof((table)[0]) \
	}

static const char *const feature_names[] = {
	"basic", "redirect", "ndo-xmit", "xsk-zerocopy", "hw-offload", "rx-sg", "ndo-xmit-sg",
};

/* netdev_features_strings of net/ethtool/common.c */
static const char *const offload_names[] = {
	"rx-lro",
	"rx-gro-hw",
	"rx-gro",
	"rx-udp-gro-forwarding",
	"rx-vlan-hw-parse",
	"rx-checksum",
	"tx-checksum-ipv4",
	"tx-checksum-ip-generic",
	"tx-checksum-ipv6",
	"tx-scatter-gather",
	"tx-tcp-segmentation",
	"tx-generic-segmentation",
};

static const struct bit_names features_of_xdp = BIT_NAMES(feature_names);
static const struct bit_names offloads_of_xdp = BIT_NAMES(offload_names);

bool netdev_is_same(const struct netdev *a, const struct netdev *b)
{
	return a->netns == b->netns && a->ifindex == b->ifindex && a->mode == b->mode &&
	       a->prog_id == b->prog_id && a->skb_prog_id == b->skb_prog_id &&
	       a->attach == b->attach && a->up == b->up && a->running == b->running &&
	       a->gone == b->gone && a->mtu == b->mtu && a->has_features == b->has_features &&
	       a->features == b->features && a->peer_netns == b->peer_netns &&
	       a->peer_ifindex == b->peer_ifindex && a->lower_ifindex == b->lower_ifindex &&
	       a->master_ifindex == b->master_ifindex && a->vlan_id == b->vlan_id &&
	       a->link_type == b->link_type && a->has_offloads == b->has_offloads &&
	       a->offloads == b->offloads &&
	       !memcmp(&a->counters_read_at, &b->counters_read_at, sizeof(a->counters_read_at)) &&
	       !memcmp(&a->settings_read_at, &b->settings_read_at, sizeof(a->settings_read_at)) &&
	       !memcmp(&a->queues_read_at, &b->queues_read_at, sizeof(a->queues_read_at)) &&
	       a->counted == b->counted && !memcmp(a->count, b->count, sizeof(a->count)) &&
	       !memcmp(a->per_s, b->per_s, sizeof(a->per_s)) && a->set == b->set &&
	       !memcmp(a->setting, b->setting, sizeof(a->setting)) && !strcmp(a->name, b->name) &&
	       !strcmp(a->kind, b->kind) && !strcmp(a->driver, b->driver) &&
	       !strcmp(a->prog_name, b->prog_name);
}

_Static_assert(NETDEV_COUNTS <= 8 * sizeof(((struct netdev *)0)->counted), "a bit each");
_Static_assert(NETDEV_SETTINGS <= 8 * sizeof(((struct netdev *)0)->set), "a bit each");

bool netdev_count(const struct netdev *d, enum netdev_count which, uint64_t *n)
{
	if (!d || !(d->counted & 1u << which))
		return false;
	*n = d->count[which];
	return true;
}

void netdev_set_count(struct netdev *d, enum netdev_count which, uint64_t n)
{
	d->counted |= 1u << which;
	d->count[which] = n;
}

bool netdev_grew(const struct netdev *from, const struct netdev *to, enum netdev_count which,
		 uint64_t *n)
{
	uint64_t was, is;

	if (!netdev_count(from, which, &was) || !netdev_count(to, which, &is) || is < was)
		return false;
	*n = is - was;
	return true;
}

/* A veth has the same peer for life. Counters of a virtual device begin at 0, and no driver resets
 * them. */
bool netdev_is_still(const struct netdev *was, const struct netdev *now)
{
	uint64_t before, after;

	if (was->gone || now->gone)
		return was->gone == now->gone;
	if (strcmp(was->kind, now->kind) != 0 ||
	    (was->peer_ifindex && now->peer_ifindex && was->peer_ifindex != now->peer_ifindex &&
	     was->peer_netns == now->peer_netns))
		return false;
	for (int i = 0; *now->kind && i < NETDEV_DRIVER_COUNT; i++)
		if (netdev_count(was, i, &before) && netdev_count(now, i, &after) && after < before)
			return false;
	return true;
}

bool netdev_is_asked(const struct netdev *d)
{
	/* the walk has carrier_changes, but neither of these */
	return d->has_offloads || d->counted & ((1u << NETDEV_CARRIER_CHANGES) - 1);
}

enum netdev_count netdev_missed(const struct netdev *d)
{
	uint64_t n;

	return netdev_count(d, NETDEV_RX_OUT_OF_BUFFER, &n) ? NETDEV_RX_OUT_OF_BUFFER
							    : NETDEV_RX_MISSED;
}

bool netdev_per_s(const struct netdev *d, enum netdev_count which, double *rate)
{
	uint64_t n;

	if (which < NETDEV_DRIVER_COUNT || !netdev_count(d, which, &n))
		return false;
	*rate = d->per_s[which - NETDEV_DRIVER_COUNT];
	return *rate >= 0;
}

bool netdev_setting(const struct netdev *d, enum netdev_setting which, uint32_t *value)
{
	if (!d || !(d->set & 1u << which))
		return false;
	*value = d->setting[which];
	return true;
}

void netdev_set_setting(struct netdev *d, enum netdev_setting which, uint32_t value)
{
	d->set |= (uint8_t)(1u << which);
	d->setting[which] = value;
}

uint32_t netdev_program(const struct netdev *d)
{
	return d->prog_id ?: d->skb_prog_id;
}

bool netdev_has_program(const struct netdev *d)
{
	return !d->gone && netdev_program(d);
}

bool netdev_lacks_ethernet(const struct netdev *d)
{
	return d && d->link_type && d->link_type != ARPHRD_ETHER && d->link_type != ARPHRD_LOOPBACK;
}

bool netdev_runs(const struct netdev *d, uint32_t prog_id)
{
	return !d->gone && (d->prog_id == prog_id || d->skb_prog_id == prog_id);
}

const char *netdev_driver(const struct netdev *d)
{
	return d->driver[0] ? d->driver : d->kind;
}

/* struct ethtool_ops in drivers/net/veth.c and tun.c */
static uint8_t virtual_has(const struct netdev *d)
{
	if (!strcmp(d->kind, "veth"))
		return NETDEV_HAS_CHANNELS | NETDEV_HAS_COUNTERS | NETDEV_HAS_DRIVER;
	if (!strcmp(d->kind, "tun"))
		return NETDEV_HAS_CHANNELS | NETDEV_HAS_COALESCE | NETDEV_HAS_DRIVER;
	return NETDEV_HAS_DRIVER;
}

/* The loopback in every namespace: include/net/flow.h */
#define LOOPBACK_IFINDEX 1

uint8_t netdev_lacks(const struct netdev *d, uint32_t ifindex)
{
	const uint8_t rings = 1u << NETDEV_RX_RING | 1u << NETDEV_TX_RING;
	uint8_t lacks = 0;

	if (ifindex == LOOPBACK_IFINDEX)
		return UINT8_MAX;
	if (!d)
		return 0;
	if (*d->kind)
		lacks = (uint8_t)~virtual_has(d);
	else if (d->has_offloads) /* its settings were queried */
		lacks = NETDEV_HAS_RINGS | NETDEV_HAS_CHANNELS;
	if (d->set & rings)
		lacks &= (uint8_t)~NETDEV_HAS_RINGS;
	if (d->set & 1u << NETDEV_CHANNELS)
		lacks &= (uint8_t)~NETDEV_HAS_CHANNELS;
	return lacks;
}

bool netdev_filters_macs(const struct netdev *d)
{
	uint32_t users;

	return !*d->kind && d->ifindex != LOOPBACK_IFINDEX && !d->gone &&
	       netdev_setting(d, NETDEV_PROMISCUITY, &users) && !users;
}

const char *netdev_mode_name(enum netdev_mode mode)
{
	return (size_t)mode < NETDEV_MODES ? netdev_modes[mode] : "unknown";
}

const char *const netdev_coverages[NETDEVS_COVERAGES] = {
	[NETDEVS_NONE] = "none",
	[NETDEVS_AT_START] = "start",
	[NETDEVS_ALL] = "all",
};

const char *netdev_state_name(const struct netdev *d)
{
	if (d->gone)
		return "gone";
	if (!d->up)
		return "down";
	return d->running ? "up" : "no-carrier";
}

bool netdev_set_state(struct netdev *d, const char *name)
{
	d->gone = !strcmp(name, "gone");
	d->running = !strcmp(name, "up");
	d->up = d->running || !strcmp(name, "no-carrier");
	return d->gone || d->up || !strcmp(name, "down");
}

static const char *bits_text(const struct bit_names *names, uint64_t bits, char *buf, size_t size)
{
	uint64_t unnamed = bits >> names->n << names->n;
	size_t len = 0;

	snprintf(buf, size, "none");
	for (size_t i = 0; i < names->n && len < size; i++)
		if (bits & 1ULL << i)
			len += snprintf(buf + len, size - len, "%s%s", len ? "," : "",
					names->name[i]);
	if (unnamed && len < size)
		snprintf(buf + len, size - len, "%s0x%" PRIx64, len ? "," : "", unnamed);
	return buf;
}

/* 0 = no such name */
static uint64_t bit_find(const struct bit_names *names, const char *name, size_t len)
{
	for (size_t i = 0; i < names->n; i++)
		if (strlen(names->name[i]) == len && !memcmp(names->name[i], name, len))
			return 1ULL << i;
	return 0;
}

static bool bits_find(const struct bit_names *names, const char *text, uint64_t *bits)
{
	*bits = 0;
	if (!strcmp(text, "none"))
		return true;
	while (true) {
		size_t len = strcspn(text, ",");
		uint64_t bit = bit_find(names, text, len);
		char *end;

		if (!bit) {
			if (strncmp(text, "0x", 2))
				return false;
			bit = strtoull(text, &end, 16);
			if (end != text + len)
				return false;
		}
		*bits |= bit;
		if (!text[len])
			return true;
		text += len + 1;
	}
}

const char *netdev_features_text(uint64_t features, char *buf, size_t size)
{
	return bits_text(&features_of_xdp, features, buf, size);
}

bool netdev_features_find(const char *text, uint64_t *features)
{
	return bits_find(&features_of_xdp, text, features);
}

const char *netdev_offloads_text(uint64_t offloads, char *buf, size_t size)
{
	return bits_text(&offloads_of_xdp, offloads, buf, size);
}

bool netdev_offloads_find(const char *text, uint64_t *offloads)
{
	return bits_find(&offloads_of_xdp, text, offloads);
}

uint64_t netdev_offload_find(const char *name)
{
	return bit_find(&offloads_of_xdp, name, strlen(name));
}
