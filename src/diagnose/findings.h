/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The findings of a run: the rules of src/diagnose/finding_code.h applied to each interval, one
 * finding per code, location and cause. Some rules must hold in several intervals. A finding clears
 * if its cause was not seen for FINDING_HOLD_S, and stays listed with its last time.
 *
 * What a finding says is frozen at its cause. An interval can end after the cause: a device is up
 * again, a program detached, a ring read. So each interval's words are reported only when the next
 * one also has evidence (struct finding.next), and a series that suddenly has another finding
 * counts to its old one until the next interval agrees (struct taker).
 */
#pragma once

#include "diagnose/change_before.h"
#include "diagnose/device_past.h"
#include "diagnose/verdict_past.h"
#include "model/netns_names.h"

#define FINDINGS_MAX 256 /* kept at most; cleared ones go first, then less severe ones */

/*
 * Zeroed before first use. Sorted: active ones first, then by packets lost per second (largest
 * first), severity and age. Consequences come last: no list or count includes them.
 */
struct findings {
	struct finding *finding;
	size_t n, cap;
	size_t n_listed;         /* without consequences */
	struct suspect *suspect; /* not yet findings */
	size_t n_suspects, cap_suspects;
	struct taker *taker; /* of the series that lost packets in the last interval */
	size_t n_takers, cap_takers;
	struct device_pasts pasts;
	struct verdict_pasts verdicts;
	struct recent_changes changes;
	size_t n_active;  /* of the listed ones */
	size_t truncated; /* beyond FINDINGS_MAX in the last update */
	uint64_t mono_ns; /* of the last snapshot */
	bool started;
	bool watched; /* an earlier interval was seen, so what begins now is new */
};

/* Applies the rules to an interval, once. names may be NULL. 0 or -ECANCELED. */
int findings_update(struct findings *f, const struct rates *r, struct netns_names *names);
/* The next consequence of a finding; after = NULL: the first; NULL = no more. */
const struct finding *findings_consequence(const struct findings *f, const struct finding *of,
					   const struct finding *after);
/* The finding to show instead of this one: its cause, or itself. */
const struct finding *findings_cause(const struct findings *f, const struct finding *of);
/*
 * "stopped 3s ago, clears in 8s" at a time, CLOCK_MONOTONIC, or "happened ..."; "" while its cause
 * is seen, and after it has cleared.
 */
const char *finding_stopped_text(const struct finding *f, uint64_t now_ns, char *buf, size_t size);
/* Deep copy, used while paused. */
void findings_copy(struct findings *to, const struct findings *from);
void findings_free(struct findings *f);
