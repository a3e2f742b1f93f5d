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
/*
 * What an exception's program returned on its device in the interval: all, and of this act. False =
 * not known. Shares are of these two: the exceptions themselves are read a moment before, so that
 * there can be some of the interval before, and none of this act now.
 */
bool verdict_numbers(const struct evidence *e, uint32_t act, uint64_t *n, uint64_t *all);
/* "for at most 3.0 % of its packets ", with the words of `most`; "" where `all` is 0 */
const char *verdict_share(uint64_t count, uint64_t all, const char *most, char *buf, size_t size);

#endif
