/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The location of a rule's evidence. */
#pragma once

#include "diagnose/finding_code.h"
#include "source/maps.h"

/* The location of the series, event, device, CPU or socket in the evidence. */
void evidence_location(const struct evidence *e, const struct rule *rule, struct location *l);
void event_location(const struct event *event, const struct snapshot *to, struct location *l);
/* Identifies code and location, as rule.per separates findings; the same in each run; never 0. */
uint64_t evidence_place(const struct evidence *e, const struct finding_code *code,
			const struct rule *rule, const struct location *l);
/*
 * Infers whose packets a queue lost: the program, and for a cpumap the device. xdp_devmap_xmit and
 * xdp_cpumap_enqueue do not name them. Sets nothing if the redirects of the interval into that
 * target come from several sources.
 */
void evidence_infer_source(const struct evidence *e, struct location *l);

/*
 * Which map a location uses: the entry that points to the location's target, or else its map's own
 * row. If the map is unknown: such an entry of a map that the program uses, or else of any map.
 * Without map and target: the program's first map. NULL = unknown. O(entries).
 */
const struct map_entry *location_map(const struct rates *r, const struct location *l);
