// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/capability_names.h"

#include <cap-ng.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "CAP_"

const char *capability_names(uint64_t set, const char *prefix, const char *separator, char *buf,
			     size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (unsigned int cap = 0; cap < 64 && len < size; cap++) {
		const char *name = set >> cap & 1 ? capng_capability_to_name(cap) : NULL;

		if (!name)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? separator : "",
					prefix);
		for (; *name && len + 1 < size; name++)
			buf[len++] = (char)toupper((unsigned char)*name);
		if (len < size)
			buf[len] = '\0';
	}
	return buf;
}

uint64_t capability_names_find(const char *names)
{
	uint64_t set = 0;

	while (*names) {
		size_t len = strcspn(names, ",");
		char name[32];
		int cap = -1;

		if (!strncmp(names, PREFIX, sizeof(PREFIX) - 1)) {
			snprintf(name, sizeof(name), "%.*s", (int)(len - (sizeof(PREFIX) - 1)),
				 names + sizeof(PREFIX) - 1);
			cap = capng_name_to_capability(name);
		}
		if (cap >= 0 && cap < 64)
			set |= 1ull << cap;
		names += len;
		names += *names == ',';
	}
	return set;
}
