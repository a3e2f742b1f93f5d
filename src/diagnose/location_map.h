/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which map a location uses. */
#pragma once

#include "model/location.h"
#include "source/maps.h"

/*
 * The entry that points to the location's target, or else its map's own row. If the map is unknown:
 * such an entry of a map that the program uses, or else of any map. Without map and target: the
 * program's first map. NULL = unknown. O(entries).
 */
const struct map_entry *location_map(const struct rates *r, const struct location *l);
