// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about CPUs, from the data source softnet. */
#include "diagnose/finding_code.h"

#include <inttypes.h>
#include <stdio.h>
#include "source/softnet.h"

static bool is_overrun(struct evidence *e)
{
	uint64_t dropped = e->cpu->dropped, before = e->cpu_before->dropped;
	uint64_t squeeze = e->cpu->time_squeeze, was = e->cpu_before->time_squeeze;

	e->count = dropped > before ? dropped - before : 0;
	snprintf(e->what, sizeof(e->what),
		 "its backlog is full: skbs are lost before generic XDP and the stack see them%s",
		 squeeze > was ? "; its softirq also stops with work left (time_squeeze)" : "");
	return e->count > 0;
}

/* clang-format off */
static const struct finding_code codes[] = {
	{ "cpu-overrun", FINDING_CRITICAL,
	  "a CPU's backlog of received skbs is full (softnet_stat dropped)",
	  { .text = "the CPU gets more skbs than it handles: spread them (RSS: ethtool -X, or RPS), "
		    "take work from it (who runs there?), or, against bursts, raise "
		    "net.core.netdev_max_backlog; XDP in native mode does not pass the backlog",
	    .commands = "cat /proc/net/softnet_stat\n"
			"ps -eLo psr,pcpu,comm --sort=-pcpu | awk '$1 == {cpu}' | head\n"
			"sysctl net.core.netdev_max_backlog" },
	  RULES({ RULE_CPU, .code = RULE_ANY, .per = PER_TARGET, .when = is_overrun,
		  .text = "{to}: {what}" }) },
};
/* clang-format on */

const struct finding_group cpu_findings = FINDING_GROUP(codes);
