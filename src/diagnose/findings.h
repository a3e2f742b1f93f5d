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
 * severity and by age.
 */
struct findings {
	struct finding *finding;
	size_t n, cap;
	struct suspect *suspect; /* what is no finding yet */
	size_t n_suspects, cap_suspects;
	struct device_pasts pasts;
	struct verdict_pasts verdicts;
	size_t n_active;
	size_t truncated; /* in the last update: more than FINDINGS_MAX */
	uint64_t mono_ns; /* of the last snapshot */
	bool started;
};

/* Applies the rules to an interval, once. names may be NULL. 0 or -ENOMEM. */
int findings_update(struct findings *f, const struct rates *r, struct netns_names *names);
/* Deep copy, for the pause; 0 or -ENOMEM (*to is then as it was). */
int findings_copy(struct findings *to, const struct findings *from);
void findings_free(struct findings *f);

#endif
