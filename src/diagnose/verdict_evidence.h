/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions of rules that look at what programs returned. */
#ifndef XDPTOP_VERDICT_EVIDENCE_H
#define XDPTOP_VERDICT_EVIDENCE_H

#include "diagnose/finding_code.h"
#include "diagnose/verdict_past.h"

/*
 * Of a device: the first of its programs of which this holds, which evidence.program is then; NULL
 * = of none, or nothing is known.
 */
const struct verdict_past *verdict_evidence(struct evidence *e,
					    bool (*holds)(const struct verdict_past *p));
/* It returned this in the interval: evidence.count packets of them, which are lost. */
const struct verdict_past *verdict_evidence_act(struct evidence *e, uint32_t act);
/* The packets of an exception's program on its device in the interval; 0 = not known. */
uint64_t verdict_packets(const struct evidence *e);
/* "for 3.0 % of its packets "; "" where `all` is 0 */
const char *verdict_share(uint64_t count, uint64_t all, char *buf, size_t size);

#endif
