/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applies the rules of src/diagnose/finding_code.h to an interval. */
#pragma once

#include "diagnose/device_past.h"
#include "diagnose/verdict_past.h"

struct rule_run {
	const struct rates *rates;
	/* updated with this interval */
	const struct device_pasts *pasts;
	const struct verdict_pasts *verdicts;
	/* Called with the evidence of each rule that holds. */
	void (*take)(void *ctx, const struct finding_code *code, const struct rule *rule,
		     const struct evidence *e);
	void *ctx;
};

/* 0 or -ECANCELED. */
int finding_rules_apply(const struct rule_run *run);
