/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each tracepoint costs while it runs: events per CPU times nanoseconds per event. The time
 * inside a program is sampled by the program itself (bpf/series_cache.h); what the kernel spends to
 * get there cannot be, and is a constant measured on this project's machines.
 */
#ifndef XDPTOP_OVERHEAD_H
#define XDPTOP_OVERHEAD_H

#include <stdint.h>
#include "bpf/shared.h"

/* An empty tp_btf program adds 34.6 ns to a redirected packet (`make bench`, "empty"). */
#define OVERHEAD_DISPATCH_NS 35.0

struct overhead {
	uint32_t cpus;         /* length of the array that overhead_update() reads */
	uint64_t *events;      /* [cpus][TP_COUNT] at the last update */
	double *percent;       /* [cpus][TP_COUNT] since the one before */
	double ns[TP_COUNT];   /* per event, dispatch included; < 0 = no event was timed yet */
	int busiest[TP_COUNT]; /* CPU, -1 = no event */
};

/* 0 or -ENOMEM */
int overhead_init(struct overhead *c, uint32_t cpus);
void overhead_free(struct overhead *c);
/* Figures for the `seconds` since the last update; live counters, so read without a lock. */
void overhead_update(struct overhead *c, const struct series_cpu *cpu, double seconds);
/* Percent of one CPU that a tracepoint took there; tracepoint < 0 = all of them together. */
double overhead_percent(const struct overhead *c, uint32_t cpu, int tracepoint);
/* The CPU where all tracepoints together cost most. */
uint32_t overhead_busiest(const struct overhead *c);

#endif
