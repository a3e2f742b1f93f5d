/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which map a location uses. */
#pragma once

#include "model/location.h"
#include "source/maps.h"

/*
 * The entry that points to the location's target: of its map, else that map's own row; without a
 * map, of a map that its program uses, else of any map. Without map and target the first map of its
 * program. NULL = unknown. O(entries).
 */
const struct map_entry *location_map(const struct rates *r, const struct location *l);
