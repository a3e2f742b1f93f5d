/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each cpumap lost. No event of a cpumap names a device, so a loss belongs to the devices
 * whose programs redirect through the map: to one device, or to several together.
 */
#pragma once

#include "model/rates.h"

#define CPUMAP_LOSSES 64 /* maps with losses or drops at a time; others are not known */

struct cpumap_loss {
	uint32_t map_id;
	size_t users;   /* devices that may redirect through the map now: device_path_cpumaps() */
	uint64_t since; /* lost since the baseline; without one, since the start */
	uint64_t delta; /* lost in the interval */
	double per_s;
	double dropped_per_s; /* dropped by programs of its entries */
};

struct cpumap_losses {
	struct cpumap_loss map[CPUMAP_LOSSES];
	size_t n;
	bool more;
};

/* Find the losses of each map, but not yet its users. O(the series). */
void cpumap_losses_set(struct cpumap_losses *l, const struct rates *r);
/* Says that the device redirects, so it is a user of the maps that its programs may use. */
void cpumap_losses_add_user(struct cpumap_losses *l, const struct rates *r, const struct netdev *d);
/* Whether the device may redirect packets through maps of this type, as far as its programs are
 * known. */
bool may_redirect_to(const struct rates *r, const struct netdev *d, uint32_t map_type);
/* The maps that a device redirects through, as bits 1 << i. */
struct cpumap_use {
	uint64_t may;  /* the device's programs may use these maps */
	uint64_t uses; /* they do */
	uint64_t own;  /* and no other device's programs may use them */
};

/* d may be NULL. */
struct cpumap_use cpumap_use(const struct cpumap_losses *l, const struct rates *r,
			     const struct netdev *d);
