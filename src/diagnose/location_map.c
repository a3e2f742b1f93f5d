// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/location_map.h"

#include <linux/bpf.h>

static bool leads_to(const struct map_entry *e, const struct location *l)
{
	if (l->socket >= 0)
		return e->map_type == BPF_MAP_TYPE_XSKMAP && e->key == (uint32_t)l->socket;
	if (l->to_cpu >= 0)
		return e->map_type == BPF_MAP_TYPE_CPUMAP && e->key == (uint32_t)l->to_cpu;
	return l->to.ifindex && e->to_ifindex == l->to.ifindex && e->to_netns == l->to.netns;
}

const struct map_entry *location_map(const struct rates *r, const struct location *l)
{
	size_t n;
	const struct map_entry *e = map_entries(r->to, &n), *map = NULL, *any = NULL;
	bool is_its = false; /* whether the next entries belong to the location's map */

	for (size_t i = 0; i < n; i++) {
		if (!e[i].is_entry) {
			is_its = l->map_id ? e[i].map_id == l->map_id
					   : map_use(r, &e[i], l->prog_id) == MAP_USED;
			if (is_its && !map)
				map = &e[i];
		} else if (leads_to(&e[i], l)) {
			if (is_its)
				return &e[i];
			if (!any)
				any = &e[i];
		}
	}
	if (l->map_id || !(l->socket >= 0 || l->to_cpu >= 0 || l->to.ifindex))
		return map;
	return any;
}
