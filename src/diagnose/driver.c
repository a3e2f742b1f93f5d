// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/driver.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static bool has_name(const struct driver *driver, const char *name)
{
	char pattern[32];

	for (const char *p = driver->names; *p; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");

		snprintf(pattern, sizeof(pattern), "%.*s", (int)len, p);
		if (!fnmatch(pattern, name, 0))
			return true;
		p += len;
	}
	return false;
}

const struct driver *driver_find(const char *name)
{
	for (size_t i = 0; *name && i < n_drivers; i++)
		if (has_name(&drivers[i], name))
			return &drivers[i];
	return NULL;
}

const struct driver *driver_of(const struct netdev *d)
{
	return d ? driver_find(netdev_driver(d)) : NULL;
}

/* The driver runs this program, as far as is known. */
static bool is_native(const struct netdev *d, uint32_t prog_id)
{
	return d && d->mode != NETDEV_GENERIC && d->prog_id == prog_id;
}

const struct driver *driver_behind(const struct snapshot *s, uint32_t tracepoint,
				   const struct series_key *key)
{
	uint32_t at = 1u << tracepoint;
	const struct netdev *dev = snapshot_find_netdev(s, key->netns, key->ifindex);

	/* the program of a devmap entry, or in generic mode of the device that received */
	if (at & AT_EXCEPTION && !is_native(dev, key->prog_id))
		return NULL;
	if (at & AT_REDIRECT_ERR && dev && dev->mode == NETDEV_GENERIC)
		return NULL;
	if (at & AT_XMIT || (at & AT_REDIRECT_ERR && redirect_kind(key) & REDIRECT_TO_DEVICE))
		return driver_of(snapshot_find_netdev(s, key->to_netns, key->target));
	return driver_of(dev);
}

const struct cause *driver_cause(const struct driver *driver, uint32_t tracepoint,
				 const struct series_key *key)
{
	for (const struct cause *c = driver->causes; c && c->tracepoints; c++)
		if (cause_fits(c, tracepoint, key))
			return c;
	return cause_fits(&target_causes[driver->target], tracepoint, key)
		       ? &target_causes[driver->target]
		       : NULL;
}
