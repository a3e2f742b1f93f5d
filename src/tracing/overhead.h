/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time that each tracepoint takes: events per CPU times ns per event. The programs measure a
 * sample of their own run time (count_event() in bpf/series_cache.h). The time to call them is a
 * measured constant.
 */
#pragma once

#include <stdint.h>
#include "bpf/shared.h"

/*
 * Time that the kernel takes to call a program at fexit: an empty one takes 151 instructions
 * instead of the 103 of an empty program at a tracepoint, so the time in proportion.
 */
#define OVERHEAD_FEXIT_NS 51

struct overhead {
	uint32_t cpus;         /* number of elements of series_cpu */
	uint64_t *events;      /* [cpus][TP_COUNT] at the last update */
	double *percent;       /* [cpus][TP_COUNT] between the last two updates */
	double ns[TP_COUNT];   /* per event, including the call; < 0 = none timed yet */
	int busiest[TP_COUNT]; /* CPU, -1 = no event */
};

void overhead_init(struct overhead *o, uint32_t cpus);
void overhead_free(struct overhead *o);
/* Update for the `seconds` since the last update. Reads the live counters without a lock. */
void overhead_update(struct overhead *o, const struct series_cpu *cpu, double seconds);
/* Percent of this CPU that a tracepoint took; tracepoint < 0 = all together. */
double overhead_percent(const struct overhead *o, uint32_t cpu, int tracepoint);
uint32_t overhead_busiest(const struct overhead *o);
