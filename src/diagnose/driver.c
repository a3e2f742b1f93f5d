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
	return d ? driver_find(d->kind) : NULL;
}
