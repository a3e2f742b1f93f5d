/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions of rules that look at what programs returned. */
#pragma once

#include "diagnose/finding_code.h"
#include "diagnose/verdict_past.h"

/* The first program of a device that `holds` accepts; sets evidence.program. NULL = none known. */
const struct verdict_past *verdict_evidence(struct evidence *e,
					    bool (*holds)(const struct verdict_past *p));
/* The same for programs that returned `act` in the interval. Sets evidence.count and lost_per_s. */
const struct verdict_past *verdict_evidence_act(struct evidence *e, uint32_t act);
/*
 * What an exception's program returned on its device in the interval: *all packets, *n of this act.
 * False = unknown. Shares use these two, because the exceptions are read a moment earlier: some can
 * belong to the interval before, while *n is 0.
 */
bool verdict_numbers(const struct evidence *e, uint32_t act, uint64_t *n, uint64_t *all);
/* "for at most 3.0 % of its packets ", with `most` before the number; "" if `all` is 0 */
const char *verdict_share(uint64_t count, uint64_t all, const char *most, char *buf, size_t size);
