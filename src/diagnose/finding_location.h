/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the evidence of a rule is. */
#ifndef XDPTOP_FINDING_LOCATION_H
#define XDPTOP_FINDING_LOCATION_H

#include "diagnose/finding_code.h"

/* Of a series, event, device, CPU or socket, whatever it is about. */
void evidence_location(const struct evidence *e, const struct rule *rule, struct location *l);
/* Of an event that has a device. */
void event_location(const struct event *event, const struct snapshot *to, struct location *l);
/* Of a finding of this code at this location, as rule.per tells findings apart; never 0. */
uint64_t evidence_id(const struct evidence *e, const struct finding_code *code,
		     const struct rule *rule, const struct location *l);
/*
 * Infers the program, and of a cpumap the device, whose packets a queue lost: xdp_devmap_xmit and
 * xdp_cpumap_enqueue do not name them. It is certain when all redirects of the interval into that
 * target come from one source.
 */
void evidence_infer_source(const struct evidence *e, struct location *l);

#endif
