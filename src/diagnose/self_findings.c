// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about xdptop itself: events that it did not count. */
#include "diagnose/finding_code.h"

#include <stdio.h>

#define EVERY (BIT(TP_COUNT) - 1)

static bool is_shed(struct evidence *e)
{
	const struct tp_count *tp = &e->rates->to->tp[e->tracepoint];

	snprintf(e->what, sizeof(e->what), "%s is not counted: %s", tp->name, tp->reason);
	return tp->state == TP_SHED;
}

static bool is_missed(struct evidence *e)
{
	const struct tp_count *to = &e->rates->to->tp[e->tracepoint];
	const struct tp_count *from = &e->rates->from->tp[e->tracepoint];

	e->count = to->missed - from->missed;
	snprintf(e->what, sizeof(e->what),
		 "%s: the counts miss some events, because the kernel skipped xdptop's program "
		 "while it was already running on that CPU",
		 to->name);
	return to->missed > from->missed;
}

static bool is_overflow(struct evidence *e)
{
	const struct tp_count *to = &e->rates->to->tp[e->tracepoint];
	const struct tp_count *from = &e->rates->from->tp[e->tracepoint];

	e->count = to->overflow - from->overflow;
	snprintf(e->what, sizeof(e->what),
		 "%s: the table of series is full, so events are counted without their device",
		 to->name);
	return to->overflow > from->overflow;
}

/* clang-format off */
static const struct finding_code codes[] = {
	{ "shed", FINDING_WARNING,
	  "xdptop does not count a tracepoint because it cost more than --budget",
	  { .text = "switch the tracepoint on again in the tracepoints view (key t). A higher "
		    "--budget keeps it on, and --budget 0 removes the limit" },
	  RULES({ RULE_TRACEPOINT, EVERY, .code = RULE_ANY, .per = PER_TRACEPOINT,
		  .when = is_shed }) },
	{ "missed", FINDING_WARNING,
	  "the kernel skipped xdptop's program for some events",
	  { .text = "the network needs no change: these tracepoints had more events than xdptop "
		    "shows" },
	  RULES({ RULE_TRACEPOINT, EVERY, .code = RULE_ANY, .per = PER_TRACEPOINT,
		  .when = is_missed }) },
	{ "overflow", FINDING_WARNING,
	  "xdptop's table is full, so events are counted without their device",
	  { .text = "start xdptop again with a larger --max-series. The totals of the tracepoints "
		    "are still exact" },
	  RULES({ RULE_TRACEPOINT, EVERY, .code = RULE_ANY, .per = PER_TRACEPOINT,
		  .when = is_overflow }) },
};
/* clang-format on */

const struct finding_group self_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
