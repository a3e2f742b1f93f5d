// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/netdev.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const modes[DEVICE_MODES] = {
	[DEVICE_NONE] = "none",       [DEVICE_NATIVE] = "native", [DEVICE_GENERIC] = "generic",
	[DEVICE_OFFLOAD] = "offload", [DEVICE_MULTI] = "multi",
};

/* In the order of their bits. */
static const char *const features_names[] = {
	"basic", "redirect", "ndo-xmit", "xsk-zerocopy", "hw-offload", "rx-sg", "ndo-xmit-sg",
};

#define N_FEATURES (sizeof(features_names) / sizeof(features_names[0]))

static const struct {
	const char *name;
	bool up, running, gone;
} states[] = {
	{ "up", .up = true, .running = true },
	{ "no-carrier", .up = true },
	{ "down", .up = false },
	{ "gone", .gone = true },
};

bool device_is_same(const struct device *a, const struct device *b)
{
	return a->netns == b->netns && a->ifindex == b->ifindex && a->mode == b->mode &&
	       a->prog_id == b->prog_id && a->skb_prog_id == b->skb_prog_id && a->up == b->up &&
	       a->running == b->running && a->gone == b->gone && a->mtu == b->mtu &&
	       a->has_features == b->has_features && a->features == b->features &&
	       a->peer_netns == b->peer_netns && a->peer_ifindex == b->peer_ifindex &&
	       !strcmp(a->name, b->name) && !strcmp(a->kind, b->kind) &&
	       !strcmp(a->prog_name, b->prog_name);
}

const char *device_mode_name(enum device_mode mode)
{
	return (size_t)mode < DEVICE_MODES ? modes[mode] : "unknown";
}

int device_mode_find(const char *name)
{
	for (int i = 0; i < DEVICE_MODES; i++)
		if (!strcmp(modes[i], name))
			return i;
	return -1;
}

static const char *const facts_names[DEVICES_FACTS] = {
	[DEVICES_NONE] = "none",
	[DEVICES_START] = "start",
	[DEVICES_ALL] = "all",
};

const char *device_facts_name(enum device_facts facts)
{
	return (size_t)facts < DEVICES_FACTS ? facts_names[facts] : NULL;
}

enum device_facts device_facts_find(const char *name)
{
	for (int i = DEVICES_NONE; i < DEVICES_FACTS; i++)
		if (!strcmp(facts_names[i], name))
			return (enum device_facts)i;
	return DEVICES_UNTOLD;
}

const char *device_state_name(const struct device *d)
{
	if (d->gone)
		return "gone";
	if (!d->up)
		return "down";
	return d->running ? "up" : "no-carrier";
}

bool device_set_state(struct device *d, const char *name)
{
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (strcmp(states[i].name, name))
			continue;
		d->up = states[i].up;
		d->running = states[i].running;
		d->gone = states[i].gone;
		return true;
	}
	return false;
}

const char *device_features_text(uint64_t features, char *buf, size_t size)
{
	uint64_t unnamed = features >> N_FEATURES << N_FEATURES;
	size_t len = 0;

	snprintf(buf, size, "none");
	for (size_t i = 0; i < N_FEATURES && len < size; i++)
		if (features & 1ULL << i)
			len += snprintf(buf + len, size - len, "%s%s", len ? "," : "",
					features_names[i]);
	if (unnamed && len < size)
		snprintf(buf + len, size - len, "%s0x%" PRIx64, len ? "," : "", unnamed);
	return buf;
}

static bool feature_find(const char *name, size_t len, uint64_t *features)
{
	char *end;

	for (size_t i = 0; i < N_FEATURES; i++) {
		if (strlen(features_names[i]) == len && !memcmp(features_names[i], name, len)) {
			*features |= 1ULL << i;
			return true;
		}
	}
	if (strncmp(name, "0x", 2))
		return false;
	*features |= strtoull(name, &end, 16);
	return end == name + len;
}

bool device_features_find(const char *text, uint64_t *features)
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
