/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The findings of a run: src/diagnose/finding_code.h applied to each interval, one finding per code
 * and location, where a rule says so once it held in several intervals in a row. A finding clears
 * when its cause was not seen for FINDING_HOLD_S, and stays listed with the time it was last seen.
 */
#ifndef XDPTOP_FINDINGS_H
#define XDPTOP_FINDINGS_H

#include "diagnose/device_past.h"
#include "diagnose/verdict_past.h"
#include "model/finding.h"
#include "model/netns_names.h"
#include "model/rates.h"

#define FINDING_HOLD_S 10  /* seconds without the cause until it counts as cleared */
#define FINDINGS_MAX   256 /* kept at most; cleared ones go first, then less severe ones */

/*
 * Zeroed at first use. Active ones first, then by packets lost a second, the largest first, by
 * severity and by age. Consequences of others come last: no list has them, and no count.
 */
struct findings {
	struct finding *finding;
	size_t n, cap;
	size_t n_listed;         /* that are no consequences */
	struct suspect *suspect; /* what is no finding yet */
	size_t n_suspects, cap_suspects;
	struct device_pasts pasts;
	struct verdict_pasts verdicts;
	size_t n_active;  /* of those that are listed */
	size_t truncated; /* in the last update: more than FINDINGS_MAX */
	uint64_t mono_ns; /* of the last snapshot */
	bool started;
};

/* Applies the rules to an interval, once. names may be NULL. 0, -ENOMEM or -ECANCELED. */
int findings_update(struct findings *f, const struct rates *r, struct netns_names *names);
/* The next consequence of a finding behind `after`, NULL = the first; NULL = no more. */
const struct finding *findings_consequence(const struct findings *f, const struct finding *of,
					   const struct finding *after);
/* The finding to tell in place of this one: its cause, or itself. */
const struct finding *findings_cause(const struct findings *f, const struct finding *of);
/* Deep copy, for the pause; 0 or -ENOMEM (*to is then as it was). */
int findings_copy(struct findings *to, const struct findings *from);
void findings_free(struct findings *f);

#endif
