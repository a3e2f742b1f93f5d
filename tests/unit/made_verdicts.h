/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts of handmade snapshots. */
#pragma once

#include <linux/bpf.h>
#include "made.h"
#include "source/data_source.h"
#include "source/programs.h"
#include "source/verdicts.h"

/* A program whose verdicts are counted; change the result as needed. Add in the order of ids. */
static inline struct program *made_program(struct snapshot *s, uint32_t prog_id)
{
	struct program *p = snapshot_add_row(s, DATA_SOURCE_PROGRAMS, sizeof(*p));

	assert_non_null(p);
	*p = (struct program){ .prog_id = prog_id, .verdicts = PROGRAM_VERDICTS_ON };
	snprintf(p->prog_name, sizeof(p->prog_name), "prog%u", prog_id);
	return p;
}

/* For eth3, queue 0, CPU 0 and the trace with the program's id; change as needed, then sort. */
static inline struct verdict *made_verdict(struct snapshot *s, uint32_t prog_id, uint32_t act,
					   uint64_t packets)
{
	struct verdict *v = snapshot_add_row(s, DATA_SOURCE_VERDICTS, sizeof(*v));

	assert_non_null(v);
	*v = (struct verdict){ .prog_id = prog_id,
			       .netns = MADE_NETNS,
			       .ifindex = 3,
			       .act = act,
			       .trace = prog_id,
			       .packets = packets,
			       .bytes = packets * 100 };
	return v;
}

static inline void made_sort_verdicts(struct snapshot *s)
{
	data_source_sort(s, DATA_SOURCE_VERDICTS);
}
