/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which map a location leads through. */
#ifndef XDPTOP_LOCATION_MAP_H
#define XDPTOP_LOCATION_MAP_H

#include "model/location.h"
#include "source/maps.h"

/*
 * The entry that leads to the location's target: of its map, else of one that its program uses,
 * else of any. Without such an entry its map's own row; without map and target the first map of its
 * program. NULL = none is known. O(entries).
 */
const struct map_entry *location_map(const struct rates *r, const struct location *l);

#endif
