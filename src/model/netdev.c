// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/netdev.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const modes[NETDEV_MODES] = {
	[NETDEV_NONE] = "none",       [NETDEV_NATIVE] = "native", [NETDEV_GENERIC] = "generic",
	[NETDEV_OFFLOAD] = "offload", [NETDEV_MULTI] = "multi",
};

/* In the order of their bits. */
static const char *const feature_names[] = {
	"basic", "redirect", "ndo-xmit", "xsk-zerocopy", "hw-offload", "rx-sg", "ndo-xmit-sg",
};

#define N_FEATURES (sizeof(feature_names) / sizeof(feature_names[0]))

bool netdev_is_same(const struct netdev *a, const struct netdev *b)
{
	return a->netns == b->netns && a->ifindex == b->ifindex && a->mode == b->mode &&
	       a->prog_id == b->prog_id && a->skb_prog_id == b->skb_prog_id && a->up == b->up &&
	       a->running == b->running && a->gone == b->gone && a->mtu == b->mtu &&
	       a->has_features == b->has_features && a->features == b->features &&
	       a->peer_netns == b->peer_netns && a->peer_ifindex == b->peer_ifindex &&
	       !strcmp(a->name, b->name) && !strcmp(a->kind, b->kind) &&
	       !strcmp(a->driver, b->driver) && !strcmp(a->prog_name, b->prog_name);
}

const char *netdev_driver(const struct netdev *d)
{
	return d->driver[0] ? d->driver : d->kind;
}

const char *netdev_mode_name(enum netdev_mode mode)
{
	return (size_t)mode < NETDEV_MODES ? modes[mode] : "unknown";
}

int netdev_mode_find(const char *name)
{
	for (int i = 0; i < NETDEV_MODES; i++)
		if (!strcmp(modes[i], name))
			return i;
	return -1;
}

static const char *const coverage_names[NETDEVS_COVERAGES] = {
	[NETDEVS_NONE] = "none",
	[NETDEVS_AT_START] = "start",
	[NETDEVS_ALL] = "all",
};

const char *netdev_coverage_name(enum netdev_coverage coverage)
{
	return (size_t)coverage < NETDEVS_COVERAGES ? coverage_names[coverage] : NULL;
}

enum netdev_coverage netdev_coverage_find(const char *name)
{
	for (int i = NETDEVS_NONE; i < NETDEVS_COVERAGES; i++)
		if (!strcmp(coverage_names[i], name))
			return (enum netdev_coverage)i;
	return NETDEVS_UNKNOWN;
}

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

const char *netdev_features_text(uint64_t features, char *buf, size_t size)
{
	uint64_t unnamed = features >> N_FEATURES << N_FEATURES;
	size_t len = 0;

	snprintf(buf, size, "none");
	for (size_t i = 0; i < N_FEATURES && len < size; i++)
		if (features & 1ULL << i)
			len += snprintf(buf + len, size - len, "%s%s", len ? "," : "",
					feature_names[i]);
	if (unnamed && len < size)
		snprintf(buf + len, size - len, "%s0x%" PRIx64, len ? "," : "", unnamed);
	return buf;
}

static bool feature_find(const char *name, size_t len, uint64_t *features)
{
	char *end;

	for (size_t i = 0; i < N_FEATURES; i++) {
		if (strlen(feature_names[i]) == len && !memcmp(feature_names[i], name, len)) {
			*features |= 1ULL << i;
			return true;
		}
	}
	if (strncmp(name, "0x", 2))
		return false;
	*features |= strtoull(name, &end, 16);
	return end == name + len;
}

bool netdev_features_find(const char *text, uint64_t *features)
{
	*features = 0;
	if (!strcmp(text, "none"))
		return true;
	while (true) {
		size_t len = strcspn(text, ",");

		if (!feature_find(text, len, features))
			return false;
		if (!text[len])
			return true;
		text += len + 1;
	}
}
